"""Runs side by side: a signal that arrives in the middle of starting one."""

from __future__ import annotations

import os
import signal

import pytest

from boa_control.experiments.library import load_scenario
from boa_tools.sweeps import batch
from boa_tools.sweeps.batch import Job, run_all

pytestmark = pytest.mark.closed_loop


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_run_is_being_started_ends_them_all(number, tmp_path, monkeypatch):
    before = signal.getsignal(number)
    started = []

    def signal_the_parent(*_):
        os.kill(os.getppid(), number)  # in the child, while the parent is still inside of the fork

    real_start = batch._start
    monkeypatch.setattr(batch, "end_with_parent", signal_the_parent)
    monkeypatch.setattr(batch, "_start", lambda job: started.append(real_start(job)) or started[-1])
    scenario = load_scenario("boa_circle").model_copy(update={"duration": 0.01, "distance": None})
    with pytest.raises(KeyboardInterrupt):
        for _ in run_all(
            {seed: Job(scenario, seed, tmp_path / str(seed)) for seed in range(20)}, 1
        ):
            pass
    assert [process.poll() for process in started] == [-signal.SIGKILL]
    assert signal.getsignal(number) is before
