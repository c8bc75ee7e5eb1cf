# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Absolute ticks, on a clock made for the test."""

from __future__ import annotations

import pytest

from boa_hardware.servo import pace
from boa_hardware.servo.pace import Ticker


class Clock:
    """Sleeps by moving itself; oversleeps when told to."""

    def __init__(self) -> None:
        self.now = 10**18
        self.oversleep = 0

    def monotonic_ns(self) -> int:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += round(seconds * 1e9) + self.oversleep


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(pace, "time", clock)
    return clock


def test_late_wake_ups_do_not_add_up(clock: Clock) -> None:
    start, ticker = clock.now, Ticker(0.005)
    clock.oversleep = 300_000
    for tick in range(1, 1001):
        assert ticker.wait() == 300_000
        assert clock.now == start + tick * 5_000_000 + 300_000
        clock.now += 1_000_000  # work


def test_lost_ticks_are_not_made_up_for(clock: Clock) -> None:
    start, ticker = clock.now, Ticker(0.005)
    ticker.wait()
    clock.now += 23_000_000  # a stall of 4.6 periods
    assert ticker.wait() == 18_000_000
    ticker.wait()
    assert clock.now == start + 30_000_000  # the next tick of the old grid, with nothing in between
    ticker.wait()
    assert clock.now == start + 35_000_000
