# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""docs/hoal_tuning.md lists every constant of a module that `hoal` uses, with its value.
The page is generated (docs/tables.py); here constants are found a second way.
"""

from __future__ import annotations

import dataclasses
import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

from test.script import loaded

PAGE = Path(__file__).parents[4] / "docs" / "hoal_tuning.md"
CODE = Path(__file__).parents[4] / "boa_control"
ROW = re.compile(r"^- `(?P<name>[\w/.]+)` = (?P<value>[\d.e+, -]+)[^:]*: (?P<why>.+)")
HOAL = "controllers/hoal"
SHARED = loaded(PAGE.parent / "tables.py").SHARED
numbers = loaded(PAGE.parent / "reference" / "constants.py").numbers
NOT_TUNED = {  # codes of the solver
    "compiled/qp.EQUAL",
    "compiled/qp.SOFT",
    "compiled/qp.UNBOUNDED",
}


def own_constants(module: ModuleType, prefix: str) -> dict[str, list[float]]:
    """Constants that the module itself assigns, not those that it imports."""
    assigned = set(re.findall(r"^([A-Z][A-Z_]+)\b.*=", source(module), re.MULTILINE))
    assigned |= {
        name
        for line in re.findall(r"^([A-Z][A-Z_, ]+) = ", source(module), re.MULTILINE)
        for name in line.split(", ")
    }
    found = {f"{prefix}.{name}": numbers(getattr(module, name)) for name in assigned}
    return {name: value for name, value in found.items() if value and name not in NOT_TUNED}


def source(module: ModuleType) -> str:
    assert module.__file__ is not None
    return Path(module.__file__).read_text(encoding="utf-8")


def constants() -> dict[str, list[float]]:
    """Of all modules of `hoal` and those that it shares."""
    room = CODE / HOAL
    names = [str(file.relative_to(CODE).with_suffix("")) for file in sorted(room.rglob("[!_]*.py"))]
    found: dict[str, list[float]] = {}
    for name in [*names, *SHARED]:
        module = importlib.import_module(f"boa_control.{name.replace('/', '.')}")
        found |= own_constants(module, name.removeprefix("controllers/") if name in names else name)
    weights = importlib.import_module("boa_control.optimisation.contact_qp").Weights()
    for field in dataclasses.fields(weights):
        found[f"optimisation/contact_qp.Weights.{field.name}"] = numbers(
            getattr(weights, field.name)
        )
    return found


CONSTANTS = constants()
SHARED_PART = PAGE.read_text(encoding="utf-8").partition("## Constants of modules")[2]
ROWS = {
    match["name"]: match for match in map(ROW.match, SHARED_PART.splitlines()) if match is not None
}


@pytest.mark.parametrize("name", sorted(CONSTANTS))
def test_every_constant_has_a_row_with_its_value_and_reason(name: str) -> None:
    assert name in ROWS, f"docs/hoal_tuning.md lacks `{name}` = {CONSTANTS[name]}"
    row = ROWS[name]
    assert [float(value) for value in row["value"].split(",")] == CONSTANTS[name]
    assert len(row["why"]) > 10


def test_every_row_is_a_constant() -> None:
    assert set(ROWS) == set(CONSTANTS)
