# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Processes that live for many runs, and what happens when one dies."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sweep_fakes import BUGGY, deadly, short, with_controller

from boa_tools.sweeps import local
from boa_tools.sweeps.engine import run_all
from boa_tools.sweeps.local import LocalWorkers
from boa_tools.sweeps.task import Failed, Finished, Task, run_task

pytestmark = pytest.mark.closed_loop

TIMES = ("control_step", "real_time")  # metrics that are of the computer, not of the run


def comparable(values):
    """Metrics that must be the same wherever and whenever a run takes place."""
    flat = values | values["extra"]
    return {
        key: value for key, value in flat.items() if key != "extra" and not key.startswith(TIMES)
    }


def test_a_run_does_not_depend_on_the_process_or_on_the_runs_before_it(tmp_path):
    """One process, three runs of two scenarios; the same in this process, each on its own. The
    first scenario has noise, so its seeds differ.
    """
    noisy = short(0.3, "boa_noise")
    noisy = noisy.model_copy(
        update={"evaluation": noisy.evaluation.model_copy(update={"settle": 0.1})}
    )
    tasks = [Task("a", noisy, 1), Task("b", short(), 0), Task("c", noisy, 2)]
    tasks.append(Task("d", noisy, 1))
    started = []
    workers = LocalWorkers(1)
    results = {}
    for task, result in run_all(tasks, workers):
        results[task.key] = result
        started.append({worker.process.pid for worker in workers._workers})
    assert len(set.union(*started)) == 1
    assert all(isinstance(result, Finished) for result in results.values())
    values = {key: comparable(result.values) for key, result in results.items()}
    assert values["a"] == values["d"] != values["c"]
    for task in tasks[:3]:
        assert comparable(run_task(task).values) == values[task.key]
    assert values["a"]["path_progress_m"] is not None


def test_a_run_whose_process_is_killed_is_tried_again_and_no_other_is_lost(tmp_path):
    tasks = [Task("deadly", deadly(tmp_path, 1), 0)]
    tasks += [Task(f"seed {seed}", short(), seed) for seed in range(3)]
    results = {task.key: result for task, result in run_all(tasks, LocalWorkers(2))}
    assert len(results) == 4
    assert all(isinstance(result, Finished) for result in results.values())
    assert (tmp_path / "lives").read_text() == "0"


def test_a_run_that_kills_its_process_twice_is_reported(tmp_path):
    tasks = [Task("deadly", deadly(tmp_path, 5), 0), Task("seed 1", short(), 1)]
    results = {task.key: result for task, result in run_all(tasks, LocalWorkers(1))}
    assert isinstance(results["seed 1"], Finished)
    assert isinstance(results["deadly"], Failed)
    assert "signal SIGKILL (out of memory?), 2 times" in results["deadly"].reason
    assert (tmp_path / "lives").read_text() == "3"


def test_a_run_with_a_bug_is_reported_and_its_process_goes_on(tmp_path):
    tasks = [Task("bug", with_controller(tmp_path, BUGGY, "Buggy"), 0), Task("b", short(), 1)]
    workers = LocalWorkers(1)
    results = {
        task.key: (result, workers._workers[0].process.pid)
        for task, result in run_all(tasks, workers)
    }
    failed, pid = results["bug"]
    assert isinstance(failed, Finished)
    told = failed.values["fault"]["message"]
    assert told.startswith("ZeroDivisionError: a bug at the first step in buggy.py, line ")
    assert isinstance(results["b"][0], Finished) and results["b"][1] == pid


def test_a_process_that_dies_between_two_runs_is_replaced():
    workers = LocalWorkers(1)
    results = []
    for _task, result in run_all([Task(f"{k}", short(), k) for k in range(2)], workers):
        results.append(result)
        for worker in list(workers._workers):
            worker.process.kill()
            worker.process.wait()
    assert [type(result) for result in results] == [Finished, Finished]


def test_workers_use_one_thread_each(monkeypatch, tmp_path):
    """Threads of the linear algebra would fight for the cores that the other workers use."""
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(
        local.subprocess,
        "Popen",
        lambda *args, **more: started.append(more["env"]) or popen(*args, **more),
    )
    list(run_all([Task("a", short(), 0)], LocalWorkers(1)))
    assert {started[0][name] for name in local.ONE_THREAD} == {"1"}


PARENT = """
from boa_control.experiments.library import load_scenario
from boa_tools.sweeps.engine import run_all
from boa_tools.sweeps.local import LocalWorkers
from boa_tools.sweeps.task import Task

scenario = load_scenario("boa_circle")
workers = LocalWorkers(2)
submit = workers.submit
def told(task):
    submit(task)
    print(workers._workers[-1].process.pid, flush=True)
workers.submit = told
list(run_all([Task(f"{k}", scenario, k) for k in range(2)], workers))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_worker_outlives_the_one_that_started_it(number):
    """Each run would take minutes."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as parent:
        workers = [int(parent.stdout.readline()) for _ in range(2)]
        parent.send_signal(number)
        parent.wait()
    deadline = time.monotonic() + 600.0
    while any(_alive(pid) for pid in workers):
        assert time.monotonic() < deadline, "a worker goes on alone"
        time.sleep(0.05)


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_results_folder_is_that_of_a_single_run(tmp_path):
    folder = tmp_path / "out"
    result = run_task(Task("a", short(), 3, folder))
    assert sorted(path.name for path in folder.iterdir()) == [
        "metrics.json",
        "run.json",
        "scenario.yaml",
    ]
    assert json.loads((folder / "run.json").read_text())["seed"] == 3
    values = json.loads((folder / "metrics.json").read_text())
    assert values.items() <= result.values.items()
