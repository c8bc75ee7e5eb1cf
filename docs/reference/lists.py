# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The shipped robots and gearboxes, the rooms of the code, the members of the plant contract and
the steps of commissioning.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from boa_control.plant.contract import Plant, Simulation
from boa_description.gearbox import gearbox_names, load_gearbox
from boa_description.load import load_robot, robot_names
from boa_tools.commission.step import Step
from boa_tools.commission.table import STEPS
from reference.markdown import plain, row

ROOT = Path(__file__).parents[2]
WIDTH = 100  # columns
PACKAGES = ("boa_description", "boa_control", "boa_sim", "boa_hardware", "boa_tools")


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


def step_pages() -> dict[str, Step]:
    """The steps in their order, by the name of their page."""
    return {f"commission_{n}_{step.name}.md": step for n, step in enumerate(STEPS, start=1)}


def steps() -> dict[str, list[str]]:
    """In their order, with a page for each."""
    rows = [
        row(f"[`{step.name}`]({page})", plain(step.summary)) for page, step in step_pages().items()
    ]
    return {"steps": ["| step | what it finds out |", "|---|---|", *rows]}


def step_page(step: Step) -> dict[str, list[str]]:
    """What its module says of a step, as paragraphs."""
    text = inspect.cleandoc(sys.modules[type(step).__module__].__doc__ or "")
    paragraphs = [textwrap.wrap(one, WIDTH) for one in text.split("\n\n")]
    return {"step": [line for lines in paragraphs for line in ("", *lines)][1:]}


def gearboxes() -> dict[str, list[str]]:
    """With their motor torque per commanded one, which makes the stall torque of boa13 come out."""
    stall = load_robot("boa13").actuator.torque_limit
    lines = [
        "| gearbox | what it is | k |",
        "|---|---|---|",
        row("`none`", "No friction but the viscous one", "1"),
        row("`coulomb`", "`actuator.coulomb`, whatever the load", "1"),
    ]
    for name in gearbox_names():
        gearbox = load_gearbox(name)
        factor = f"{gearbox.motor_per_command(stall):.2f}"
        lines.append(row(f"`{name}`", plain(gearbox.summary), factor))
    return {"gearboxes": lines}


def rooms() -> dict[str, list[str]]:
    """Every package with the first sentence of its docstring, in the order of dependencies."""
    lines = ["| room | concept |", "|---|---|"]
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("__init__.py")):
            text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
            sentence = re.split(r"\.(?=\s|$)", text)[0].replace("\n", " ")
            lines.append(row(f"`{file.parent.relative_to(ROOT)}/`", plain(sentence)))
    return {"rooms": lines}
