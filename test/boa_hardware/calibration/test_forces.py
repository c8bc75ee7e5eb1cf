# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Force sensors against weights, and against the forces that a simulated chain needs to move."""

from __future__ import annotations

import numpy as np
import pytest

from boa_description.arrays import Array
from boa_description.load import load_robot
from boa_hardware.calibration.forces import accelerated, hung, inertial
from boa_sim.engines.mujoco.world import MujocoWorld
from boa_sim.world import Physics


def test_weights_tell_order_sign_and_scale() -> None:
    change = np.zeros((3, 2, 3, 2))
    for joint, (sensor, gain) in enumerate([(0, 1.0), (2, -1.0), (1, 0.5)]):
        for axis in (0, 1):
            change[joint, axis, sensor, axis] = 10.0 * gain
    seen = hung(change, 10.0)
    assert seen.sensor.tolist() == [0, 2, 1]
    assert seen.gain == pytest.approx(np.array([[1, 1], [-1, -1], [0.5, 0.5]]))
    assert seen.responds.all()


def test_a_sensor_that_does_not_answer_is_told() -> None:
    change = np.zeros((2, 2, 2, 2))
    change[0, 0, 0, 0] = change[0, 1, 0, 1] = 10.0
    assert hung(change, 10.0).responds.tolist() == [True, False]


@pytest.fixture(scope="module")
def free_motion() -> tuple[Array, Array, Array]:
    """Angles, accelerations and joint forces of a free chain under torques of its own."""
    robot = load_robot("boa13")
    world = MujocoWorld(robot, physics=Physics())
    rows = []
    for step in range(600):
        phase = 2 * np.pi * (step / 200 + np.arange(robot.joints) / 5)
        world.advance(0.3 * np.sin(phase))
        world.refresh()
        rows.append((world.joint_position, world.acceleration[:, :2], world.joint_force[:, :2]))
    angle, acceleration, force = (np.array(column) for column in zip(*rows, strict=True))
    return angle, acceleration, force


def test_joint_forces_are_those_that_accelerate_the_links_ahead(
    free_motion: tuple[Array, Array, Array],
) -> None:
    angle, acceleration, force = free_motion
    mass = load_robot("boa13").link.mass
    assert inertial(angle, acceleration, mass) == pytest.approx(force, abs=0.02)


def test_motion_tells_order_sign_and_scale(free_motion: tuple[Array, Array, Array]) -> None:
    angle, acceleration, force = free_motion
    expected = inertial(angle, acceleration, load_robot("boa13").link.mass)
    shown = force[:, [0, 1, 3, 2, *range(4, 12)]] * np.where(np.arange(12) == 7, -0.5, 1.0)[:, None]
    noise = np.random.default_rng(1).normal(0.0, 0.2, shown.shape)
    seen = accelerated(shown + noise + 3.0, expected)
    assert seen.sensor.tolist() == [0, 1, 3, 2, *range(4, 12)]
    assert seen.gain[7] == pytest.approx([-0.5, -0.5], abs=0.2)
    assert np.delete(seen.gain[:, 1], 7) == pytest.approx(np.ones(11), abs=0.2)
