# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Running, resuming and reporting a sweep."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from tqdm import tqdm

from boa_control.experiments.change import unit_of_key
from boa_description.errors import BoaError
from boa_description.version import software_version
from boa_tools.evaluation.columns import Column, known
from boa_tools.report.style import write_figures
from boa_tools.report.sweep import sweep_page, sweep_table
from boa_tools.report.sweep_figures import sweep_figures
from boa_tools.report.varied import Runs, VariedKey
from boa_tools.runs import results
from boa_tools.runs.console import refresh_interval
from boa_tools.runs.results import scenario_text
from boa_tools.sweeps import folder
from boa_tools.sweeps.journal import JOURNAL, Row, read_journal
from boa_tools.sweeps.plan import Parameters, Plan, check
from boa_tools.sweeps.remaining import judge, resumed_by, run_remaining
from boa_tools.sweeps.rows import NEEDED, newest, require_pyarrow, write_table
from boa_tools.sweeps.task import Workers

COMMAND = "sweep"
SETTLE = "evaluation.settle"  # key of the start-up, s
MOST_LINES = 60  # of the table on the screen


def prepare_sweep(plan: Plan, directory: Path) -> None:
    """Check the sweep and make its folder; one that exists already is kept if it is of this very
    sweep.

    Raises:
        BoaError: anything wrong with the sweep, the folder, or what is installed; nothing has been
            written then.
    """
    require_pyarrow()
    check(plan, _with_bar)
    folder.create(directory, plan)


def _with_bar(points: Sequence[Parameters]) -> Iterable[Parameters]:
    """The combinations with a progress bar, which a small sweep is over before it shows."""
    form = "{l_bar}{bar}| {n_fmt} of {total_fmt} combinations checked, {remaining} left"
    often = refresh_interval()
    return tqdm(points, "check", bar_format=form, mininterval=often, delay=2.0, leave=False)


def run_sweep(directory: Path, workers: Workers) -> int:
    """Run what is missing in the folder of a sweep, write table and report; status 1 where it was
    interrupted, or a run left no result.

    Raises:
        BoaError: the folder is damaged, or another process is at work in it.
        OSError: the disk is full; what had ended is kept.
    """
    go_on = resumed_by(COMMAND, directory)
    if not run_remaining(folder.load(directory), directory, workers, go_on):
        return 1
    return report_sweep(directory)


def report_sweep(
    directory: Path, columns: Sequence[Column] = (), formats: Sequence[str] = ()
) -> int:
    """Write table, plots and page from the runs so far, and print the medians; status 1 where runs
    are missing or left no result. `columns`: instead of those that runs have. `formats`: of plots,
    besides PNG.

    Raises:
        BoaError: the folder is not that of a sweep, is damaged, or has no run yet.
    """
    require_pyarrow()
    plan = folder.load(directory)
    rows = newest(read_journal(directory / JOURNAL, NEEDED))
    if not rows:
        raise BoaError(f"'{directory}' has no run yet; boa sweep resume does them")
    about = folder.definition(plan) | {"version": software_version()}
    keys = [
        VariedKey(axis.key, axis.values, unit_of_key(plan.base, axis.key)) for axis in plan.axes
    ]
    write_table(directory / folder.TABLE, rows, [key.key for key in keys], about)
    runs, columns = Runs(rows, keys), columns or known(rows)
    plots = write_figures(directory / results.PLOTS, sweep_figures(runs, columns), formats)
    more = {"total": plan.total, "yaml": scenario_text(plan.base)}
    summary, unjudged = folder.summary_of(plan.base, plan), _unjudged(rows, plan)
    if unjudged:
        summary += f" {unjudged}."
    page = sweep_page(plan.base.name, summary, runs, plots, more, columns)
    results.write_text(directory / results.REPORT, page)
    lines = sweep_table(runs, columns).splitlines()
    print("\n".join(lines[: MOST_LINES + 1]))
    if len(lines) > MOST_LINES + 1:
        print(f"... {len(lines) - MOST_LINES - 1} more lines in the report")
    for name in (folder.TABLE, results.REPORT):
        print(directory / name)
    if unjudged:
        print(f"boa: {unjudged}", file=sys.stderr)
    return judge(rows, plan.total, directory, COMMAND)


def _unjudged(rows: Sequence[Row], plan: Plan) -> str:
    """What to know of runs that were over before anything of them was judged; empty without any."""
    settle = plan.base.evaluation.settle
    short = [row for row in rows if row["success"] and row["duration_s"] <= row.get(SETTLE, settle)]
    if not short:
        return ""
    return (
        f"{len(short)} of {len(rows)} runs ended within their start-up ({SETTLE}, {settle:g} s), "
        "which is not judged: success says of them only that they were completed"
    )
