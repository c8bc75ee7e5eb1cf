# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constants of `hoal`: of its rooms from their blocks, of modules from the comments beside them."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from boa_control.controllers.hoal.constant import Room
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.optimisation.contact_qp import Weights
from boa_description.validation import unit_of
from reference.markdown import item, lower, plain

CODE = Path(__file__).parents[2] / "boa_control"
HOAL = "controllers/hoal"
SHARED = (  # modules of other rooms that hoal uses
    "controllers/speed_reference",
    "estimation/gaps",
    "estimation/end_forces",
    "estimation/floor_tilt",
    "estimation/friction",
    "estimation/gearbox_losses",
    "estimation/opposite_forces",
    "estimation/touch_points",
    "estimation/touched_posts",
    "estimation/progress",
    "estimation/sideways_balance",
    "estimation/start_search",
    "estimation/stuck_sensors",
    "compiled/chain",
    "compiled/gaps",
    "compiled/on_path",
    "compiled/qp",
    "compiled/rows",
    "model/contact_schedule",
    "model/contact_set",
    "model/grid",
    "model/kept_contacts",
    "model/path_model",
    "model/pattern",
    "model/reference",
    "optimisation/balance",
    "optimisation/contact_qp",
    "optimisation/equilibrium",
    "optimisation/speed_profile",
)
CODES = {  # of the solver: no numbers of ours
    "compiled/qp.EQUAL",
    "compiled/qp.SOFT",
    "compiled/qp.UNBOUNDED",
}
UNITS = "rad/m|rad/s|rad|m2/s2|m/s2|m/s|m2|m|N m s|N m|N s|N|s"
# how comments begin that say a unit
UNIT = re.compile(
    rf"^({UNITS})(?:[,;] | (?=(?:of|from|along|before|beyond|above|below|on|between)\b))"
)
ATTRIBUTE = re.compile(r"^    (\w+): (.*\n?(?: {8}.*\n?)*)", re.MULTILINE)


def room_constants() -> dict[str, list[str]]:
    """Room -> its constants and what follows from them."""
    return {name: [line for one in _of_room(name, room) for line in one] for name, room in SHIPPED}


def _of_room(name: str, room: Room) -> Iterator[list[str]]:
    kind = type(room)
    for key, field in kind.model_fields.items():
        extra = field.json_schema_extra
        scale = extra["scale"] if isinstance(extra, dict) else ""
        unit = unit_of(field)
        value = f"{getattr(room, key):g}" + ("" if unit in (None, "1") else f" {unit}")
        tied = f" *Scale: {scale}.*" if scale else ""
        yield item(f"`{name}.{key}` = {value}", f"{plain(field.description or '')}.{tied}")
    for key, follows in vars(kind).items():
        if isinstance(follows, property):
            why = lower(" ".join((follows.__doc__ or "").split()).rstrip("."))
            yield item(f"`{name}.{key}` = {getattr(room, key):g}, follows", f"{plain(why)}.")


def module_constants() -> dict[str, list[str]]:
    """All others, by module."""
    own = sorted((CODE / HOAL).rglob("[!_]*.py"))
    names = [str(file.relative_to(CODE).with_suffix("")) for file in own]
    lines = [
        line
        for name in (*names, *SHARED)
        for key, value, why in constants(
            importlib.import_module(f"boa_control.{name.replace('/', '.')}")
        )
        if f"{name}.{key}" not in CODES
        for line in _constant(f"{name.replace(HOAL, 'hoal', 1)}.{key}", value, why)
    ]
    said = dict(ATTRIBUTE.findall(inspect.getdoc(Weights) or ""))
    for field in dataclasses.fields(Weights):
        name = f"optimisation/contact_qp.Weights.{field.name}"
        lines += _constant(name, [getattr(Weights(), field.name)], said[field.name].rstrip(".\n"))
    return {"modules": lines}


def _constant(name: str, values: list[float], why: str) -> list[str]:
    found = UNIT.match(why)
    unit = f" {found[1]}" if found else ""
    said = why[found.end() :] if found else why
    return item(f"`{name}` = {', '.join(map(written, values))}{unit}", f"{plain(said)}.")


def written(value: float) -> str:
    """A number as it is read best, and exactly."""
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def constants(module: ModuleType) -> Iterator[tuple[str, list[float], str]]:
    """Name, numbers and comment of each constant that a module itself assigns."""
    source = Path(inspect.getfile(module)).read_text(encoding="utf-8")
    lines = source.splitlines()
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            for part in ast.walk(target):
                name = part.id if isinstance(part, ast.Name) else ""
                values = numbers(getattr(module, name, None))
                if re.fullmatch(r"[A-Z][A-Z_]+", name) and values:
                    yield name, values, _comment(lines, node)


def _comment(lines: list[str], node: ast.stmt) -> str:
    """Beside an assignment, else in the lines right above it."""
    end = node.end_lineno or node.lineno
    beside = [line.partition("# ")[2] for line in lines[node.lineno - 1 : end] if "# " in line]
    above = []
    for line in reversed(lines[: node.lineno - 1]):
        if not line.startswith("# "):
            break
        above.insert(0, line[2:])
    return " ".join(beside or above).rstrip(".")


def numbers(value: object) -> list[float]:
    """A number, or the numbers of a small record; empty for anything else."""
    if isinstance(value, bool):
        return []
    if isinstance(value, int | float):
        return [float(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [number for part in dataclasses.astuple(value) for number in numbers(part)]
    return []
