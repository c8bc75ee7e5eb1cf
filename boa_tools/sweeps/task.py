# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One run of many: what a worker is told, and what it answers. The interface of what does the runs:
processes on this machine, or a cluster.
"""

from __future__ import annotations

import functools
import platform
import traceback
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.scenario import Scenario
from boa_description.version import software_version

TRIES = 2  # of a run whose worker died
Metrics = dict[str, Any]


class Workers(Protocol):
    """Takes tasks and gives their results as they end, in any order. A task whose worker dies is
    tried again by the workers themselves, so the caller gets one result for each.
    """

    @property
    def slots(self) -> int:
        """Runs that can go on at the same time; may change."""

    def submit(self, task: Task) -> None:
        """Start a task. At most `slots` at a time."""

    def poll(self, timeout: float) -> tuple[Task, Result] | None:
        """The next result; None when none has come within `timeout`, s."""

    def close(self) -> None:
        """End all runs at once."""


@dataclass(frozen=True, slots=True)
class Task:
    """One run: of a scenario, with a seed.

    Attributes:
        key: the caller's name for it; unique among the tasks that run at the same time.
        scenario: complete.
        seed: of everything random.
        folder: results folder that the run leaves, which does not exist yet; None for none.
    """

    key: str
    scenario: Scenario
    seed: int
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that ended by itself, whether well or by a fault of the robot.

    Attributes:
        values: metrics, with why it ended (`Ended.record`) among them.
        seconds: wall-clock time that it took.
        host, version: machine and version of the software that ran it.
    """

    values: Metrics
    seconds: float
    host: str
    version: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A run that left no result: its worker died, or the program has a bug.

    Attributes:
        reason: one line.
        story: all that is known, for people; a traceback.
    """

    reason: str
    story: str = ""


Result = Finished | Failed


def run_task(task: Task) -> Result:
    """Do one run, in this process; an exception is a result, too."""
    start = perf_counter()
    try:
        values = _simulate(task)
    except Exception as error:
        said = " ".join(str(error).split())
        return Failed(f"{type(error).__name__}: {said}", traceback.format_exc())
    return Finished(values, perf_counter() - start, platform.node(), this_version())


@functools.cache
def this_version() -> str:
    """Version of the software, worked out once per process."""
    return software_version()


def _simulate(task: Task) -> Metrics:
    from boa_tools.evaluation.analysis import Analysis
    from boa_tools.evaluation.metric_table import metrics
    from boa_tools.runs.drive import run_experiment

    experiment = prepare(task.scenario)
    result = run_experiment(experiment, task.seed)
    values = metrics(Analysis(result.log, experiment))
    if task.folder is not None:
        from boa_tools.runs.results import write_record

        _write(task.folder, experiment, values)
        write_record(task.folder, task.scenario.name, task.seed, result.ended, result.trace)
    return values | result.ended.record()


def _write(folder: Path, experiment: Experiment, values: Metrics) -> None:
    from boa_tools.runs import results
    from boa_tools.runs.results import write_scenario

    folder.mkdir(parents=True)
    write_scenario(folder, experiment.scenario)
    results.write_json(folder / results.METRICS, values)
