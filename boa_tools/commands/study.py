# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shared by `boa sweep`, `boa optimise` and `boa ensemble`: many runs in one folder, resumed and
reported.
"""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from boa_tools.commands.arguments import add_end, argument, positive_int

if TYPE_CHECKING:
    from boa_description.errors import BoaError
    from boa_tools.sweeps.task import Workers

RESUME, REPORT = "resume", "report"
OF_RUNS = ("jobs", "scheduler")


@dataclass(frozen=True, slots=True)
class Study:
    """What a command does with a folder of many runs.

    Attributes:
        begin: checks the arguments and returns the name of the scenario and what makes the folder.
        run: does what is missing in a folder; returns the exit status.
        report: writes the folder's report anew; returns the exit status.
        new: options that belong to `begin` alone.
        of_report: options that belong to `report` alone.
    """

    begin: Callable[[argparse.Namespace], tuple[str, Callable[[Path], None]]]
    run: Callable[[Path, Workers], int]
    report: Callable[[Path], int]
    new: tuple[str, ...]
    of_report: tuple[str, ...] = ()


def run_study(study: Study, arguments: argparse.Namespace) -> int:
    """Begin, resume or report, as the first word says. Raises BoaError for options that would have
    no effect.
    """
    from boa_description.errors import BoaError

    # as Ctrl-C: what has been started ends, too
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if arguments.scenario == REPORT:
        refuse(arguments, study.new + OF_RUNS)
        return study.report(named_directory(arguments))
    if arguments.scenario == RESUME:
        refuse(arguments, study.new + study.of_report)
        directory = named_directory(arguments)
        with closing(make_workers(arguments)) as workers:
            return study.run(directory, workers)
    if arguments.directory is not None:
        raise unexpected(arguments.directory)
    for option in study.of_report:
        if getattr(arguments, option) is not None:
            raise BoaError(f"--{option} is for boa {arguments.command} report DIR, of its runs")
    scenario, prepare = study.begin(arguments)
    directory = new_directory(arguments, scenario)
    with closing(make_workers(arguments)) as workers:
        prepare(directory)
        return study.run(directory, workers)


def add_source(parser: argparse.ArgumentParser) -> None:
    """Add what is run, resumed or reported."""
    argument(
        parser,
        "scenario SCENARIO",
        "name of a shipped scenario, or a YAML file; or 'resume' or 'report', with DIR",
    )
    argument(parser, "directory DIR", "with resume and report: its folder", nargs="?")


def add_runs(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the options that say how long a run is, where runs take place, and where results go."""
    argument(
        parser, "--out DIR", f"its folder (default: results/<scenario>-{command}-<date>-<time>)"
    )
    add_end(parser)
    where = parser.add_mutually_exclusive_group()
    argument(where, "--jobs N", "runs side by side (default: one per core)", positive_int)
    argument(where, "--scheduler ADDRESS", "of a Dask cluster whose workers do the runs")


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


def unexpected(word: str) -> BoaError:
    """The error for a word too many after the scenario."""
    from boa_description.errors import BoaError

    return BoaError(f"unexpected '{word}'; the folder of the results is named with --out")


def new_directory(arguments: argparse.Namespace, scenario: str) -> Path:
    """The folder of something new."""
    name = f"{scenario}-{arguments.command}-{datetime.now():%Y%m%d-%H%M%S}"
    return Path(arguments.out) if arguments.out else Path("results") / name
