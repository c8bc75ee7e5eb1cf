"""The controllers, by name. Adding one: a module with a class and its `Parameters`, and a line in
`CONTROLLERS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from pydantic import ValidationError

from boa_control.controller import Briefing, Controller
from boa_description.errors import unknown_name
from boa_description.validation import explain

# name -> "module:Class"; the class has a nested pydantic `Parameters` and __init__(briefing,
# parameters)
CONTROLLERS: dict[str, str] = {
    "constant": "constant:ConstantTorque",
    "hoal": "hoal.controller:HoalController",
    "joint_pd": "joint_pd:JointPd",
    "manifold_rocking": "thesis.manifold_rocking:ManifoldRocking",
    "path_feedforward": "baselines.path_feedforward:PathFeedforward",
    "path_kinematic": "baselines.path_kinematic:PathKinematic",
    "path_pd": "baselines.path_pd:PathPd",
    "path_thesis": "baselines.path_thesis:PathThesis",
    "two_phase": "thesis.two_phase:TwoPhase",
    "wall_grinding": "thesis.wall_grinding:WallGrinding",
    "west_asada": "thesis.west_asada:WestAsada",
}


def controller_class(name: str) -> Any:
    """Return the class registered under `name`. Raises BoaError with the valid names."""
    if name not in CONTROLLERS:
        raise unknown_name("controller", name, CONTROLLERS)
    module, _, attribute = CONTROLLERS[name].partition(":")
    return getattr(import_module(f"boa_control.controllers.{module}"), attribute)


def checked_parameters(name: str, parameters: Mapping[str, Any]) -> Any:
    """The controller's own `Parameters` from YAML. Raises BoaError as `make_controller` does;
    builds nothing.
    """
    chosen = controller_class(name)
    try:
        return chosen.Parameters.model_validate(dict(parameters))
    except ValidationError as error:
        raise explain(error, chosen.Parameters, f"controller {name}") from error


def make_controller(name: str, parameters: Mapping[str, Any], briefing: Briefing) -> Controller:
    """Make a controller from its YAML parameters.

    Raises:
        BoaError: unknown controller; unknown, missing or impossible parameter.
    """
    controller: Controller = controller_class(name)(briefing, checked_parameters(name, parameters))
    return controller
