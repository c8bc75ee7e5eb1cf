"""Soft hold of a robot that has lost its posts: dampers and weak springs, until it is freed."""

from __future__ import annotations

import numpy as np

from boa_description.arrays import Array

BRAKING = 0.5  # m/s2, with which it comes to rest: 15 N along the path
LOST_DAMPING = 3.0  # N m s/rad
LOST_STIFFNESS = 4.0  # N m/rad, towards the shape in which it was lost
LOST_TORQUE = 3.0  # N m, most that both give
FADING = 0.1  # s, time constant with which the torque before fades


class SoftHold:
    """Brings the joints to rest in the shape in which they are, from the torque before."""

    def __init__(self, joints: int, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._joints = joints
        self._period = period
        self.reset()

    def reset(self) -> None:
        """Hold nothing."""
        self._torque = np.zeros(self._joints)
        self._shape: Array | None = None
        self._coast = 0.0  # m/s, at which the robot still moves on: stopping at once is a blow

    def record(self, torque: Array) -> None:
        """The torque of this tick, shape (n_joints,), N m, from which a hold would begin."""
        self._torque = torque

    def torque(self, position: Array, joint_rate: Array, along: Array, rate: float) -> Array:
        """Torques of one tick of the hold, shape (n_joints,), N m.

        Args:
            position, joint_rate: of the joints, as measured, shape (n_joints,), rad, rad/s.
            along: joint rates per rate along the path, shape (n_joints,), rad/m.
            rate: along the path, m/s.
        """
        if self._shape is None:
            self._shape, self._coast = position, rate
        step = BRAKING * self._period
        self._coast -= min(max(self._coast, -step), step)
        moving = along * self._coast
        self._shape = self._shape + self._period * moving
        self._torque = self._torque * (1 - self._period / FADING)
        held = LOST_STIFFNESS * (self._shape - position) - LOST_DAMPING * (joint_rate - moving)
        softly: Array = self._torque + np.clip(held, -LOST_TORQUE, LOST_TORQUE)
        return softly
