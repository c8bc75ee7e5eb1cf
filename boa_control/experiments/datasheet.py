"""The same scenario with the sensors and servos of the data sheets, at the rate of the robot."""

from __future__ import annotations

from boa_control.controllers import controller_class
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import chosen_robot
from boa_control.experiments.scenario import Scenario

RATE = 200.0  # Hz, of the robot's control ticks
FRICTION = "coulomb"  # parameter of controllers that may know it beforehand


def with_datasheet(scenario: Scenario) -> Scenario:
    """Every effect of the data sheets acts, at 200 Hz. A controller that may know the dry friction
    of the gearboxes beforehand is told that of the robot, unless the scenario tells it.

    Raises:
        BoaError: unknown robot or controller, or a physics step that does not suit the rate.
    """
    changes: dict[str, object] = {
        "plant.control_rate": RATE,
        "plant.effects.fidelity": "datasheet",
    }
    controller = scenario.controller
    told = FRICTION in controller.parameters
    if not told and FRICTION in controller_class(controller.name).Parameters.model_fields:
        changes[f"controller.parameters.{FRICTION}"] = chosen_robot(scenario).actuator.coulomb
    return changed(scenario, changes)
