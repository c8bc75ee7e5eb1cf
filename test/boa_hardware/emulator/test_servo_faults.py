# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fault rules of the line."""

from __future__ import annotations

import pytest

from boa_hardware.emulator.servo_chain import Answer
from boa_hardware.emulator.servo_faults import LineFault, LineFaults

ANSWER = Answer(1.0, 1.1, b"0123456789")


def test_no_rules_change_nothing() -> None:
    faults = LineFaults()
    assert faults.request(b"abc", 0.0) == b"abc"
    assert faults.reply(ANSWER, 0.0) == [ANSWER]


def test_lose_delay_duplicate() -> None:
    assert LineFaults([LineFault(kind="lose")]).reply(ANSWER, 0.0) == []
    assert LineFaults([LineFault(kind="lose", where="request")]).request(b"abc", 0.0) == b""
    (late,) = LineFaults([LineFault(kind="delay", delay=0.5)]).reply(ANSWER, 0.0)
    assert (late.end, late.data) == (pytest.approx(1.6), ANSWER.data)
    twice = LineFaults([LineFault(kind="duplicate", delay=0.5)]).reply(ANSWER, 0.0)
    assert [answer.data for answer in twice] == [ANSWER.data] * 2


def test_corruption_changes_exactly_one_byte() -> None:
    faults = LineFaults([LineFault(kind="corrupt"), LineFault(kind="corrupt", where="request")])
    for damaged in (faults.reply(ANSWER, 0.0)[0].data, faults.request(ANSWER.data, 0.0)):
        assert len(damaged) == len(ANSWER.data)
        assert sum(a != b for a, b in zip(damaged, ANSWER.data, strict=True)) == 1


def test_rules_act_by_time() -> None:
    faults = LineFaults([LineFault(kind="lose", start=1.0, stop=2.0)])
    assert [bool(faults.reply(ANSWER, now)) for now in (0.9, 1.0, 1.9, 2.0)] == [
        True,
        False,
        False,
        True,
    ]
    assert faults.hits == 2


def test_rules_act_by_rate_and_repeat_with_the_seed() -> None:
    def pattern(seed: int) -> list[bool]:
        faults = LineFaults([LineFault(kind="lose", rate=0.05)], seed)
        return [not faults.reply(ANSWER, 0.0) for _ in range(4000)]

    assert pattern(1) == pattern(1) != pattern(2)
    assert 140 < sum(pattern(1)) < 260  # 200 +- 4 standard deviations
