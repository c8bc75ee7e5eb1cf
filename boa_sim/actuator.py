# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The servo as a torque source: current limit and counts, current loop, heating.

Friction and backlash of the gearbox act in the physics, between this torque and the joint; as on
the robot, `effort` is what the motor's current counts for, not what reaches the link.
"""

import math

import numpy as np

from boa_control.experiments.scenario import Effects
from boa_description.arrays import Array
from boa_description.robot import Actuator

AMBIENT = 25.0  # degC


class Servos:
    """How torques become currents and back, with the effects that act."""

    def __init__(self, actuator: Actuator, effects: Effects) -> None:
        # an array, as numpy would make a plain number one at every tick
        self._constant = np.array(actuator.torque_constant)
        self._limit = actuator.current_limit if effects.on("current_limit") else math.inf
        self._quantum = actuator.current_quantum if effects.on("current_quantisation") else 0.0

    def commanded(self, torque: Array) -> Array:
        """Goal torque for a commanded `torque` (n_joints,), N m: within the current limit, in
        counts.
        """
        current = torque / self._constant
        if self._limit < math.inf:
            current = np.clip(current, -self._limit, self._limit)
        if self._quantum:
            # towards zero, as the integer conversion of a Goal Current word: never more than
            # commanded
            current = np.trunc(current / self._quantum + np.sign(current) * 1e-9) * self._quantum
        return current * self._constant

    def measured(self, torque: Array) -> Array:
        """Effort as the servos report it: the motor's current in counts times the torque constant,
        N m.
        """
        if not self._quantum:
            return torque
        count = self._constant * self._quantum
        return np.round(torque / count) * count


class CurrentLoop:
    """First-order answer of motor currents to commanded ones."""

    def __init__(self, lag: float, step: float) -> None:
        """`lag`: time constant, 0 for none; `step`: between two calls of `follow`; s."""
        self._kept = math.exp(-step / lag) if lag > 0 else 0.0

    def follow(self, torque: Array, target: Array) -> Array:
        """Torque one step after `torque`, both (n_joints,), N m, while `target` is commanded."""
        return target + self._kept * (torque - target) if self._kept else target


def heated(temperature: Array, torque: Array, actuator: Actuator, period: float) -> Array:
    """Temperature after `period` s, degC: copper loss R I^2 into a first-order thermal model, exact
    step.
    """
    loss = actuator.winding_resistance * (torque / actuator.torque_constant) ** 2
    final = AMBIENT + actuator.thermal_resistance * loss
    return final + (temperature - final) * np.exp(-period / actuator.thermal_time_constant)
