# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The engine: which tasks run when, and what becomes of their results."""

from __future__ import annotations

import os
import signal

import pytest
from sweep_fakes import FakeWorkers, finished, short

from boa_tools.sweeps.engine import failures, gather, report_failures, run_all, with_progress
from boa_tools.sweeps.task import Failed, Task

SCENARIO = short()


def tasks(count):
    return [Task(f"seed {seed}", SCENARIO, seed) for seed in range(count)]


def by_seed(task):
    return finished(seed=task.seed)


def test_every_task_has_one_result_and_no_more_run_than_there_are_slots():
    workers = FakeWorkers(3, by_seed)
    results = [(task.key, result.values["seed"]) for task, result in run_all(tasks(8), workers)]
    assert results == [(f"seed {seed}", seed) for seed in range(8)]
    assert workers.most == 3 and workers.closed == 1


def test_the_next_task_is_taken_when_all_results_so_far_have_been_handed_over():
    """An optimisation proposes its next point from the results before it."""
    known: list[int] = []
    seen: list[int] = []

    def source():
        for task in tasks(5):
            seen.append(len(known))
            yield task

    for task, _ in run_all(source(), FakeWorkers(2, by_seed)):
        known.append(task.seed)
    assert seen == [0, 0, 1, 2, 3]


def test_a_source_may_wait_for_results():
    """It gives None until all three have ended."""
    known: list[int] = []

    def source():
        yield from tasks(3)
        while len(known) < 3:
            yield None
        yield Task("after", SCENARIO, 9)

    for task, _ in run_all(source(), FakeWorkers(4, by_seed)):
        known.append(task.seed)
    assert known == [0, 1, 2, 9]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_runs(number):
    before = signal.getsignal(number)

    def interrupt(task):
        if task.seed == 2:
            os.kill(os.getpid(), number)
        return by_seed(task)

    workers = FakeWorkers(2, interrupt)
    results = []
    with pytest.raises(KeyboardInterrupt):
        results.extend(task.seed for task, _ in run_all(tasks(8), workers))
    assert workers.closed == 1 and len(workers.started) == 4
    assert signal.getsignal(number) is before


def test_what_had_ended_is_kept_when_the_rest_is_broken_off(capsys):
    def interrupt(task):
        if task.seed == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return by_seed(task)

    results, whole = gather(tasks(8), FakeWorkers(1, interrupt), "boa_circle", 8)
    assert list(results) == ["seed 0", "seed 1", "seed 2"] and not whole
    assert "keeping the 3 of 8 runs" in capsys.readouterr().err


def test_nothing_is_kept_when_nothing_had_ended():
    class Interrupted(FakeWorkers):
        def poll(self, timeout):
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        gather(tasks(2), Interrupted(1, by_seed), "boa_circle", 2)


def test_the_bar_counts_runs_and_names_those_that_failed(capsys):
    def one_fails(task):
        return Failed("its worker died") if task.seed == 1 else by_seed(task)

    runs = run_all(tasks(3), FakeWorkers(1, one_fails))
    results = {task.key: result for task, result in with_progress(runs, "boa_circle", 5, before=2)}
    said = capsys.readouterr().err
    assert "boa: boa_circle, seed 1: its worker died" in said and "5 of 5 runs" in said
    assert list(failures(results)) == ["seed 1"]


def test_the_story_of_a_failed_run_is_told(capsys):
    failed = {"seed 1": Failed("ZeroDivisionError: x", "Traceback"), "seed 2": Failed("y")}
    report_failures(failed, none_left=False)
    assert "2 runs left no result; the first, seed 1: ZeroDivisionError: x\nTraceback" in (
        capsys.readouterr().err
    )
    with pytest.raises(RuntimeError, match="seed 1: ZeroDivisionError"):
        report_failures(failed, none_left=True)
    report_failures({}, none_left=True)
    assert capsys.readouterr().err == ""
