# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shares of time without fresh answers, over windows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from boa_hardware.servo.quality import (
    GRACE,
    LONG,
    SHORT,
    TOO_MUCH,
    TOO_MUCH_FOR_LONG,
    WARN,
    BusQuality,
)

PERIOD_MS, MS = 5, 1_000_000


def run(answers: Callable[[int], bool], seconds: float) -> tuple[BusQuality, float | None, float]:
    """Ticks of 5 ms in which the second of two servos answers or not: the watch at the end, when
    it gave up (s), and when it first had doubts.
    """
    quality = BusQuality(2, PERIOD_MS * 1e-3)
    gave_up: float | None = None
    doubted = np.inf
    for tick in range(round(seconds * 1e3 / PERIOD_MS)):
        quality.update(tick * PERIOD_MS * MS, np.array([True, answers(tick)]))
        now = tick * PERIOD_MS * 1e-3
        if quality.few and gave_up is None:
            gave_up = now
        if quality.doubtful:
            doubted = min(doubted, now)
    return quality, gave_up, doubted


def test_answers_that_come_are_not_doubted() -> None:
    quality, gave_up, doubted = run(lambda _: True, 3.0)
    assert (quality.few, quality.doubtful, gave_up, doubted) == ((), (), None, np.inf)


def test_an_answer_in_every_third_tick_is_first_doubted_then_too_few() -> None:
    """Of 15 ms, 15 - 7.5 ms are without: 50 %, so that a quarter of a second is lost after 0.5
    s. It never is a long silence.
    """
    _, gave_up, doubted = run(lambda tick: tick % 3 == 0, 2.0)
    share = 1 - GRACE / 3
    assert gave_up == pytest.approx(TOO_MUCH * SHORT / share, abs=0.02)
    assert doubted < 0.03


def test_regular_stalls_are_too_much_in_the_long_run() -> None:
    """Of every 100 ms 25 ms without an answer: 17.5 ms beyond what is right, 17.5 %."""
    _, gave_up, _ = run(lambda tick: tick % 20 >= 4, 12.0)
    assert gave_up == pytest.approx(TOO_MUCH_FOR_LONG * LONG / 0.175, abs=0.2)


def test_five_answers_missing_in_a_row_are_told_and_forgotten() -> None:
    quality, gave_up, _ = run(lambda tick: not 100 <= tick < 105, 3.0)
    assert gave_up is None
    (gap,) = quality.doubtful
    assert (gap.joint, gap.window) == (1, LONG)
    assert gap.longest == pytest.approx(0.030)
    assert run(lambda tick: not 100 <= tick < 105, 11.0)[0].doubtful == ()


def test_the_warning_has_the_share_of_the_short_window() -> None:
    quality, _, _ = run(lambda tick: tick % 20 != 0, 3.0)
    assert quality.doubtful[0].window == LONG
    quality, _, _ = run(lambda tick: tick % 10 >= 2, 3.0)
    (gap,) = quality.doubtful
    assert gap.window == SHORT and gap.share >= WARN
    assert gap.share == pytest.approx(7.5 / 50, abs=0.01)


def test_time_in_which_nothing_was_requested_is_not_lost() -> None:
    quality = BusQuality(1, PERIOD_MS * 1e-3)
    quality.update(0, np.array([True]))
    quality.interrupted()
    quality.update(900 * MS, np.array([True]))
    assert quality.few == quality.doubtful == ()


def test_cycles_that_last_longer_because_of_another_servo_lose_nothing() -> None:
    quality = BusQuality(2, PERIOD_MS * 1e-3)
    for tick in range(100):
        quality.update(tick * 2 * PERIOD_MS * MS, np.array([True, tick % 3 == 0]))
    assert {gap.joint for gap in quality.few} == {1}
    assert {gap.joint for gap in quality.doubtful} == {1}
