# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The servo as a torque source: current limit and counts, current loop, heating.

Friction and backlash of the gearbox act in the physics, between this torque and the joint; as on
the robot, `effort` is what the motor's current counts for, not what reaches the link.

From the gearboxes that a scenario chooses to those of every joint.
"""

import math

import numpy as np

from boa_control.experiments.scenario import Effects, GearboxEffect
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.gearbox import NONE, load_gearbox
from boa_description.robot import COULOMB, Actuator, Robot
from boa_sim.streams import stream
from boa_sim.world import LoadedGears

AMBIENT = 25.0  # degC


def dry_friction(robot: Robot, effect: GearboxEffect) -> float:
    """Friction of every gearbox that does not ask for the load, N m."""
    return robot.actuator.coulomb if _model(robot, effect) == COULOMB else 0.0


def backlash(robot: Robot, effect: GearboxEffect) -> float:
    """Way from one flank to the other, rad: as given, else the robot's for the robot's gearbox."""
    if effect.backlash is not None:
        return effect.backlash
    return robot.actuator.gearbox.backlash if effect.model is None else 0.0


def loaded_gears(robot: Robot, effect: GearboxEffect, seed: int) -> LoadedGears | None:
    """Gearboxes whose friction grows with the load, each joint's drawn from `seed`; None where
    there are none.

    Raises:
        BoaError: an unknown gearbox, or one that locks itself or a spread without one that could.
    """
    model = _model(robot, effect)
    spread = effect.spread or effect.calibration_spread
    if model in (NONE, COULOMB):
        if spread:
            raise BoaError(
                "plant.effects.gearbox: spread is of gearboxes that lose with their load, not of "
                f"'{model}'; leave it out, or set model: g20"
            )
        return None
    nominal, calibration = load_gearbox(model).of_each(robot.joints, robot.actuator.torque_limit)
    draw = _factors(seed, "gearbox_losses", effect.spread, robot.joints)
    friction = nominal.scaled(draw)
    rest = friction.at(0.0)
    most = float(np.max(np.maximum(rest.motor, rest.load)))
    if most >= 1:
        raise BoaError(
            f"plant.effects.gearbox.spread {effect.spread:g}: a joint of model {model} would lose "
            f"{most:.2f} of its torque and lock itself; lower it"
        )
    off = _factors(seed, "gearbox_calibration", effect.calibration_spread, robot.joints)
    return LoadedGears(friction, calibration * off)


def _model(robot: Robot, effect: GearboxEffect) -> str:
    return robot.actuator.gearbox.model if effect.model is None else effect.model


def _factors(seed: int, name: str, spread: float, joints: int) -> Array:
    """Factor of every joint, uniform in 1 +- spread."""
    return 1 + stream(seed, name).uniform(-spread, spread, joints)


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
