# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Times in turns with the units, by a clock of their own."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controller import ControlOutput
from boa_tools.bench import turns as bench
from boa_tools.bench.turns import EVERY, Turns

BLOCK, SKIPPED = 5 * EVERY, 7 * EVERY  # the start-up ends within the second block
STEP, REST, MJ_STEP, WORK = 100, 50, 10, 20  # us
SLOW = 3  # times slower at a time


class Machine:
    """Its clock moves on by what is done, on some ticks more slowly."""

    def __init__(self) -> None:
        self.now_us, self.slowness = 0, 1

    def spend(self, us: int) -> None:
        self.now_us += us * self.slowness

    def thread_time_ns(self) -> int:
        return 1000 * self.now_us

    def reset(self) -> None:
        """Nothing to forget."""

    def step(self, frame: None) -> ControlOutput:
        self.spend(STEP)
        return ControlOutput(np.zeros(12))

    def one(self) -> float:
        """A time on the clock on the wall, as of `StepClock`."""
        return float(MJ_STEP * self.slowness)

    def work(self) -> None:
        self.spend(WORK)


def run(monkeypatch, slow_ticks=()) -> Turns:
    machine = Machine()
    monkeypatch.setattr(bench, "thread_time_ns", machine.thread_time_ns)
    monkeypatch.setattr(bench, "reference_work", lambda: machine.work)
    turns = Turns(machine, machine, SKIPPED, BLOCK)
    for tick in range(6 * BLOCK + 1):
        machine.slowness = SLOW if tick in slow_ticks else 1
        turns.step(None)
        machine.spend(REST)
        turns.add(None)
    return turns


def test_ratios_are_those_of_what_was_done(monkeypatch) -> None:
    """The units themselves count for no tick."""
    turns = run(monkeypatch)
    step, tick = turns.step_result("step", ""), turns.tick_result("tick", "")
    assert (step.p50_us, tick.p50_us) == (STEP, STEP + REST)
    assert step.in_turns == pytest.approx((STEP / MJ_STEP, STEP / WORK))
    assert tick.in_turns == pytest.approx(((STEP + REST) / MJ_STEP, (STEP + REST) / WORK))


def test_a_machine_that_is_slow_for_a_while_gives_the_same_ratios(monkeypatch) -> None:
    calm = run(monkeypatch).step_result("step", "").in_turns
    turns = run(monkeypatch, slow_ticks=range(3 * BLOCK, 5 * BLOCK))
    assert turns.step_result("step", "").in_turns == pytest.approx(calm)


def test_the_start_counts_for_nothing(monkeypatch) -> None:
    turns = run(monkeypatch, slow_ticks=range(SKIPPED))
    assert turns.step_result("step", "").p99_us == STEP
    assert turns.tick_result("tick", "").p99_us == STEP + REST
