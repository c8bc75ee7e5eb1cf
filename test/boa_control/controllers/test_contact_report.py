# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reported contacts: estimates put together when read, transitions along the path."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controller import ContactEstimate, estimate_columns
from boa_control.controllers.contact_report import ContactReport, transitions
from boa_control.estimation.sideways_balance import (
    Evidence,
    SidewaysBalance,
    measured_deviations,
    measured_forces,
)
from boa_control.events import EventKind
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel
from boa_control.model.reference import ReferenceTable
from boa_control.paths.construct import build_path
from boa_control.paths.path import PlannedPath
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.load import load_robot
from boa_description.scene import GroundFriction
from test.boa_control.circle import circle

BOA = load_robot("boa13")
RAMP = 0.03


def planned(sides: str) -> PlannedPath:
    return build_path(circle(sides), BOA)


PATH = planned("LRRL")


@pytest.fixture(scope="module")
def model() -> PathModel:
    reference = ReferenceTable(PATH.curve, BOA.links, BOA.link.pitch)
    return PathModel(PlanarChain(BOA), reference, GroundFriction())


@pytest.fixture(scope="module")
def schedule(model: PathModel) -> ContactSchedule:
    return ContactSchedule(PATH, model.reference, BOA.link.radius, RAMP)


def test_estimates_are_a_sequence_of_the_contacts(
    model: PathModel, schedule: ContactSchedule
) -> None:
    contacts = schedule.at(model.at(0.9))
    force, desired = (
        np.linspace(-0.5, 6.0, contacts.contact.size),
        np.full(contacts.contact.size, 5.0),
    )
    told = ContactReport(contacts, contacts.activation, force, desired)
    assert len(told) == contacts.contact.size and list(told) == list(told[:])
    for k, one in enumerate(told):
        assert told[k] == one and isinstance(one, ContactEstimate)
        assert (one.obstacle, one.link, one.side) == (
            contacts.contact[k],
            contacts.link[k],
            contacts.side[k],
        )
        assert one.force == max(force[k], 0.0) and one.reference == 5.0 and np.isnan(one.force_std)
        assert one.established == (contacts.activation[k] >= 1.0)
        assert {type(value) for value in one} == {int, float, bool}  # as messages want them


def evidence(model: PathModel, seed: int) -> list[Evidence]:
    """Two dozen ticks with arbitrary measurements, some without sensors or with silent ones."""
    balance = SidewaysBalance(model, BOA.force_sensor.noise, BOA.imu.acceleration_noise)
    generator = np.random.default_rng(seed)
    result = []
    for k in range(24):
        force = generator.normal(size=(BOA.joints, 3))
        acceleration = generator.normal(size=(BOA.links, 3))
        if k % 4 == 1:
            force[generator.integers(BOA.joints)] = np.nan
            acceleration[generator.integers(BOA.links)] = np.nan
        imu = ImuSample.planar(k, np.zeros(BOA.links), np.zeros(BOA.links), acceleration[:, :2])
        nothing = np.zeros(BOA.joints)
        frame = SensorFrame(
            stamp_ns=k,
            position=generator.normal(size=BOA.joints),
            velocity=nothing,
            effort=nothing,
            joint_force=None if k % 6 == 2 else ForceSample(k, force),
            imu=None if k % 6 == 3 else imu,
            temperature=nothing,
            joint_age=nothing,
        )
        s, rate, ground = generator.uniform([-2.0, -0.3, 0.0], [20.0, 0.3, 1.0]).tolist()
        result.append(Evidence(balance, frame, s, rate, ground))
    return result


def test_evidence_of_the_sensors_stands_before_what_is_expected(
    model: PathModel, schedule: ContactSchedule
) -> None:
    """Many reports at once have the bits of the sensors' law for one tick."""
    noise = BOA.force_sensor.noise, BOA.imu.acceleration_noise
    expected = 5.0
    given = evidence(model, 0)
    sets = [schedule.at(model.at(one.s)) for one in given]
    reports = [
        ContactReport(
            contacts,
            contacts.activation,
            np.full(contacts.contact.size, expected),
            np.full(contacts.contact.size, expected),
            one,
        )
        for contacts, one in zip(sets, given, strict=True)
    ]
    columns = ContactReport.columns(reports)
    for k, (contacts, one, report) in enumerate(zip(sets, given, reports, strict=True)):
        rows = columns.report == k
        sideways = model.at(one.s).sideways(one.rate, one.ground)
        force = measured_forces(one.frame, contacts, model.chain, sideways)
        if force is None:
            assert one.frame.joint_force is None
            force = np.full(contacts.contact.size, np.nan)
        known = ~np.isnan(force)
        deviation = measured_deviations(one.frame.position, contacts, model.chain, *noise)
        assert columns.force[rows].tolist() == (
            np.maximum(np.where(known, force, expected), 0.0).tolist()
        )
        assert np.array_equal(
            columns.force_std[rows], np.where(known, deviation, np.nan), equal_nan=True
        )
        assert [one.force for one in report] == columns.force[rows].tolist()
    assert np.isnan(columns.force_std).any() and np.isfinite(columns.force_std).any()


def test_columns_of_reports_are_those_of_their_estimates(
    model: PathModel, schedule: ContactSchedule
) -> None:
    reports = []
    for k, one in enumerate(evidence(model, 1)):
        contacts = schedule.at(model.at(one.s))
        force = np.linspace(-0.5, 6.0, contacts.contact.size)
        known = one if k % 3 else None
        reports.append(ContactReport(contacts, contacts.activation, force, force, known))
    fast, slow = estimate_columns(reports), estimate_columns([tuple(one) for one in reports])
    for name, column in fast._asdict().items():
        assert np.array_equal(column, getattr(slow, name), equal_nan=column.dtype.kind == "f"), name
    nothing = estimate_columns([(), ()])
    assert all(column.size == 0 for column in nothing)
    assert estimate_columns([(), (ContactEstimate(None, 3, 0.1, 1, 2.0),)]).obstacle.tolist() == [
        -1
    ]


def test_of_two_opposite_posts_the_one_that_carries_is_established(model: PathModel) -> None:
    contacts = ContactSchedule(planned("B"), model.reference, BOA.link.radius, RAMP).at(
        model.at(0.9)
    )
    force = np.where(contacts.redundant, 0.0, 3.0)
    told = ContactReport(contacts, contacts.activation, force, force)
    assert [one.established for one in told] == (
        (contacts.activation >= 1) & ~contacts.redundant
    ).tolist()


def test_transitions_over_one_period_conserve_contacts(
    model: PathModel, schedule: ContactSchedule
) -> None:
    """Every post is gained at the head, passes every link in turn, and is lost at the tail."""
    links: dict[int, int] = {}
    before: ContactSet | None = None
    first = set(schedule.at(model.at(0.0)).contact.tolist())
    for s in np.arange(0.0, 3.0, 0.002):
        now = schedule.at(model.at(float(s)))
        for event in transitions(before, now):
            post, link = event.post, event.link
            assert post is not None and link is not None
            if event.kind is EventKind.CONTACT_GAINED:
                assert post not in links
                links[post] = link
                assert links[post] == BOA.links or post in first
            elif event.kind is EventKind.CONTACT_PASSED:
                assert link == links[post] and event.to_link == links[post] - 1
                links[post] -= 1
            else:
                assert links.pop(post) == 1
        before = now
    assert len(links) == len(before.contact) if before is not None else False
