# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Boa on the path of `boa_offset_10mm`: its model, its contacts, frames of its sensors."""

from __future__ import annotations

import numpy as np

from boa_control.controllers.hoal.post_map.deformation import DeformedReference
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.bent_schedule import BentSchedule
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel, PathState
from boa_control.model.reference import ReferenceTable
from boa_control.paths.path import PathContact, PlannedPath
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.load import load_robot
from boa_description.scene import GroundFriction

BOA = load_robot("boa13")
CHAIN = PlanarChain(BOA)


def planned() -> PlannedPath:
    path = prepare(load_scenario("boa_offset_10mm")).path
    assert path is not None
    return path


PATH = planned()
TABLE = ReferenceTable(PATH.curve, BOA.links, BOA.link.pitch)
MODEL = PathModel(CHAIN, TABLE, GroundFriction())
SCHEDULE = ContactSchedule(PATH, TABLE, BOA.link.radius, 0.03)
BENT_SCHEDULE = BentSchedule(SCHEDULE, BOA.link.pitch)
IN_PLACE = np.zeros(len(PATH.contacts))
PERIOD = 0.002


def contact_at(s: float, side: int) -> PathContact:
    """That of a body on the path with a further post."""
    at, heading = PATH.curve.position(np.array([s]))[0], PATH.curve.heading(np.array([s]))[0]
    radius = PATH.contacts[0].radius
    place = complex(*at) + side * (BOA.link.radius + radius) * 1j * np.exp(1j * heading)
    return PathContact(float(place.real), float(place.imag), radius, s, side)


def off_path(s: float, side: int, into: float) -> complex:
    """From where the body on the path would touch a post to where it stands `into` its way."""
    return complex(-side * into * 1j * np.exp(1j * PATH.curve.heading(np.array([s]))[0]))


def bent(s: float, bend: np.ndarray) -> PathState:
    reference = DeformedReference(CHAIN, PERIOD, 0.007)
    reference.bend = bend
    return reference.apply(MODEL.at(s))


def frame(position: np.ndarray, force: np.ndarray, acceleration: np.ndarray) -> SensorFrame:
    unknown = np.full(BOA.joints, np.nan)
    return SensorFrame(
        stamp_ns=0,
        position=position,
        velocity=np.zeros(BOA.joints),
        effort=np.zeros(BOA.joints),
        joint_force=ForceSample(0, np.column_stack([force, np.zeros(BOA.joints)])),
        imu=ImuSample.planar(0, np.zeros(BOA.links), np.zeros(BOA.links), acceleration),
        temperature=unknown,
        joint_age=np.zeros(BOA.joints),
    )


def with_one_unfelt() -> tuple[np.ndarray, np.ndarray]:
    """Gap Jacobian and activations of contacts of which one in the middle is not detected."""
    state = MODEL.at(0.25)
    contacts = SCHEDULE.at(state)
    gap, _ = contacts.rows(CHAIN, state, 0.0)
    activation = np.ones(contacts.contact.size)
    activation[contacts.contact.size // 2] = 0.0
    return gap, activation


def moving(gap: np.ndarray, rates: np.ndarray, seed: int) -> np.ndarray:
    """Rates of base and joints of a chain whose gaps open at `rates`, shape (nc,), m/s."""
    known = np.linalg.lstsq(gap, rates, rcond=None)[0]
    free = np.linalg.svd(gap)[2][len(gap) :]
    qd: np.ndarray = known + np.random.default_rng(seed).normal(scale=0.1, size=len(free)) @ free
    np.testing.assert_allclose(gap @ qd, rates, atol=1e-12)
    return qd
