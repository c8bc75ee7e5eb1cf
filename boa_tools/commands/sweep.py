"""`boa sweep SCENARIO --vary KEY=VALUES`: all combinations of values, each with many seeds."""

from __future__ import annotations

import argparse
import os
import signal
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boa_tools.evaluation.columns import Column
    from boa_tools.sweeps.plan import Plan
    from boa_tools.sweeps.workers import Workers

RESUME, REPORT = "resume", "report"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from boa_tools.commands.arguments import positive, positive_int, whole_number

    parser.add_argument(
        "scenario",
        metavar="SCENARIO",
        help="name of a shipped scenario, or a YAML file; or 'resume' or 'report', with DIR",
    )
    parser.add_argument(
        "directory", metavar="DIR", nargs="?", help="with resume and report: folder of the sweep"
    )
    parser.add_argument(
        "--vary",
        action="append",
        metavar="KEY=VALUES",
        help="key of the scenario with dots, and first:last:count[:log] or value,value,...; again "
        "for further keys",
    )
    parser.add_argument(
        "--seeds", type=positive_int, metavar="N", help="seeds of each combination (default: 1)"
    )
    parser.add_argument(
        "--first-seed", type=whole_number, metavar="N", help="first of the seeds (default: 0)"
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="folder of the sweep (default: results/<scenario>-sweep-<date>-<time>)",
    )
    parser.add_argument(
        "--duration",
        type=positive,
        metavar="S",
        help="simulated time, s, instead of the scenario's",
    )
    parser.add_argument(
        "--distance", type=positive, metavar="M", help="stop after this progress along the path, m"
    )
    add_workers(parser)
    parser.add_argument(
        "--show",
        metavar="KEY,...",
        help="with report: metrics to show instead of the usual columns",
    )


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where runs take place."""
    from boa_tools.commands.arguments import positive_int

    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--jobs", type=positive_int, metavar="N", help="runs side by side (default: one per core)"
    )
    where.add_argument(
        "--scheduler", metavar="ADDRESS", help="of a Dask cluster whose workers do the runs"
    )


def main(arguments: argparse.Namespace) -> int:
    """Run, resume or report. Status 1 unless every run left a result."""
    from boa_tools.sweeps.sweep import prepare_sweep, report_sweep, run_sweep

    # as Ctrl-C: what has been started ends, too
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if arguments.scenario == REPORT:
        refuse(arguments, OF_A_SWEEP + OF_RUNS)
        return report_sweep(named_directory(arguments), _columns(arguments.show))
    if arguments.scenario == RESUME:
        refuse(arguments, (*OF_A_SWEEP, "show"))
        with closing(make_workers(arguments)) as workers:
            return run_sweep(named_directory(arguments), workers)
    plan = _plan(arguments)
    name = f"{plan.base.name}-sweep-{datetime.now():%Y%m%d-%H%M%S}"
    directory = Path(arguments.out) if arguments.out else Path("results") / name
    with closing(make_workers(arguments)) as workers:
        prepare_sweep(plan, directory)
        return run_sweep(directory, workers)


OF_A_SWEEP = ("vary", "seeds", "first_seed", "out", "duration", "distance")
OF_RUNS = ("jobs", "scheduler")


def make_workers(arguments: argparse.Namespace) -> Workers:
    """The workers that the options name."""
    if arguments.scheduler is not None:
        from boa_tools.sweeps.cluster import ClusterWorkers

        return ClusterWorkers(arguments.scheduler)
    from boa_tools.sweeps.local import LocalWorkers

    return LocalWorkers(arguments.jobs or len(os.sched_getaffinity(0)))


def refuse(arguments: argparse.Namespace, options: tuple[str, ...]) -> None:
    """Refuse options that would have no effect. Raises BoaError."""
    from boa_description.errors import BoaError

    for option in options:
        if getattr(arguments, option) is not None:
            raise BoaError(
                f"--{option.replace('_', '-')} means nothing for boa {arguments.command} "
                f"{arguments.scenario}; leave it out"
            )


def named_directory(arguments: argparse.Namespace) -> Path:
    """The folder that `resume` and `report` need. Raises BoaError where it is not given."""
    from boa_description.errors import BoaError

    if arguments.directory is None:
        command = f"boa {arguments.command} {arguments.scenario}"
        raise BoaError(
            f"{command} needs the folder of what was begun: {command} DIR (a scenario of that "
            f"name: ./{arguments.scenario}.yaml)"
        )
    return Path(arguments.directory)


def refuse_directory(arguments: argparse.Namespace) -> None:
    """Refuse a second word after the scenario. Raises BoaError."""
    from boa_description.errors import BoaError

    if arguments.directory is not None:
        raise BoaError(
            f"unexpected '{arguments.directory}'; the folder of the results is named with --out"
        )


def _plan(arguments: argparse.Namespace) -> Plan:
    from boa_control.experiments.library import is_set
    from boa_description.errors import BoaError
    from boa_tools.commands.run import load_experiment
    from boa_tools.sweeps.axis import parse_axis
    from boa_tools.sweeps.plan import Plan

    refuse_directory(arguments)
    _refuse_for_sweep(arguments)
    if is_set(arguments.scenario):
        raise BoaError(
            f"{arguments.scenario} is a set of scenarios; boa run {arguments.scenario} runs it, a "
            "sweep takes a single one"
        )
    axes = tuple(parse_axis(text) for text in arguments.vary)
    base = load_experiment(arguments.scenario, arguments.duration, arguments.distance).scenario
    first = arguments.first_seed or 0
    return Plan(base, axes, tuple(range(first, first + (arguments.seeds or 1))))


def _refuse_for_sweep(arguments: argparse.Namespace) -> None:
    from boa_description.errors import BoaError

    if arguments.show is not None:
        raise BoaError("--show is for boa sweep report DIR; the table has all metrics anyway")
    if not arguments.vary:
        raise BoaError(
            "nothing is varied; say --vary KEY=VALUES, or use boa run SCENARIO --seeds N"
        )


def _columns(show: str | None) -> tuple[Column, ...]:
    from boa_tools.evaluation.columns import COLUMNS, Column
    from boa_tools.evaluation.metric_table import description
    from boa_tools.sweeps.goal import metric_key

    if show is None:
        return COLUMNS
    keys = [metric_key(text) for text in show.split(",")]
    return tuple(Column(key, description(key).label) for key in keys)
