# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction of a gearbox that grows with the load: models M1 to M5 of Duclusaud, Passault et al.,
*Extended Friction Models for the Physics Simulation of Servo Actuators*, ICRA 2025. Pure functions.

With motor torque t behind the gears, joint rate w and the torque L that reaches the link,

    L = t - F - d w - I w',    |F| <= b + |lm t + le L| + s (b_s + |lms t + les L|),
    s = exp(-(|w| / w_s)^a),

F against the motion. A joint *drives* where L is along the motion, and is *driven back* where it is
against it; between the two torques that it then passes on it stands still, and L may be anything.
d and I are viscous friction and rotor inertia, which are not of this module.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array

Number = float | Array


class GearboxFriction(NamedTuple):
    """Coefficients of one gearbox, or of all joints as arrays (n_joints,). M1 to M5 are the cases
    in which some are zero: M1 has `base` alone, M2 also the first of the Stribeck zone, M3 and M4
    equal shares of motor and load, M5 all.

    Attributes:
        base: b, N m. motor, load: lm and le, shares of motor torque and load.
        stribeck, stribeck_motor, stribeck_load: b_s (N m), lms, les: what is added at rest.
        stribeck_rate: w_s, rad/s, at which 37 % of that is left.
        stribeck_shape: a, exponent of its decline.
    """

    base: Number
    motor: Number = 0.0
    load: Number = 0.0
    stribeck: Number = 0.0
    stribeck_motor: Number = 0.0
    stribeck_load: Number = 0.0
    stribeck_rate: Number = 1.0
    stribeck_shape: Number = 1.0

    def limit(self, motor: Array, load: Array, rate: Array) -> Array:
        """Largest friction, N m, at motor torque and load, N m, and joint rate, rad/s."""
        zone = self.zone(rate)
        constant: Array = np.abs(self.motor * motor + self.load * load)
        at_rest = np.abs(self.stribeck_motor * motor + self.stribeck_load * load)
        return self.base + constant + zone * (self.stribeck + at_rest)

    def zone(self, rate: Array) -> Array:
        """How far the Stribeck parts count at a joint rate, rad/s: 1 at rest, to 0."""
        share: Array = np.exp(-((np.abs(rate) / self.stribeck_rate) ** self.stribeck_shape))
        return share

    def at(self, rate: Number) -> GearboxFriction:
        """The friction at one joint rate, rad/s, as one without a Stribeck zone."""
        zone = self.zone(np.asarray(rate, float))
        return GearboxFriction(
            self.base + zone * self.stribeck,
            self.motor + zone * self.stribeck_motor,
            self.load + zone * self.stribeck_load,
        )

    def driving(self, motor: Number, rate: Number = 0.0) -> Array:
        """Torque passed on, N m, by a joint that moves, or begins to move, with its motor's torque;
        0 where the motor cannot move it.
        """
        here = self.at(rate)
        passed = (np.abs(motor) * (1 - here.motor) - here.base) / (1 + here.load)
        return np.sign(motor) * np.maximum(passed, 0.0)

    def driven_back(self, motor: Number, rate: Number = 0.0) -> Array:
        """Torque passed on, N m, by a joint that its load moves against its motor's torque."""
        here = self.at(rate)
        passed: Array = (np.abs(motor) * (1 + here.motor) + here.base) / (1 - here.load)
        return np.where(np.asarray(motor) < 0, -passed, passed)

    def calibration(self, stall: float) -> float:
        """Motor torque per commanded torque: with it the stall torque of the data sheet, `stall`,
        N m, comes out at stall. That torque over the stall current is what a command counts with.
        """
        rest = self.at(0.0)
        needed = stall * (1 + rest.load) + rest.base
        return float(needed / (stall * (1 - rest.motor)))

    def scaled(self, factor: Number) -> GearboxFriction:
        """Every loss times `factor`, a number or an array (n_joints,)."""
        losses = (factor * np.asarray(loss) for loss in self[:6])
        return GearboxFriction._make((*losses, self.stribeck_rate, self.stribeck_shape))
