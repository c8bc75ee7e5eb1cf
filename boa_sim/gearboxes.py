# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From the gearboxes that a scenario chooses to those of every joint."""

import numpy as np

from boa_control.experiments.scenario import GearboxEffect
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.gearbox import NONE, load_gearbox
from boa_description.robot import COULOMB, Robot
from boa_sim.streams import stream
from boa_sim.world import LoadedGears


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
