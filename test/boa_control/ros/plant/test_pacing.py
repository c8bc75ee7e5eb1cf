# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pacing on a clock of our own."""

from __future__ import annotations

import math

import pytest

from boa_control.ros.plant.pacing import FORGIVEN, Pacer, RealTimeFactor


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def run(pacer: Pacer, clock: Clock, works: list[float]) -> list[float]:
    """Do ticks that take `works` seconds each, resting as the pacer says; return when each
    began.
    """
    begins = []
    for work in works:
        begins.append(clock.time)
        clock.time += work
        clock.time += pacer.remaining()
        pacer.end_tick()
    return begins


def test_ticks_come_at_their_period_whatever_they_take() -> None:
    clock = Clock()
    begins = run(Pacer(0.01, clock), clock, [0.001, 0.009, 0.004, 0.0, 0.002])
    assert begins == pytest.approx([100.0, 100.01, 100.02, 100.03, 100.04])


def test_a_short_delay_is_made_good() -> None:
    clock = Clock()
    begins = run(Pacer(0.01, clock), clock, [0.001, 0.025, 0.001, 0.001, 0.001])
    assert begins == pytest.approx([100.0, 100.01, 100.035, 100.036, 100.04])


def test_a_stall_is_forgotten_and_never_caught_up_with() -> None:
    clock = Clock()
    pacer = Pacer(0.01, clock)
    begins = run(pacer, clock, [0.001, 1.0, 0.001, 0.001, 0.001])
    assert begins == pytest.approx([100.0, 100.01, 101.01, 101.02, 101.03])
    assert pacer.stalls == 1


def test_the_limit_between_delay_and_stall() -> None:
    for lateness, stalls in ((FORGIVEN * 0.01 - 1e-6, 0), (FORGIVEN * 0.01 + 1e-6, 1)):
        clock = Clock()
        pacer = Pacer(0.01, clock)
        run(pacer, clock, [0.01 + lateness])
        assert pacer.stalls == stalls


def test_without_a_pace_nothing_waits() -> None:
    clock = Clock()
    pacer = Pacer(None, clock)
    assert (
        run(pacer, clock, [0.5, 0.5]) == [100.0, 100.5]
        and pacer.remaining() == 0.0
        and pacer.stalls == 0
    )


def test_real_time_factor_is_that_of_the_last_second() -> None:
    clock = Clock()
    factor = RealTimeFactor(1.0, clock)
    assert math.isnan(factor.value)
    stamp = 0
    for _ in range(100):  # half speed
        factor.update(stamp)
        clock.time += 0.02
        stamp += 10_000_000
    assert factor.value == pytest.approx(0.5)
    for _ in range(200):  # double speed, for longer than the window
        factor.update(stamp)
        clock.time += 0.01
        stamp += 20_000_000
    assert factor.value == pytest.approx(2.0)
    factor.reset()
    assert math.isnan(factor.value)
