# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A set of scenarios, run one by one or side by side, and compared."""

import shutil
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

from boa_control.controllers import checked_parameters
from boa_control.experiments.experiment import prepare
from boa_control.experiments.scenario_set import Member, ScenarioSet
from boa_tools.evaluation.columns import COLUMNS, cells, headings, known, value_of
from boa_tools.evaluation.verdict import outcome
from boa_tools.runs import results
from boa_tools.sweeps.engine import failures, gather, report_failures
from boa_tools.sweeps.local import LocalWorkers
from boa_tools.sweeps.task import Finished, Task


def run_set(
    chosen: ScenarioSet,
    members: Sequence[Member],
    seed: int,
    jobs: int,
    directory: Path,
    formats: Sequence[str] = (),
) -> int:
    """Run all members, print the table, write comparison.json and report.html; status 1 where a run
    left no result. `formats`: of the chart, besides PNG.

    A law that loses the path, or is stopped by a fault, is a result like any other. Where the set
    is interrupted, or a run crashes, the others are compared all the same.

    Raises:
        BoaError: a member's robot, path or controller parameters are wrong; nothing is run then.
        RuntimeError: no run left a result.
    """
    for member in members:
        prepare(member.scenario)
        checked_parameters(member.scenario.controller.name, member.scenario.controller.parameters)
    with results.staged(directory) as scratch:
        tasks = [
            Task(member.folder, member.scenario, seed, scratch / member.folder)
            for member in members
        ]
        by_key, whole = gather(tasks, LocalWorkers(jobs), chosen.name, len(tasks))
        by_folder = {
            key: result.values for key, result in by_key.items() if isinstance(result, Finished)
        }
        failed = failures(by_key)
        report_failures(failed, none_left=not by_folder)
        _remove_others(scratch, by_folder)
        ended = [member for member in members if member.folder in by_folder]
        write_comparison(scratch, chosen, ended, by_folder, formats)
    print(table(ended, by_folder))
    for name in (results.COMPARISON, results.REPORT):
        print(directory / name)
    return 0 if whole and not failed else 1


def _remove_others(directory: Path, kept: Container[str]) -> None:
    """Remove what runs that did not end have left."""
    for path in directory.iterdir():
        if path.name not in kept:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def write_comparison(
    directory: Path,
    chosen: ScenarioSet,
    members: Sequence[Member],
    by_folder: Mapping[str, dict[str, Any]],
    formats: Sequence[str] = (),
) -> None:
    """Write comparison.json, the chart and report.html. `formats`: of the chart, besides PNG."""
    from boa_tools.report.comparison import comparison_page, spread_of
    from boa_tools.report.set_spread import BARS, spread_figures
    from boa_tools.report.style import write_figures

    record = {
        "set": chosen.name,
        "axes": {axis: list(variants) for axis, variants in chosen.set.vary.items()},
        "members": [
            {
                "folder": member.folder,
                "labels": list(member.labels),
                "outcome": outcome(by_folder[member.folder]),
            }
            | {column.key: value_of(by_folder[member.folder], column.key) for column in COLUMNS}
            for member in members
        ],
    }
    results.write_json(directory / results.COMPARISON, record)
    figures = spread_figures(spread_of(chosen, members, by_folder))
    plot = write_figures(directory / results.PLOTS, figures, formats)[BARS]
    page = comparison_page(chosen, members, by_folder, plot)
    results.write_text(directory / results.REPORT, page)


def table(members: Sequence[Member], by_folder: Mapping[str, dict[str, Any]]) -> str:
    """The comparison as text: a line per member."""
    width = max(len(member.folder) for member in members)
    columns = known(by_folder.values())
    lines = [f"{'':<{width}}  {headings(columns)}"]
    for member in members:
        values = by_folder[member.folder]
        lines.append(f"{member.folder:<{width}}  {cells(values, columns)}  {outcome(values)}")
    return "\n".join(lines)
