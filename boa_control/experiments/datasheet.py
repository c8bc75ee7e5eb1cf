# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The same scenario with the sensors and servos of the data sheets, at the rate of the robot."""

from collections.abc import Mapping

from boa_control.controllers import checked_parameters, controller_class
from boa_control.controllers.left_out import parameters_of
from boa_control.controllers.stretches.settings import Parameters as Stretches
from boa_control.experiments.change import PARAMETERS, changed
from boa_control.experiments.scenario import Scenario
from boa_control.paths.settings import PathSettings

RATE = 200.0  # Hz, of the robot's control ticks
# of `hoal` on planned paths with ideal sensors, as `boa plan path` writes them: forces that change
# from tick to tick press the contacts, so joints move that a rigid contact would hold; unfiltered,
# K_d of that makes the forces swing from tick to tick
IDEAL_GAINS: Mapping[str, float] = {"error_filter": 0.005}
# of `hoal`, whose sensors are late: shape errors that are corrected as fast as with ideal ones, or
# filtered, make the body swing where contacts can hardly push along the way
LATE_GAINS: Mapping[str, float] = {"stiffness": 50.0, "damping": 20.0}
PLANNED_GAINS: Mapping[str, float] = {**LATE_GAINS, "error_filter": 0.0}


def with_datasheet(scenario: Scenario) -> Scenario:
    """Every effect of the data sheets acts, at 200 Hz. A controller that has gains of the shape
    gets those for late sensors on a path among posts that the map has at their places, and on
    planned ones, there also in place of those that `boa plan path` wrote for ideal sensors.

    Raises:
        BoaError: unknown controller, or a physics step that does not suit the rate.
    """
    changes: dict[str, object] = {
        "plant.control_rate": RATE,
        "plant.effects.fidelity": "datasheet",
    }
    controller = scenario.controller
    changes |= _gains(controller.name, controller.parameters, scenario.path, PARAMETERS)
    parameters = checked_parameters(controller.name, controller.parameters)
    if isinstance(parameters, Stretches):
        for k, one in enumerate(parameters.stretches):
            where = f"{PARAMETERS}.stretches.{k}.parameters"
            changes |= _gains(one.controller, one.parameters, one.path, where)
    return changed(scenario, changes)


def _gains(
    controller: str, given: Mapping[str, object], path: PathSettings | None, where: str
) -> dict[str, object]:
    """The gains of a controller on a path as changes below the key `where`."""
    gains: Mapping[str, object] = {}
    if path is not None and path.kind == "segments":
        gains = PLANNED_GAINS
    elif path is not None and not given.get("map_error"):
        gains = LATE_GAINS
    known = parameters_of(controller_class(controller)).model_fields
    return {
        f"{where}.{name}": value
        for name, value in gains.items()
        if name in known and given.get(name) in (None, IDEAL_GAINS.get(name))
    }
