# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The shipped robots, the members of the plant contract and the steps of commissioning."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from boa_control.plant.contract import Plant, Simulation
from boa_description.load import load_robot, robot_names
from boa_tools.commission.table import STEPS
from reference.markdown import plain, row


def robots() -> dict[str, list[str]]:
    """With links, length, mass and what they are."""
    lines = ["| robot | links | length | mass | what it is |", "|---|---|---|---|---|"]
    for name in robot_names():
        robot = load_robot(name)
        size = (str(robot.links), f"{robot.length:.4g} m", f"{robot.mass:.4g} kg")
        lines.append(row(f"`{name}`", *size, plain(robot.summary)))
    return {"robots": lines}


def contract() -> dict[str, list[str]]:
    """Every member of what a plant and a simulation keep."""
    return {"plant": _members(Plant), "simulation": _members(Simulation)}


def _members(protocol: type) -> list[str]:
    lines = [f"| member of `{protocol.__name__}` | meaning |", "|---|---|"]
    for name, member in vars(protocol).items():
        if not name.startswith("_"):
            call = "" if isinstance(member, property) else _call(member)
            lines.append(row(f"`{name}{call}`", plain(_sentence(member))))
    return lines


def _call(member: Callable[..., Any]) -> str:
    _, *arguments = inspect.signature(member).parameters
    return f"({', '.join(arguments)})"


def _sentence(member: Any) -> str:
    text = (inspect.getdoc(member) or "").partition("\n\n")[0].replace("\n", " ")
    return text.removesuffix(".")


def steps() -> dict[str, list[str]]:
    """In their order."""
    rows = [row(f"`{step.name}`", plain(step.summary)) for step in STEPS]
    return {"steps": ["| step | what it finds out |", "|---|---|", *rows]}
