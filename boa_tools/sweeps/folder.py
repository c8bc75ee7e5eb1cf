# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The folder of a sweep: what is to be run, what has been run, and the table."""

import shutil
from pathlib import Path
from typing import Any

from boa_control.experiments.library import load_scenario
from boa_control.experiments.own_files import own_files
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError
from boa_tools.runs import results
from boa_tools.runs.results import write_scenario
from boa_tools.sweeps.definition import FORMAT, begin, go_on_by, read_definition, undamaged
from boa_tools.sweeps.plan import Axis, Plan

DEFINITION, WHAT = "sweep.json", "a sweep"
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
    """Make the folder, with the scenario and the file of its controller, or keep one of this very
    sweep.

    Raises:
        BoaError: it holds something else, or there is not room enough for the results.
    """

    def write(scratch: Path) -> None:
        _check_room(scratch, plan.total)
        write_scenario(scratch, plan.base)

    begin(
        directory / DEFINITION,
        definition(plan),
        WHAT,
        write,
        files=own_files(plan.base),
        remedy=go_on_by("sweep", directory),
    )


def load(directory: Path) -> Plan:
    """The sweep of a folder, with the scenario and the controller's file that lie in it.

    Raises:
        BoaError: it is no such folder, or damaged.
    """
    path = directory / DEFINITION
    known = read_definition(path, WHAT, ("scenario", "vary", "seeds"))
    with undamaged(path):
        axes = tuple(Axis(axis["key"], tuple(axis["values"])) for axis in known["vary"])
        if not (known["seeds"] and all(axis.values for axis in axes)):
            raise ValueError("nothing is to be run")
        return Plan(load_scenario(str(directory / results.SCENARIO)), axes, tuple(known["seeds"]))


def _check_room(directory: Path, runs: int) -> None:
    """Raise BoaError where the results would not fit."""
    free, needed = shutil.disk_usage(directory).free, runs * ROW_BYTES + REPORT_BYTES
    if free < needed:
        raise BoaError(
            f"'{directory.parent}' has {free / 1e6:.0f} MB left, {runs} runs need about "
            f"{needed / 1e6:.0f} MB; free some, or choose another --out"
        )


def summary_of(scenario: Scenario, plan: Plan) -> str:
    """One line about a sweep, for people."""
    keys = " and ".join(f"{axis.key} ({len(axis.values)} values)" for axis in plan.axes)
    return f"{scenario.summary.rstrip('.')}. Varied: {keys}; {len(plan.seeds)} seeds each."
