# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controllers, by name: those below, those of installed packages (entry points
`boa.controllers`), and those in a file of the user (`./limp.py:Limp`). See docs/adding.md.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from boa_control.controller import Briefing, Controller
from boa_control.controllers.left_out import make, parameters_of
from boa_description.errors import BoaError
from boa_description.registry import Registry
from boa_description.validation import validated

# name -> module of this package, and class with a nested pydantic `Parameters` and
# __init__(briefing, parameters)
CONTROLLERS: dict[str, str] = {
    "constant": "constant:ConstantTorque",
    "feeling": "feeling.controller:Feeling",
    "hoal": "hoal.controller:HoalController",
    "joint_pd": "joint_pd:JointPd",
    "manifold_rocking": "thesis.manifold_rocking:ManifoldRocking",
    "path_feedforward": "baselines.path_feedforward:PathFeedforward",
    "path_kinematic": "baselines.path_kinematic:PathKinematic",
    "path_pd": "baselines.path_pd:PathPd",
    "path_thesis": "baselines.path_thesis:PathThesis",
    "policy": "policy.controller:Policy",
    "shape_path": "shape_path.controller:ShapePath",
    "stretches": "stretches.controller:Stretches",
    "two_phase": "thesis.two_phase:TwoPhase",
    "undulation": "undulation.controller:Undulation",
    "vertical_undulation": "vertical_undulation:VerticalUndulation",
    "wall_grinding": "thesis.wall_grinding:WallGrinding",
    "weaving": "weaving.controller:Weaving",
    "west_asada": "thesis.west_asada:WestAsada",
}

REGISTRY = Registry(
    kind="controller",
    group="boa.controllers",
    shipped={name: f"{__name__}.{target}" for name, target in CONTROLLERS.items()},
    needs=("step",),
)


def controller_class(name: str) -> Any:
    """Return the class that `name` stands for.

    Raises:
        BoaError: unknown, cannot be imported, or not a controller.
    """
    chosen = REGISTRY.load(name)
    parameters = parameters_of(chosen)
    if not (isinstance(parameters, type) and issubclass(parameters, BaseModel)):
        raise BoaError(
            f"controller {name}: its Parameters are no pydantic model; derive from Block"
        )
    return chosen


def checked_parameters(name: str, parameters: Mapping[str, Any]) -> Any:
    """The controller's own `Parameters` from YAML. Raises BoaError as `make_controller` does;
    builds nothing.
    """
    return _checked(controller_class(name), name, parameters)


def make_controller(name: str, parameters: Mapping[str, Any], briefing: Briefing) -> Controller:
    """Make a controller from its YAML parameters.

    Raises:
        BoaError: unknown controller, or one that cannot be imported; unknown, missing or
            impossible parameter; one that cannot be made.
    """
    chosen = controller_class(name)
    return make(name, chosen, briefing, _checked(chosen, name, parameters))


def _checked(chosen: Any, name: str, parameters: Mapping[str, Any]) -> Any:
    return validated(parameters_of(chosen), dict(parameters), f"controller {name}")
