"""A set of scenarios, run one by one or side by side, and compared."""

from __future__ import annotations

import json
import shutil
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boa_control.controllers import checked_parameters
from boa_control.experiment import prepare
from boa_control.scenario_set import Member, ScenarioSet
from boa_tools import results
from boa_tools.batch import Job, complete, gather, run_all
from boa_tools.metric_table import DEGREE


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the comparison: shown value = factor * metric."""

    key: str
    name: str
    unit: str
    factor: float
    meaning: str

    @property
    def heading(self) -> str:
        """Name and unit, short."""
        return f"{self.name} {self.unit}"

    @property
    def title(self) -> str:
        """Name and unit, as over a plot."""
        return f"{self.name} ({self.unit})"


COLUMNS: tuple[Column, ...] = (
    Column("path_progress_m", "progress", "m", 1, "along the path"),
    Column("head_path_error_rms_m", "head", "mm", 1e3, "distance from the head to the path, rms"),
    Column("config_error_rms_rad", "shape", "deg", DEGREE, "joint angles against those on the path, rms"),
    Column(
        "force_error_relative",
        "force",
        "%",
        100,
        "error of the contact forces, rms, over the rms reference: the law's own, or the scenario's where it has none",
    ),
    Column("contact_lost_fraction", "lost", "%", 100, "share of the time in which planned contacts did not touch"),
    Column("contact_chatter_per_contact_s", "chatter", "1/s", 1, "losses regained within 20 ms, per second of contact"),
    Column("form_closure_fraction", "closure", "%", 100, "share of the time in which the true contacts hold the body"),
    Column("contact_force_peak_n", "peak", "N", 1, "largest contact force"),
    Column("torque_peak_nm", "torque", "N m", 1, "largest joint torque"),
)


def run_set(chosen: ScenarioSet, members: Sequence[Member], seed: int, jobs: int, directory: Path) -> int:
    """Run all members, print the table, write comparison.json and report.html; status 1 where a run left no result.

    A law that loses the path, or is stopped by a fault, is a result like any other. Where the set is interrupted, or a
    run crashes, the runs that had ended are compared all the same.

    Raises:
        BoaError: a member's robot, path or controller parameters are wrong; nothing is run then.
    """
    for member in members:
        prepare(member.scenario)
        checked_parameters(member.scenario.controller.name, member.scenario.controller.parameters)
    with results.staged(directory) as scratch:
        runs = {member.folder: Job(member.scenario, seed, scratch / member.folder) for member in members}
        found, cause = gather(run_all(runs, jobs), chosen.name, len(members))
        _remove_others(scratch, found)
        ended = [member for member in members if member.folder in found]
        write_comparison(scratch, chosen, ended, found)
    print(table(ended, found))
    for name in (results.COMPARISON, results.REPORT):
        print(directory / name)
    return 0 if complete(cause, len(found), len(members)) else 1


def _remove_others(directory: Path, kept: Container[str]) -> None:
    """Remove what runs that did not end have left."""
    for path in directory.iterdir():
        if path.name not in kept:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def write_comparison(
    directory: Path, chosen: ScenarioSet, members: Sequence[Member], found: Mapping[str, dict[str, Any]]
) -> None:
    """Write comparison.json and report.html."""
    from boa_tools.report.comparison import comparison_page

    record = {
        "set": chosen.name,
        "axes": {axis: list(variants) for axis, variants in chosen.set.vary.items()},
        "members": [
            {"folder": member.folder, "labels": list(member.labels), "outcome": outcome(found[member.folder])}
            | {column.key: value_of(found[member.folder], column.key) for column in COLUMNS}
            for member in members
        ],
    }
    results.write_text(directory / results.COMPARISON, json.dumps(record, indent=2, allow_nan=False) + "\n")
    results.write_text(directory / results.REPORT, comparison_page(chosen, members, found))


def outcome(values: Mapping[str, Any]) -> str:
    """How a run ended, for people: completed, left the path, stopped by a fault, or did not get there in time."""
    left, progress = values["extra"]["left_path_after_m"], values["path_progress_m"]
    if left is not None:
        return f"left the path after {left:.2f} m"
    if values["ended"].startswith("fault"):
        cause = values["ended"].removeprefix("fault: ").partition(";")[0]
        return f"stopped by a fault ({cause})" + ("" if progress is None else f" after {progress:.2f} m")
    if values["completed"]:
        return "completed"
    return "not completed" if progress is None else f"stopped after {progress:.2f} m"


def table(members: Sequence[Member], found: Mapping[str, dict[str, Any]]) -> str:
    """The comparison as text: a line per member."""
    width = max(len(member.folder) for member in members)
    lines = [f"{'':<{width}}  " + "  ".join(f"{column.heading:>10}" for column in COLUMNS)]
    for member in members:
        values = found[member.folder]
        cells = "  ".join(f"{cell(values, column):>10}" for column in COLUMNS)
        lines.append(f"{member.folder:<{width}}  {cells}  {outcome(values)}")
    return "\n".join(lines)


def cell(values: Mapping[str, Any], column: Column) -> str:
    """One value as text; a dash where it does not apply."""
    value = value_of(values, column.key)
    return "-" if value is None else f"{value * column.factor:.3g}"


def value_of(values: Mapping[str, Any], key: str) -> float | None:
    """A metric by name, whether it is a main one or a further one."""
    value = values.get(key, values["extra"].get(key))
    return None if value is None else float(value)
