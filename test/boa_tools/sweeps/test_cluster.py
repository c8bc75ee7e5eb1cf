# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs on a Dask cluster of several processes, of which one is killed."""

from __future__ import annotations

import json
import os
import signal
import sys

import pytest
from sweep_fakes import BUGGY, deadly, short, with_controller

from boa_description.errors import BoaError
from boa_tools.cli import main
from boa_tools.sweeps import cluster
from boa_tools.sweeps.cluster import ClusterWorkers
from boa_tools.sweeps.engine import run_all
from boa_tools.sweeps.task import Failed, Finished, Task

pytestmark = [pytest.mark.realtime, pytest.mark.closed_loop]

distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
dask = pytest.importorskip("dask")


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A busy machine gets time to answer."""
    monkeypatch.setattr(cluster, "PATIENCE", 300.0)


@pytest.fixture(autouse=True, scope="module")
def patient_dask():
    """Dask's own time-outs of 30 s, too, here and in the processes that it starts; it tries a run
    twice, not four times, for each that is killed is a new process.
    """
    names = ("distributed.comm.timeouts.connect", "distributed.comm.timeouts.tcp")
    tries = {"distributed.scheduler.allowed-failures": 1}
    with dask.config.set({**dict.fromkeys(names, "300s"), **tries}):
        yield


@pytest.fixture(scope="module")
def workers(patient_dask):
    """A scheduler with two worker processes on this machine."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", protocol="tcp"
    ) as local:
        local.wait_for_workers(2)
        yield local


def test_a_killed_worker_costs_no_run(workers, tmp_path):
    """The first run kills the process that it is in; the scheduler gives it to another one."""
    tasks = [Task("deadly", deadly(tmp_path, 1), 0)]
    tasks += [Task(f"seed {seed}", short(), seed) for seed in range(3)]
    results = {
        task.key: result
        for task, result in run_all(tasks, ClusterWorkers(workers.scheduler_address))
    }
    assert len(results) == 4
    assert {type(result) for result in results.values()} == {Finished}
    assert (tmp_path / "lives").read_text() == "0"
    workers.wait_for_workers(1)  # on a busy machine Dask may not bring back all of them


def test_a_bug_and_a_run_that_always_kills_its_worker_are_reported(workers, tmp_path):
    """Dask gives up after its `allowed-failures` and says so."""
    tasks = [
        Task("bug", with_controller(tmp_path, BUGGY, "Buggy"), 0),
        Task("deadly", deadly(tmp_path, 99), 0),
    ]
    results = {
        task.key: result
        for task, result in run_all(tasks, ClusterWorkers(workers.scheduler_address))
    }
    assert results["bug"].values["fault"]["message"].startswith("ZeroDivisionError: a bug at")
    assert isinstance(results["deadly"], Failed)
    assert "its worker died" in results["deadly"].reason
    workers.wait_for_workers(1)  # on a busy machine Dask may not bring back all of them


def test_a_sweep_runs_on_the_cluster_by_one_option(workers, tmp_path, monkeypatch, capsys):
    pytest.importorskip("pyarrow", reason="the extra 'sweeps' is not installed")
    words = ["sweep", "thesis_5_1_1", "--vary", "duration=0.1,0.12", "--seeds", "3"]
    words += ["--scheduler", workers.scheduler_address, "--out", str(tmp_path / "out")]
    assert main(words) == 0
    rows = [json.loads(line) for line in (tmp_path / "out" / "runs.jsonl").open()]
    assert sorted(row["run"] for row in rows) == list(range(6))
    assert "3/3" in capsys.readouterr().out


def test_workers_that_cannot_do_the_runs_are_refused(workers, monkeypatch):
    monkeypatch.setattr(cluster, "software_version", lambda: "0.0.1")
    with pytest.raises(BoaError, match=r"has version .* here it is 0.0.1; install the same"):
        ClusterWorkers(workers.scheduler_address)


@pytest.mark.parametrize(
    ("count", "threads", "complaint"),
    [(1, 2, "has 2 threads, but a run needs a process of its own"), (0, 1, "has no workers")],
)
def test_what_is_no_cluster_for_runs_is_refused(count, threads, complaint):
    with (
        distributed.LocalCluster(
            n_workers=count,
            threads_per_worker=threads,
            processes=False,
            dashboard_address=":0",
            protocol="tcp",
        ) as local,
        pytest.raises(BoaError, match=complaint),
    ):
        ClusterWorkers(local.scheduler_address)


def test_an_address_without_scheduler_is_refused(monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 0.2)
    with pytest.raises(BoaError, match="no Dask scheduler answers at"):
        ClusterWorkers("tcp://127.0.0.1:9")


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BoaError, match=r"pip install distributed .*extra 'cluster'"):
        ClusterWorkers("tcp://127.0.0.1:9")


def test_ctrl_c_leaves_the_cluster_alone(workers):

    def one_then_interrupt():
        yield Task("a", short(), 0)
        os.kill(os.getpid(), signal.SIGINT)
        yield Task("b", short(), 1)

    with pytest.raises(KeyboardInterrupt):
        list(run_all(one_then_interrupt(), ClusterWorkers(workers.scheduler_address)))
    again = run_all([Task("c", short(), 2)], ClusterWorkers(workers.scheduler_address))
    assert [type(result) for _, result in again] == [Finished]
