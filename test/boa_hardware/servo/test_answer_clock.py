# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Answers of the present, and old ones that come again."""

from __future__ import annotations

import numpy as np
import pytest

from boa_hardware.servo.answer_clock import STALE, AnswerClock

ALL = np.ones(2, bool)
MS = 1_000_000


@pytest.mark.parametrize("start", [0, 32_700])
def test_a_clock_that_goes_on_is_believed(start: int) -> None:
    clock = AnswerClock(2)
    for number in range(100):
        tick = np.array([start + 5 * number, 5 * number], np.uint16) % 32_768
        assert clock.present(tick, ALL, number * 5 * MS).all()
    assert clock.old() == ()


def test_an_answer_that_comes_again_is_not_believed() -> None:
    clock = AnswerClock(2)
    for number in range(STALE + 1):
        fresh = clock.present(np.array([5 * number, 0], np.uint16), ALL, number * 5 * MS)
        assert fresh.tolist() == [True, number == 0]
        assert bool(clock.old()) == (number >= STALE)
    assert [one.joint for one in clock.old()] == [1]


def test_a_recording_of_earlier_answers_is_not_believed() -> None:
    """Ten ticks, then the same ten once more."""
    clock = AnswerClock(1)
    told = [
        bool(clock.present(np.array([5 * (n % 10)], np.uint16), ALL[:1], n * 5 * MS).all())
        for n in range(20)
    ]
    assert told == [True] * 10 + [False] * 10


def test_a_missed_answer_says_nothing_about_the_clock() -> None:
    clock, none = AnswerClock(1), np.zeros(1, bool)
    clock.present(np.array([0], np.uint16), ALL[:1], 0)
    for number in range(1, 6):
        assert not clock.present(np.array([0], np.uint16), none, number * 5 * MS).any()
    assert clock.old() == ()
    assert clock.present(np.array([30], np.uint16), ALL[:1], 30 * MS).all()
