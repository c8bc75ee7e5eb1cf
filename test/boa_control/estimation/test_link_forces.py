# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forces on links from joint force sensors, against those that really act in a simulation and
against Newton by hand.
"""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.estimation.link_forces import (
    inertial_forces,
    lateral_forces,
    link_forces,
)
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import Sideways
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.arrays import Array
from boa_description.floor import ground_force
from boa_description.load import load_robot
from boa_description.scene import Circle, GroundFriction
from boa_sim.plant import SimulatedPlant

ROBOT = load_robot("boa13", links=6)
FLOOR = GroundFriction(model="mixed", viscous=1.0, viscous_normal=6.0)
THREE = load_robot("boa3")
POST = Circle(x=0.4, y=0.0898, radius=0.05)  # presses the fourth link by 0.05 mm


def after(ticks: int, posts: tuple[Circle, ...]) -> SimulatedPlant:
    plant = SimulatedPlant(ROBOT, ground=FLOOR, obstacles=posts)
    plant.arm()
    for k in range(ticks):
        plant.write(0.3 * np.sin(0.02 * k + np.arange(5)))
    return plant


def true_forces(plant: SimulatedPlant) -> np.ndarray:
    """Floor and posts across every link, N."""
    truth = plant.truth()
    chain = PlanarChain(ROBOT)
    q = np.concatenate((truth.base, truth.joint_position))
    posture = chain.posture(q)
    velocity = chain.centre_velocities(
        posture, np.concatenate((truth.base_velocity, truth.joint_velocity))
    )
    outside = ground_force(FLOOR, np.full(6, ROBOT.link.mass), velocity, posture.theta)
    for contact in truth.contacts:
        outside[contact.link] += contact.force[:2]
    across: np.ndarray = posture.cos * outside[:, 1] - posture.sin * outside[:, 0]
    return across


def test_floor_and_posts_across_every_link() -> None:
    plant = after(150, (POST,))
    true, measured = true_forces(plant), lateral_forces(plant.read(), ROBOT.link.mass)
    assert np.abs(true).max() > 0.2
    np.testing.assert_allclose(measured, true, atol=1e-6)
    pressed = after(2, (POST,))
    assert [contact.link for contact in pressed.truth().contacts] == [3] or true[3] < 0
    np.testing.assert_allclose(
        lateral_forces(pressed.read(), ROBOT.link.mass), true_forces(pressed), atol=1e-6
    )


def test_silent_sensors_count_as_nothing() -> None:
    frame = after(20, ()).read()
    assert not lateral_forces(frame._replace(joint_force=None), ROBOT.link.mass).any()
    force = frame.joint_force.force.copy()
    force[2] = np.nan
    broken = frame._replace(joint_force=ForceSample(frame.stamp_ns, force))
    told = lateral_forces(broken, ROBOT.link.mass)
    assert not told[2:4].any()
    whole = lateral_forces(frame, ROBOT.link.mass)
    np.testing.assert_array_equal(told[[0, 1, 4, 5]], whole[[0, 1, 4, 5]])


def frame(joint_force: Array | None, acceleration: Array) -> SensorFrame:
    n = acceleration.shape[0]
    upright = np.tile([0.0, 0, 0, 1], (n, 1))
    return SensorFrame(
        stamp_ns=1,
        position=np.zeros(n - 1),
        velocity=np.zeros(n - 1),
        effort=np.zeros(n - 1),
        joint_force=None if joint_force is None else ForceSample(1, joint_force),
        imu=ImuSample(1, upright, np.zeros((n, 3)), acceleration, np.zeros(n)),
        temperature=np.full(n - 1, 25.0),
        joint_age=np.zeros(n - 1),
    )


def test_the_balance_of_every_link_gives_the_force_from_outside() -> None:
    """Three links, straight: outside forces chosen, joint forces from Newton by hand."""
    chain = PlanarChain(THREE)
    mass = chain.link_mass
    outside = np.array([[1.0, -4.0], [0.5, 6.0], [-2.0, 3.0]])
    acceleration = np.array([[0.3, 0.1], [0.3, -0.2], [0.3, 0.4]])
    # force of link i + 1 on link i: what link i needs beyond what it gets from outside and behind
    first = mass * acceleration[0] - outside[0]
    second = mass * acceleration[1] - outside[1] + first
    assert mass * acceleration[2] - outside[2] + second == pytest.approx(
        mass * acceleration.sum(0) - outside.sum(0)
    )
    balanced = outside.copy()
    balanced[2] = mass * acceleration[2] + second  # the last link closes the chain
    joint = np.zeros((2, 3))
    joint[0, :2], joint[1, :2] = first, second
    measured = link_forces(
        frame(joint, np.column_stack([acceleration, np.zeros(3)])),
        chain,
        Sideways(np.zeros(3), np.zeros(3)),
    )
    assert measured is not None
    assert measured.across == pytest.approx(balanced[:, 1])
    assert measured.along == pytest.approx(balanced[:, 0])


def test_without_force_sensors_there_is_nothing_to_tell() -> None:
    nothing = frame(None, np.zeros((3, 3)))
    assert link_forces(nothing, PlanarChain(THREE), Sideways(np.zeros(3), np.zeros(3))) is None


def test_the_largest_joint_force_is_horizontal_and_of_a_sensor_that_answers() -> None:
    silent = [np.nan, np.nan, np.nan]
    assert largest([[3.0, -4.0, 9.0], silent]) == 5.0
    assert largest([silent, [3.0, -4.0, 9.0]]) == 5.0
    assert largest([silent, silent]) == 0.0


def largest(force: list[list[float]]) -> float:
    """Of three links at rest with these forces in their joints, N."""
    sample = frame(np.array(force), np.zeros((3, 3)))
    measured = link_forces(sample, PlanarChain(THREE), Sideways(np.zeros(3), np.zeros(3)))
    assert measured is not None
    return measured.largest


def test_a_silent_imu_leaves_the_inertia_that_is_expected() -> None:
    acceleration = np.array([[0.3, 0.1, 0.0], [np.nan, np.nan, np.nan], [0.2, np.nan, 0.0]])
    along, across = inertial_forces(frame(None, acceleration), 2.0, np.array([7.0, 8.0, 9.0]))
    assert along.tolist() == [0.6, 0.0, 0.4]
    assert across.tolist() == [0.2, 8.0, 9.0]
    nothing = frame(None, acceleration)._replace(imu=None)
    along, across = inertial_forces(nothing, 2.0, np.array([7.0, 8.0, 9.0]))
    assert along.tolist() == [0.0, 0.0, 0.0] and across.tolist() == [7.0, 8.0, 9.0]
