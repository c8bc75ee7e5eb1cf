# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Measurements of a chain at one instant and their noise: input of the contact force estimator."""

from dataclasses import dataclass

import numpy as np

from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Robot

STICTION_SPEED = 0.05  # rad/s, over which dry friction changes sign


@dataclass(frozen=True, slots=True)
class ChainSample:
    """Measurements of the chain at one instant; NaN where one is missing.

    Attributes:
        joints, joint_velocity: shape (n_joints,), rad, rad/s.
        torque: shape (n_joints,), motor torque less the gearbox's dry friction, N m.
        joint_force: shape (n_joints, 2), force of link i + 1 on link i in the frame of link i + 1,
            N.
        acceleration: shape (n_links, 2), of the link centres, each in its link frame, m/s2.
        yaw_rate: shape (n_links,), rad/s.
    """

    joints: Array
    joint_velocity: Array
    torque: Array
    joint_force: Array
    acceleration: Array
    yaw_rate: Array

    def check(self, robot: Robot) -> None:
        """Refuse arrays that do not fit the robot.

        Raises:
            BoaError: a wrong number of joints or links.
        """
        n = robot.links
        if (
            self.joints.shape != (n - 1,)
            or self.joint_force.shape != (n - 1, 2)
            or self.acceleration.shape != (n, 2)
        ):
            raise BoaError(
                f"robot {robot.name} with {n} links needs {n - 1} joints, forces ({n - 1}, 2) and "
                f"accelerations ({n}, 2); got {self.joints.shape}, {self.joint_force.shape}, "
                f"{self.acceleration.shape}"
            )


@dataclass(frozen=True, slots=True)
class SampleNoise:
    """Standard deviations of what `ChainSample` holds.

    Attributes:
        joint_force: N per axis. torque: N m, what the motor torque misses of the transmitted
            torque.
        acceleration: m/s2 per axis. angular_acceleration: rad/s2, the range expected of a link.
    """

    joint_force: float
    torque: float
    acceleration: float
    angular_acceleration: float = 5.0


def sample_from_frame(frame: SensorFrame, dry_friction: Array | float = 0.0) -> ChainSample | None:
    """The sample in a sensor frame; None before the first force sample. Without IMU: at rest.

    Args:
        dry_friction: N m per joint, known or identified dry friction of the gearboxes.
    """
    if frame.joint_force is None:
        return None
    n = frame.position.size + 1
    if frame.imu is None:
        acceleration, yaw_rate = np.zeros((n, 2)), np.zeros(n)
    else:
        acceleration, yaw_rate = frame.imu.acceleration, frame.imu.yaw_rate
    return ChainSample(
        frame.position,
        frame.velocity,
        frame.effort - dry_friction * np.tanh(frame.velocity / STICTION_SPEED),
        frame.joint_force.force[:, :2],
        acceleration,
        yaw_rate,
    )


def noise_of(robot: Robot, torque: float = 0.05, joint_force: float | None = None) -> SampleNoise:
    """Noise levels from the robot's description.

    Args:
        torque: what friction and model errors hide of the transmitted torque, N m.
        joint_force: instead of the description's noise of the force sensors, N.
    """
    described = max(robot.force_sensor.noise, _rounding(robot.force_sensor.quantum), 1e-3)
    return SampleNoise(
        joint_force=described if joint_force is None else joint_force,
        torque=torque,
        acceleration=max(
            robot.imu.acceleration_noise, _rounding(robot.imu.acceleration_quantum), 1e-3
        ),
    )


def _rounding(quantum: float) -> float:
    """Standard deviation of rounding to multiples of `quantum`."""
    return float(quantum / np.sqrt(12))
