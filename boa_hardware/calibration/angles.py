# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Servo angles and the range of their joints. A servo that is switched on counts from within its
first turn, so its zero must leave the whole range of the joint there.
"""

import math
from collections.abc import Sequence

import numpy as np

from boa_description.arrays import Array
from boa_description.robot import Joint
from boa_hardware.servo.settings import ServoJoint

TURN = 2 * math.pi
NEAR_WRAP = math.radians(5.0)  # of the count 0, that a joint must not come to when switched on


def servo_angle(angle: Array, joints: Sequence[ServoJoint]) -> Array:
    """Angles of the servos, rad, at joint angles of shape (..., n_joints), rad."""
    direction = np.array([joint.direction for joint in joints], float)
    return direction * angle + np.array([joint.zero for joint in joints])


def joint_angle(angle: Array, joints: Sequence[ServoJoint]) -> Array:
    """Angles of the joints, rad, at servo angles of shape (..., n_joints), rad."""
    direction = np.array([joint.direction for joint in joints], float)
    return direction * (angle - np.array([joint.zero for joint in joints]))


def rezeroed(joint: ServoJoint, angle: float) -> ServoJoint:
    """The joint whose angle is 0 where it was `angle`, rad."""
    return joint.model_copy(update={"zero": joint.zero + joint.direction * angle})


def wraps(joint: ServoJoint, limits: Joint) -> bool:
    """Whether the count of the servo wraps within the range of its joint."""
    ends = joint.zero + joint.direction * np.array([limits.lower, limits.upper])
    return bool(ends.min() < NEAR_WRAP or ends.max() > TURN - NEAR_WRAP)
