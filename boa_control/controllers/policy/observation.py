# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a policy may be shown: named parts of a `SensorFrame`, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from boa_control.estimation.link_forces import lateral_forces
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.quaternion import yaw_of
from boa_description.robot import Robot

Item = Callable[[SensorFrame, Robot], Array]


def observation(frame: SensorFrame, robot: Robot, items: tuple[str, ...]) -> Array:
    """The items one behind the other, SI units; what no sensor has told yet counts as 0."""
    parts = [ITEMS[item](frame, robot) for item in items]
    return np.nan_to_num(np.concatenate([np.zeros(0), *parts]))


def _joint_force(frame: SensorFrame, robot: Robot) -> Array:
    sample = frame.joint_force
    return np.zeros(3 * robot.joints) if sample is None else sample.force.ravel()


def _lateral_force(frame: SensorFrame, robot: Robot) -> Array:
    return lateral_forces(frame, robot.link.mass)


def _imu(attribute: str) -> Item:
    """Three values of every link by the newest IMU sample."""

    def values(frame: SensorFrame, robot: Robot) -> Array:
        if frame.imu is None:
            return np.zeros(3 * robot.links)
        return np.ravel(getattr(frame.imu, attribute))

    return values


def _heading(frame: SensorFrame, robot: Robot) -> Array:
    """From the quaternions, which a recorded frame has bit for bit; so it is wrapped."""
    return np.zeros(robot.links) if frame.imu is None else yaw_of(frame.imu.orientation)


def _tracker(frame: SensorFrame, _: Robot) -> Array:
    sample: Any = frame.sample("tracker")
    if sample is None or not sample.seen:
        return np.zeros(3)
    return np.append(sample.position[:2], yaw_of(sample.orientation))


# name -> what it is of a frame, shape (width,)
ITEMS: Mapping[str, Item] = {
    "position": lambda frame, _: frame.position,  # (n_joints,), rad
    "velocity": lambda frame, _: frame.velocity,  # (n_joints,), rad/s
    "effort": lambda frame, _: frame.effort,  # (n_joints,), N m
    "joint_force": _joint_force,  # (3 n_joints,), N
    "lateral_force": _lateral_force,  # (n_links,), N, from joint forces and IMUs
    "heading": _heading,  # (n_links,), rad, since the start
    "angular_velocity": _imu("angular_velocity"),  # (3 n_links,), rad/s
    "acceleration": _imu("linear_acceleration"),  # (3 n_links,), m/s2
    "tracker": _tracker,  # x, y, heading of the tracked link, m and rad
}
