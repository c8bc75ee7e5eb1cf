# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Relief of loaded joints: one part for every controller that keeps joint forces below a limit
without a model of the contacts.

A body that is squeezed between posts carries forces in proportion to its torques. So where a joint
force nears its limit, the torques of the joints around it are cut until it is no longer so:

    g_i = largest measured force component within `reach` joints of joint i
    share_i -> 1 - (1 - least) clip((g_i - soft) / (hard - soft), 0, 1)
    |tau_i| <= share_i torque

The share falls at once and recovers with the time constant `recovery`. The blow of a link that
meets a post is over before the next sample of the sensors; only slow motion, or a soft post, helps
against it (docs/shape_control.md has the measurements).
"""

import math
from typing import Self

import numpy as np
from pydantic import Field, model_validator

from boa_control.controller import ControlOutput
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Block, Newton, NewtonMetre, Ratio, Second


class ReliefSettings(Block):
    """From which joint force on torque is taken away, and how much."""

    soft: Newton = Field(default=15.0, ge=0, description="from which torque is taken away")
    hard: Newton = Field(default=40.0, gt=0, description="at which only `least` is left")
    least: Ratio = Field(default=0.1, ge=0, le=1, description="share of the torque that stays")
    torque: NewtonMetre | None = Field(
        default=None, gt=0, description="of an unloaded joint; none: the limit of the robot"
    )
    reach: int = Field(default=4, ge=0, description="joints on either side that a load acts on")
    recovery: Second = Field(default=0.1, ge=0, description="time constant of the way back")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.soft >= self.hard:
            raise ValueError(
                f"soft is {self.soft:g} N and hard {self.hard:g} N; torque is taken away between "
                "them, so give a soft that is smaller"
            )
        return self


def desired_shares(force: Array, settings: ReliefSettings) -> Array:
    """Share of its torque that is left to every joint, shape (n_joints,).

    Args:
        force: measured joint forces, shape (n_joints, 3), N.
    """
    load = np.abs(force).max(axis=1)
    joint = np.arange(load.size)
    near = np.abs(joint - joint[:, None]) <= settings.reach
    around = np.where(near, load, 0.0).max(axis=1)
    depth = (around - settings.soft) / (settings.hard - settings.soft)
    shares: Array = 1.0 - (1.0 - settings.least) * np.clip(depth, 0.0, 1.0)
    return shares


class Relief:
    """Cuts the torques of a controller, tick by tick.

    Attributes:
        shares: of the torque of every joint that is left, shape (n_joints,).
    """

    def __init__(
        self, settings: ReliefSettings, joints: int, torque_limit: float, period: float
    ) -> None:
        """`torque_limit` of the robot in N m, control period in s."""
        self._settings = settings
        self._joints = joints
        self._torque = torque_limit if settings.torque is None else settings.torque
        self._recovered = -math.expm1(-period / settings.recovery) if settings.recovery else 1.0
        self.reset()

    def reset(self) -> None:
        """Nothing is loaded."""
        self.shares = np.ones(self._joints)
        self._force = np.zeros((self._joints, 3))

    def reduced(self, output: ControlOutput, frame: SensorFrame) -> ControlOutput:
        """The output with its torques cut, and the shares among its debug values."""
        if frame.joint_force is not None:
            force = frame.joint_force.force
            # a sensor that falls silent does not unload its joint
            self._force = np.where(np.isfinite(force), force, self._force)
            desired = desired_shares(self._force, self._settings)
            recovering = self.shares + self._recovered * (desired - self.shares)
            self.shares = np.where(desired < self.shares, desired, recovering)
        most = self.shares * self._torque
        return output._replace(
            torque=np.clip(output.torque, -most, most),
            debug={**output.debug, "relief_share": self.shares},
        )
