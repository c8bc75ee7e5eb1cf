# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Detected contacts when single sensors are silent, and how fast a contact is taken on."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.contacts.detection import Engagement, not_taken_on
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.estimation.sideways_balance import measured_forces
from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel
from boa_control.model.reference import ReferenceTable
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.scene import GroundFriction
from boa_sim.factory import plant_from_experiment

APPROACH = SHIPPED.contacts.approach

EXPERIMENT = prepare(load_scenario("boa_offset_10mm"))
BOA, PATH, PERIOD = EXPERIMENT.robot, EXPERIMENT.path, EXPERIMENT.control_period
assert PATH is not None
CHAIN = PlanarChain(BOA)
TABLE = ReferenceTable(PATH.curve, BOA.links, BOA.link.pitch)
MODEL = PathModel(CHAIN, TABLE, GroundFriction())
SCHEDULE = ContactSchedule(PATH, TABLE, BOA.link.radius, 0.03)
RATE = 0.3  # m/s


def detected(s: float, force: np.ndarray, acceleration: np.ndarray | None) -> np.ndarray:
    state, zero = MODEL.at(s), np.zeros(BOA.joints)
    imu = (
        None
        if acceleration is None
        else ImuSample.planar(0, np.zeros(BOA.links), np.zeros(BOA.links), acceleration)
    )
    frame = SensorFrame(0, state.q[3:], zero, zero, ForceSample(0, force), imu, zero, zero)
    found = measured_forces(frame, SCHEDULE.at(state), CHAIN, state.sideways(RATE, 0.0))
    assert found is not None
    return found


@pytest.mark.parametrize("s", [0.25, 0.31])
def test_only_contacts_that_need_a_silent_sensor_are_unknown(s: float) -> None:
    """Those whose force changes with what the sensor says; flanks and places near joints."""
    rng = np.random.default_rng(0)
    force, acceleration = rng.normal(size=(BOA.joints, 3)), rng.normal(size=(BOA.links, 2))
    whole, unknown = detected(s, force, acceleration), 0
    for joint in range(BOA.joints):
        other, silent = force.copy(), force.copy()
        other[joint, :2] += 1.0, 2.0
        silent[joint] = np.nan
        needs = detected(s, other, acceleration) != whole
        found = detected(s, silent, acceleration)
        np.testing.assert_array_equal(np.isnan(found), needs)
        np.testing.assert_array_equal(found[~needs], whole[~needs])
        unknown += int(needs.sum())
    assert 2 * whole.size - 2 <= unknown <= 3 * whole.size


def test_a_silent_imu_leaves_the_acceleration_of_the_path_to_its_link_alone() -> None:
    rng = np.random.default_rng(1)
    force, acceleration = rng.normal(size=(BOA.joints, 3)), rng.normal(size=(BOA.links, 2))
    state, whole, without = (
        MODEL.at(0.25),
        detected(0.25, force, acceleration),
        detected(0.25, force, None),
    )
    link = SCHEDULE.at(state).link[2]
    acceleration[link] = np.nan
    found = detected(0.25, force, acceleration)
    assert found[2] == pytest.approx(without[2]) != pytest.approx(whole[2])
    other = np.abs(SCHEDULE.at(state).link - link) > 1
    np.testing.assert_array_equal(found[other], whole[other])


def ticks_until(engagement: Engagement, force: float, level: float) -> int:
    contacts = SCHEDULE.at(MODEL.at(0.25))
    forces = np.full(contacts.contact.size, force)
    for tick in range(1, 1000):
        if (engagement.update(contacts, forces) == level).all():
            return tick
    return 0


def test_force_rises_and_sinks_as_fast_as_documented() -> None:
    assert PATH is not None
    engagement = Engagement(len(PATH.contacts), PERIOD)
    assert ticks_until(engagement, 1e6, 1.0) * PERIOD == pytest.approx(0.16, abs=1.5 * PERIOD)
    assert ticks_until(engagement, -1e9, APPROACH) * PERIOD == pytest.approx(
        0.064, abs=1.5 * PERIOD
    )


def test_where_a_sensor_is_silent_level_and_force_stay() -> None:
    assert PATH is not None
    engagement, contacts = Engagement(len(PATH.contacts), PERIOD), SCHEDULE.at(MODEL.at(0.25))
    count = contacts.contact.size
    forces = np.where(np.arange(count) < 2, 5.0, 0.0)
    for _ in range(200):
        engagement.update(contacts, forces)
    before = engagement.force(contacts).copy()
    for _ in range(500):  # 0: held, 1: lost, 2: not detected before, 3: newly detected
        level = engagement.update(
            contacts, np.array([np.nan, 0.0, np.nan, *np.full(count - 3, 5.0)])
        )
    assert level.tolist() == [1.0, APPROACH, APPROACH, *[1.0] * (count - 3)]
    assert engagement.silent.tolist() == [True, False, True, *[False] * (count - 3)]
    assert engagement.force(contacts)[[0, 2]].tolist() == before[[0, 2]].tolist()


def test_a_sensor_that_is_silent_for_a_while_makes_no_contact_felt() -> None:
    """All contacts counted as detected and were pressed with full force, through air: 32 N instead
    of 11 N.
    """
    controller, plant = build_controller(EXPERIMENT), plant_from_experiment(EXPERIMENT, 0)
    plant.arm()
    largest = 0.0
    for tick in range(round(0.8 / PERIOD)):
        sample = plant.read()
        assert sample.joint_force is not None
        largest = max(largest, float(np.hypot(*sample.joint_force.force[:, :2].T).max()))
        if 0.2 <= tick * PERIOD < 0.5:
            force = sample.joint_force.force.copy()
            force[3] = np.nan
            sample = sample._replace(joint_force=sample.joint_force._replace(force=force))
        plant.write(controller.step(sample).torque)
    plant.close()
    assert largest < 12.0


def test_contacts_at_the_ends_and_spare_ones_need_not_be_taken_on() -> None:
    contacts = SCHEDULE.at(MODEL.at(0.25))
    whole = np.flatnonzero(contacts.activation >= 1.0)
    level = np.ones(contacts.contact.size)
    assert not_taken_on(contacts, level) == 0
    level[whole] = APPROACH
    assert not_taken_on(contacts, level) == whole.size
    spare = contacts.redundant.copy()
    spare[whole[0]] = True
    assert not_taken_on(contacts._replace(redundant=spare), level) == whole.size - 1
    fading = contacts._replace(activation=np.full(contacts.contact.size, 0.9))
    assert not_taken_on(fading, level) == 0
