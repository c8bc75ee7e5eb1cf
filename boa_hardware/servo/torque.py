# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Motor current, motor torque and joint torque: constant, Coulomb and viscous friction per joint.

    tau_m = k (i - i0)
    tau = tau_m - tau_c s(omega) - b omega,     s(omega) = tanh(omega / omega_s)

tau is the torque the joint gives to the links, tau_m that of the motor behind its gears before
friction, k the torque constant, i0 the current sensor's zero.
s is a smooth sign: a joint at rest gets no friction, since the sign of stiction cannot be known
from the current. The only published figure is the stall ratio 6.4 N m / 2.4 A = 2.667 N m/A
(XH540-V150-R, e-manual); the rest is identified (`boa_hardware.servo.identify`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from pydantic import Field

from boa_description.arrays import Array
from boa_description.robot import (
    Ampere,
    Block,
    NewtonMetre,
    NewtonMetrePerAmpere,
    NewtonMetreSecond,
    Ratio,
)
from boa_hardware.servo.registers import VELOCITY

STALL_CONSTANT = 6.4 / 2.4  # N m/A


class TorqueModel(Block):
    """Calibration of one joint's motor."""

    constant: NewtonMetrePerAmpere = Field(
        default=STALL_CONSTANT, gt=0, le=20, description="default: the published stall ratio"
    )
    coulomb: NewtonMetre = Field(default=0.0, ge=0, le=3, description="dry friction")
    viscous: NewtonMetreSecond = Field(default=0.0, ge=0, le=3, description="viscous friction")
    current_offset: Ampere = Field(
        default=0.0, ge=-0.2, le=0.2, description="zero of the current sensor"
    )
    compensation: Ratio = Field(
        default=0.0,
        ge=0,
        le=1,
        description="share of the friction that the motor torque compensates; 0 is the safe choice",
    )


@dataclass(frozen=True, slots=True)
class TorqueMap:
    """The torque models of all joints as arrays of shape (n_joints,), SI units."""

    constant: Array
    coulomb: Array
    viscous: Array
    current_offset: Array
    compensation: Array

    @classmethod
    def of(cls, models: Sequence[TorqueModel]) -> Self:
        """Collect the models of joints in order."""
        return cls(
            *(np.array([getattr(model, name) for model in models]) for name in cls.__slots__)
        )

    def friction(self, velocity: Array) -> Array:
        """Friction torque that opposes `velocity` (rad/s), N m."""
        return self.coulomb * smooth_sign(velocity) + self.viscous * velocity

    def torque(self, current: Array, velocity: Array) -> Array:
        """Joint torque, N m, from measured current (A) and velocity (rad/s). NaN stays NaN."""
        return self.constant * (current - self.current_offset) - self.friction(velocity)

    def motor_torque(self, torque: Array, velocity: Array) -> Array:
        """Motor torque, N m, for a commanded joint torque (N m), with the configured share of
        friction compensated, but by no more than the command itself: one that the torque gate has
        cut to zero stays zero, and none turns round.
        """
        most = np.abs(torque)
        return torque + np.clip(self.compensation * self.friction(velocity), -most, most)

    def current(self, motor_torque: Array) -> Array:
        """Goal current, A, that gives a motor torque (N m)."""
        return motor_torque / self.constant + self.current_offset


def smooth_sign(velocity: Array) -> Array:
    """tanh of the velocity in counts of Present Velocity: odd, 0 at rest, within 4 % of +-1 from
    two counts.
    """
    return np.tanh(velocity / VELOCITY)
