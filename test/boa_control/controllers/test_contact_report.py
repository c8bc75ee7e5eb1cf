"""Reported contacts: estimates put together when read, transitions along the path."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controller import ContactEstimate
from boa_control.controllers.contact_report import ContactReport, transitions
from boa_control.model.contact_set import ContactSchedule, ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel
from boa_control.model.reference import ReferenceTable
from boa_control.paths.construct import build_path
from boa_control.paths.path import PlannedPath
from boa_control.paths.settings import CirclePath
from boa_description.load import load_robot
from boa_description.scene import GroundFriction

BOA = load_robot("boa13")
RAMP = 0.03


def circle(sides: str) -> PlannedPath:
    settings = CirclePath(
        kind="circle",
        radius=1.15,
        segments=24,
        attack_angle=np.radians(30),
        half_line=0.13,
        sides=sides,
    )
    return build_path(settings, BOA)


PATH = circle("LRRL")


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
    force, desired = np.linspace(-0.5, 6.0, contacts.post.size), np.full(contacts.post.size, 5.0)
    told = ContactReport(contacts, contacts.activation, force, desired)
    assert len(told) == contacts.post.size and list(told) == list(told[:])
    for k, one in enumerate(told):
        assert told[k] == one and isinstance(one, ContactEstimate)
        assert (one.obstacle, one.link, one.side) == (
            contacts.post[k],
            contacts.link[k],
            contacts.side[k],
        )
        assert one.force == max(force[k], 0.0) and one.reference == 5.0 and np.isnan(one.force_std)
        assert one.established == (contacts.activation[k] >= 1.0)
        assert {type(value) for value in one} == {int, float, bool}  # as messages want them


def test_what_the_sensors_feel_stands_before_what_is_expected(
    model: PathModel, schedule: ContactSchedule
) -> None:
    contacts = schedule.at(model.at(0.9))
    expected, felt = np.full(contacts.post.size, 5.0), np.full(contacts.post.size, 4.0)
    told = ContactReport(
        contacts, contacts.activation, expected, expected, lambda: (felt, 0.05 * felt)
    )
    assert all((one.force, one.force_std, one.reference) == (4.0, 0.2, 5.0) for one in told)
    assert all(
        one.force == 5.0
        for one in ContactReport(contacts, contacts.activation, expected, expected, lambda: None)
    )
    felt[1] = np.nan  # its sensor is silent
    told = ContactReport(
        contacts, contacts.activation, expected, expected, lambda: (felt, np.full(felt.size, 0.2))
    )
    assert [one.force for one in told] == [4.0, 5.0, *[4.0] * (felt.size - 2)]
    assert [np.isnan(one.force_std) for one in told] == [k == 1 for k in range(felt.size)]


def test_of_two_opposite_posts_the_one_that_carries_is_established(model: PathModel) -> None:
    contacts = ContactSchedule(circle("B"), model.reference, BOA.link.radius, RAMP).at(
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
    first = set(schedule.at(model.at(0.0)).post.tolist())
    for s in np.arange(0.0, 3.0, 0.002):
        now = schedule.at(model.at(float(s)))
        for event in transitions(before, now):
            words = event.split()
            post = int(words[2])
            if words[0] == "gain":
                assert post not in links
                links[post] = int(words[4])
                assert links[post] == BOA.links or post in first
            elif words[0] == "pass":
                assert int(words[4]) == links[post] and int(words[6]) == links[post] - 1
                links[post] -= 1
            else:
                assert links.pop(post) == 1
        before = now
    assert len(links) == len(before.post) if before is not None else False
