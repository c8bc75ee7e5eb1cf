# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The folder of a sweep: what is to be run, what has been run, and the table."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boa_control.experiments.library import load_scenario
from boa_control.experiments.own_files import own_files
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError
from boa_tools.runs import results
from boa_tools.runs.results import write_scenario
from boa_tools.sweeps.journal import FORMAT, damaged, read_definition
from boa_tools.sweeps.plan import Axis, Plan

DEFINITION = "sweep.json"
TABLE = "runs.parquet"

ROW_BYTES = 8_000  # of a run in journal and table together, rounded up
REPORT_BYTES = 20_000_000  # page and plots, rounded up


def definition(plan: Plan) -> dict[str, Any]:
    """The sweep as JSON."""
    return {
        "format": FORMAT,
        "scenario": plan.base.model_dump(mode="json", exclude_unset=True),
        "vary": [{"key": axis.key, "values": list(axis.values)} for axis in plan.axes],
        "seeds": list(plan.seeds),
    }


def create(directory: Path, plan: Plan) -> None:
    """Make the folder with its definition, and the scenario with the file of its controller.

    Raises:
        BoaError: there is not room enough for the results.
    """
    _check_room(directory, plan.total)
    with results.staged(directory) as scratch:
        write_scenario(scratch, plan.base)
        results.write_json(scratch / DEFINITION, definition(plan))


def is_sweep(directory: Path) -> bool:
    """Whether the folder is that of a sweep."""
    return (directory / DEFINITION).is_file()


def load(directory: Path) -> Plan:
    """The sweep of a folder, with the scenario and the controller's file that lie in it.

    Raises:
        BoaError: it is no such folder, or damaged.
    """
    known = _read(directory)
    axes = tuple(Axis(axis["key"], tuple(axis["values"])) for axis in known["vary"])
    base = load_scenario(str(directory / results.SCENARIO))
    return Plan(base, axes, tuple(known["seeds"]))


def require_same(directory: Path, plan: Plan) -> None:
    """Raise BoaError unless the folder belongs to exactly this sweep."""
    known, given = _read(directory), json.loads(json.dumps(definition(plan)))
    remedy = f"choose another --out, or go on with: boa sweep resume {directory}"
    for key in ("scenario", "vary", "seeds"):
        if known[key] != given[key]:
            other = _difference(known, given, key)
            raise BoaError(f"'{directory}' holds another sweep, whose {other}; {remedy}")
    for file in own_files(plan.base):
        if file.read_bytes() != (directory / file.name).read_bytes():
            raise BoaError(f"'{file}' is not what it was when '{directory}' began; {remedy}")


def _difference(known: Mapping[str, Any], given: Mapping[str, Any], key: str) -> str:
    if key == "vary":
        return f"varied keys or values differ ({_axes(known)}; here {_axes(given)})"
    if key == "seeds":
        return f"seeds differ ({_span(known)}; here {_span(given)})"
    return f"scenario is {_first_difference(known[key], given[key])}"


def _axes(data: Mapping[str, Any]) -> str:
    return ", ".join(f"{axis['key']} with {len(axis['values'])} values" for axis in data["vary"])


def _span(data: Mapping[str, Any]) -> str:
    return f"{data['seeds'][0]} to {data['seeds'][-1]}"


def _first_difference(known: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    if known.get("name") != given.get("name"):
        return f"{known.get('name')}, not {given.get('name')}"
    keys = [key for key in {**known, **given} if known.get(key) != given.get(key)]
    return f"{known.get('name')} with another {keys[0]}"


def _read(directory: Path) -> dict[str, Any]:
    path = directory / DEFINITION
    known = read_definition(path, "a sweep", ("scenario", "vary", "seeds"))
    if not (known["seeds"] and all(axis["values"] for axis in known["vary"])):
        raise damaged(path)
    return known


def _check_room(directory: Path, runs: int) -> None:
    """Raise BoaError where the results would not fit."""
    parent = directory.absolute()
    while not parent.exists():
        parent = parent.parent
    free, needed = shutil.disk_usage(parent).free, runs * ROW_BYTES + REPORT_BYTES
    if free < needed:
        raise BoaError(
            f"'{parent}' has {free / 1e6:.0f} MB left, {runs} runs need about "
            f"{needed / 1e6:.0f} MB; free some, or choose another --out"
        )


def summary_of(scenario: Scenario, plan: Plan) -> str:
    """One line about a sweep, for people."""
    keys = " and ".join(f"{axis.key} ({len(axis.values)} values)" for axis in plan.axes)
    return f"{scenario.summary.rstrip('.')}. Varied: {keys}; {len(plan.seeds)} seeds each."
