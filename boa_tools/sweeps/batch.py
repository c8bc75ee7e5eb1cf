"""Many runs, several side by side: each a `boa run` of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from boa_control.experiments.scenario import Scenario
from boa_control.safety.ended import Ended
from boa_tools.bringup.child import end_with_parent
from boa_tools.runs import results
from boa_tools.runs.console import stop_on_interrupt
from boa_tools.runs.scenario_file import scenario_text

POLL = 0.05  # s

Key = TypeVar("Key")
Metrics = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """One run: of a scenario, with a seed, into a results folder that does not exist yet."""

    scenario: Scenario
    seed: int
    out: Path


def gather(
    runs: Generator[tuple[Key, Metrics], None, None], name: str, total: int
) -> tuple[dict[Key, Metrics], BaseException | None]:
    """The metrics of all runs as they end, with a progress bar; `runs` is closed at the end, so
    none goes on.

    Returns:
        What has ended, and what broke off the rest (Ctrl-C, a crash): hours of runs must not be
            lost with the last.

    Raises:
        BaseException: what broke it off, where nothing had ended by then.
    """
    ended: dict[Key, Metrics] = {}
    try:
        with closing(runs), tqdm(total=total, desc=name, unit="run") as bar:
            for key, values in runs:
                ended[key] = values
                bar.update()
    except (KeyboardInterrupt, Exception) as error:
        if not ended:
            raise
        return ended, error
    return ended, None


def complete(cause: BaseException | None, ended: int, total: int) -> bool:
    """Whether all runs have ended; says so if not, and raises the `cause` unless it was Ctrl-C."""
    if cause is None:
        return True
    why = "stopped by Ctrl-C" if isinstance(cause, KeyboardInterrupt) else "a run crashed"
    print(f"boa: {why}; keeping the {ended} of {total} runs that had ended", file=sys.stderr)
    if isinstance(cause, KeyboardInterrupt):
        return False
    raise cause


def run_all(
    jobs: Mapping[Key, Job], side_by_side: int
) -> Generator[tuple[Key, Metrics], None, None]:
    """Run all jobs, at most `side_by_side` at a time; give the metrics of each as it ends, with
    why it ended (`Ended.record`) among them.

    Runs have neither bag nor report. They end with us.

    Raises:
        KeyboardInterrupt: Ctrl-C or SIGTERM; no run goes on.
        RuntimeError: a run left no metrics; with what it said.
    """
    waiting, running = list(jobs), dict[Key, subprocess.Popen[bytes]]()
    try:
        with stop_on_interrupt() as stopped:
            while waiting or running:
                while waiting and len(running) < side_by_side:
                    key = waiting.pop(0)
                    running[key] = _start(jobs[key])
                for key in [key for key, process in running.items() if process.poll() is not None]:
                    yield key, _outcome(running.pop(key).returncode, jobs[key])
                if stopped():
                    raise KeyboardInterrupt
                time.sleep(POLL)
    finally:
        for process in running.values():
            process.kill()
            process.wait()


def _start(job: Job) -> subprocess.Popen[bytes]:
    file = job.out.with_suffix(".yaml")
    results.write_text(file, scenario_text(job.scenario))
    words = [
        "run",
        str(file),
        "--seed",
        str(job.seed),
        "--out",
        str(job.out),
        "--no-bag",
        "--no-report",
    ]
    with job.out.with_suffix(".log").open("wb") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "boa_tools.cli", *words],
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,  # a terminal's Ctrl-C is for the parent only
            preexec_fn=partial(end_with_parent, signal.SIGKILL),  # however we end
        )


def _outcome(status: int, job: Job) -> Metrics:
    log = job.out.with_suffix(".log")
    if not (job.out / results.METRICS).is_file():
        said = log.read_text(encoding="utf-8", errors="replace")
        raise RuntimeError(
            f"{job.scenario.name} with seed {job.seed} ended with status {status}:\n{said}"
        )
    for file in (log, job.out.with_suffix(".yaml")):  # the results folder has the scenario
        file.unlink()
    values: Metrics = json.loads((job.out / results.METRICS).read_text(encoding="utf-8"))
    record = json.loads((job.out / results.RUN).read_text(encoding="utf-8"))
    return values | Ended.of(record).record()
