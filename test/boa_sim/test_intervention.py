# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pushes and poses from outside: momentum, end, repeatability, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.plant import PlantError
from boa_description.load import load_robot
from boa_description.scene import Circle, ContactModel, GroundFriction
from boa_sim.plant import SimulatedPlant

ROBOT = load_robot("boa13", links=4)
MASS = ROBOT.links * ROBOT.link.mass
FLOOR = GroundFriction(model="viscous", viscous=0.5)
POST = Circle(x=0.2, y=0.2, radius=0.05)
NOTHING = np.zeros(ROBOT.joints)


def make(heading: float = 0.0, **changes) -> SimulatedPlant:
    return SimulatedPlant(ROBOT, start_base=np.array([0.0, 0.0, heading]), **changes)


def go(plant: SimulatedPlant, ticks: int) -> np.ndarray:
    for _ in range(ticks):
        plant.write(NOTHING)
    return plant.truth().base_velocity


@pytest.mark.parametrize("heading", [0.0, 0.7, -2.5])
def test_a_push_along_the_robot_gives_it_the_momentum_of_force_and_time(heading) -> None:
    plant = make(heading)
    plant.push(2, np.array([3.0, 0.0, 0.0]), duration=0.1)
    velocity = go(plant, 50)
    along = 3.0 * 0.1 / MASS
    expected = [along * np.cos(heading), along * np.sin(heading), 0.0]
    np.testing.assert_allclose(velocity, expected, atol=1e-9)
    np.testing.assert_allclose(go(plant, 50), expected, atol=1e-9, err_msg="it is over")


@pytest.mark.parametrize("wrench", [(0.0, 1.0, 0.0), (0.0, 0.0, 0.2), (0.0, -2.0, 0.1)])
def test_a_push_acts_at_the_centre_of_the_link_that_it_names(wrench) -> None:
    """Linear and angular momentum of the straight chain are those of force, arm and time."""
    plant = make()
    plant.push(3, np.array(wrench), duration=0.002)
    _, sideways, turning = go(plant, 1)
    rates = turning + np.concatenate(([0.0], np.cumsum(plant.truth().joint_velocity)))
    pitch, mass, inertia = ROBOT.link.pitch, ROBOT.link.mass, ROBOT.link.yaw_inertia
    ends = sideways + pitch * np.concatenate(([0.0], np.cumsum(rates[:-1])))
    speeds = ends + 0.5 * pitch * rates
    arms = pitch * (np.arange(4) - 1.5)  # from the centre of the chain
    _, force, torque = wrench
    impulse = np.array([force, arms[3] * force + torque]) * 0.002
    momentum = [mass * speeds.sum(), inertia * rates.sum() + mass * arms @ speeds]
    np.testing.assert_allclose(momentum, impulse, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("ground", [None, FLOOR])
@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_push_adds_to_floor_and_contacts_and_leaves_nothing_behind(ground, friction) -> None:
    def motion(push: bool) -> list[np.ndarray]:
        plant = make(ground=ground, contact=ContactModel(friction=friction), obstacles=(POST,))
        if push:
            plant.push(1, np.array([1.0, 0.0, 0.0]), duration=0.02)
            plant.push(1, np.zeros(3), duration=0.02)
        plant.push(0, np.array([2.0, 0.0, 0.0]), duration=0.02)
        go(plant, 30)
        return [plant.truth().base, plant.truth().joint_position]

    for without, replaced in zip(motion(False), motion(True), strict=True):
        np.testing.assert_array_equal(replaced, without)


def test_a_reset_and_a_new_pose_end_every_push() -> None:
    plant = make()
    plant.push(0, np.array([2.0, 0.0, 0.0]), duration=10.0)
    plant.reset()
    assert not go(plant, 5).any()
    plant.push(0, np.array([2.0, 0.0, 0.0]), duration=10.0)
    plant.place(np.zeros(3), NOTHING)
    assert not go(plant, 5).any()


def test_the_robot_is_put_at_rest_at_a_pose_and_time_goes_on() -> None:
    plant = make(obstacles=(POST,))
    plant.push(0, np.array([2.0, 0.0, 0.0]), duration=0.1)
    begin = plant.read().stamp_ns
    go(plant, 10)
    base, joints = np.array([-1.0, 0.3, 0.2]), np.array([0.1, -0.2, 0.3])
    plant.place(base, joints)
    go(plant, 1)
    frame, truth = plant.read(), plant.truth()
    assert frame.stamp_ns == begin + 11 * plant.control_period_ns
    np.testing.assert_allclose(truth.base, base, atol=1e-9)
    np.testing.assert_allclose(frame.position, joints, atol=1e-9)
    assert not frame.velocity.any()


@pytest.mark.parametrize(
    ("armed", "base", "bend", "why"),
    [
        (True, [0.0, 0.0, 0.0], 0.0, "while armed"),
        (False, [0.0, 0.18, 0.0], 0.0, "overlap obstacle 0"),
        (False, [0.0, 0.0, 0.0], 3.0, "joint_02 at 3 rad; its limits"),
    ],
)
def test_a_pose_that_cannot_be_is_refused_and_nothing_moves(armed, base, bend, why) -> None:
    plant = make(obstacles=(POST,))
    if armed:
        plant.arm()
    with pytest.raises(PlantError, match=why):
        plant.place(np.array(base), np.array([0.0, bend, 0.0]))
    assert not plant.truth().base.any() and not plant.truth().joint_position.any()
