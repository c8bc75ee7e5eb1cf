# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The engine of everything with many runs: keeps workers busy and hands over results as they come.

Seeds, sets of scenarios, sweeps and optimisations are callers that differ in where their tasks come
from and what they do with the results.
"""

import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from typing import NoReturn

from tqdm import tqdm

from boa_tools.runs.console import refresh_interval, stop_on_interrupt
from boa_tools.sweeps.task import Failed, Result, Task, Workers

POLL = 0.1  # s between two checks for Ctrl-C


Runs = Generator[tuple[Task, Result], None, None]


def run_all(tasks: Iterable[Task | None], workers: Workers) -> Runs:
    """Run all tasks on the workers; give each with its result as it ends. Close the generator to
    end what still runs; it closes the workers in any case.

    A task is taken from `tasks` only when a worker is free for it and all results so far have been
    handed over: what comes next may depend on them. None instead of a task means that it depends
    on results that are still to come.

    Raises:
        KeyboardInterrupt: Ctrl-C or SIGTERM; no local run goes on.
    """
    source, running = iter(tasks), 0
    try:
        with stop_on_interrupt() as stopped:
            more = True
            while True:
                while more and running < workers.slots:
                    try:
                        task = next(source)
                    except StopIteration:
                        more = False
                        break
                    if task is None:
                        break
                    workers.submit(task)
                    running += 1
                if not running and not more:
                    return
                ended = workers.poll(POLL)
                if ended is not None:
                    running -= 1
                    yield ended
                if stopped():
                    raise KeyboardInterrupt
    finally:
        workers.close()


def with_progress(
    runs: Runs,
    name: str,
    total: int,
    before: int = 0,
    note: Callable[[], str] = lambda: "",
) -> Runs:
    """The same with a progress bar that says how much time is left; failed runs get a line.

    Args:
        before: how many of `total` had ended earlier.
        note: more to say after each run.
    """
    form = "{l_bar}{bar}| {n_fmt} of {total_fmt} runs, {elapsed} passed, {remaining} left{postfix}"
    often = refresh_interval()
    bar: tqdm[NoReturn] = tqdm(
        total=total, initial=before, desc=name, bar_format=form, mininterval=often
    )
    with closing(runs), bar:
        for task, result in runs:
            if isinstance(result, Failed):
                bar.write(f"boa: {name}, {task.key}: {result.reason}", file=sys.stderr)
            yield task, result
            bar.set_postfix_str(note(), refresh=False)
            bar.update()


def gather(
    tasks: Iterable[Task], workers: Workers, name: str, total: int
) -> tuple[dict[str, Result], bool]:
    """All results by key, and whether the runs went through to the last one.

    Raises:
        KeyboardInterrupt: Ctrl-C before any run had ended.
    """
    ended: dict[str, Result] = {}
    try:
        for task, result in with_progress(run_all(tasks, workers), name, total):
            ended[task.key] = result
    except KeyboardInterrupt:
        if not ended:
            raise
        print(
            f"boa: stopped by Ctrl-C; keeping the {len(ended)} of {total} runs that had ended",
            file=sys.stderr,
        )
        return ended, False
    return ended, True


def failures(results: Mapping[str, Result]) -> dict[str, Failed]:
    """Those runs that left no result."""
    return {key: result for key, result in results.items() if isinstance(result, Failed)}


def report_failures(failed: Mapping[str, Failed], none_left: bool) -> None:
    """Print what the first of the failed runs said, if there is one.

    Raises:
        RuntimeError: the same, where no run has left a result.
    """
    for key, failure in failed.items():
        text = f"{key}: {failure.reason}\n{failure.story}".rstrip()
        if none_left:
            raise RuntimeError(text)
        print(f"boa: {len(failed)} runs left no result; the first, {text}", file=sys.stderr)
        return
