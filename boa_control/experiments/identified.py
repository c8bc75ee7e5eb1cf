# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a run has learnt of the gearboxes, as a file with which another one begins."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import yaml
from pydantic import Field, model_validator

from boa_control.controllers import controller_class
from boa_control.controllers.left_out import parameters_of
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import chosen_robot
from boa_control.experiments.scenario import Scenario
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Block
from boa_description.validation import validated
from boa_description.yaml_text import parse_mapping, read_text

BLOCK = "transmission"  # of the parameters of controllers that may begin with it


class Values(Block):
    """One number of every joint."""

    value: tuple[float, ...] = Field(min_length=1)
    std: tuple[float, ...] = Field(description="standard deviations")
    unit: Literal["1", "N m"]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if len(self.std) != len(self.value):
            raise ValueError(f"{len(self.value)} values and {len(self.std)} std; give as many")
        if min(self.std) <= 0:
            raise ValueError(f"a std of {min(self.std):g}; it must be above 0")
        return self


class Identified(Block):
    """The losses of the gearboxes of one robot, see `estimation.gearbox_losses`.

    Attributes:
        robot: its name. source: run, version and date. drive, back: a and c. base: b.
    """

    robot: str
    source: dict[str, Any] = Field(default_factory=dict)
    drive: Values
    back: Values
    base: Values


def identified(robot: str, debug: Mapping[str, Array], source: Mapping[str, Any]) -> str | None:
    """The file's text from the debug record of a run, name -> (T, n - 1); None where its controller
    has learnt nothing of gearboxes.
    """
    names = {"drive": ("drive", ""), "back": ("back", ""), "base": ("base", "_nm")}
    found: dict[str, Any] = {"robot": robot, "source": dict(source)}
    for name, (key, unit) in names.items():
        value, std = (debug.get(f"gearbox_{key}{what}{unit}") for what in ("", "_std"))
        if value is None or std is None:
            return None
        known = np.isfinite(value).all(axis=1) & np.isfinite(std).all(axis=1)
        if not known.any():
            return None
        last = int(np.flatnonzero(known)[-1])
        found[name] = {
            "value": value[last].round(4).tolist(),
            "std": std[last].round(4).tolist(),
            "unit": "N m" if unit else "1",
        }
    return yaml.safe_dump(found, sort_keys=False, default_flow_style=None)


def load_identified(path: Path) -> Identified:
    """Read such a file.

    Raises:
        BoaError: no such file, not YAML, a wrong key or value.
    """
    where = f"identified gearboxes {path}"
    return validated(Identified, parse_mapping(read_text(path), where), where)


def with_identified(scenario: Scenario, path: Path) -> Scenario:
    """The scenario, whose controller begins with what another run has learnt.

    Raises:
        BoaError: as `load_identified`; another robot, or a controller that has no use for it.
    """
    controller, known = scenario.controller.name, load_identified(path)
    if BLOCK not in parameters_of(controller_class(controller)).model_fields:
        raise BoaError(
            f"controller {controller} learns nothing of gearboxes, so {path} means nothing for it; "
            "leave it out"
        )
    robot = chosen_robot(scenario)
    parts = known.drive, known.back, known.base
    if known.robot != robot.name or {len(part.value) for part in parts} != {robot.joints}:
        raise BoaError(
            f"{path} is of {known.robot} with {len(known.drive.value)} joints, the scenario's "
            f"robot is {robot.name} with {robot.joints}; take a file of this robot"
        )
    key = f"controller.parameters.{BLOCK}"
    return changed(
        scenario,
        {
            f"{key}.prior": [part.value for part in parts],
            f"{key}.doubt": [part.std for part in parts],
        },
    )
