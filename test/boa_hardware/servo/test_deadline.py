# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The reply deadline follows the latency of adapter and computer."""

from __future__ import annotations

import pytest

from boa_hardware.servo.deadline import ALLOWANCE, LONGEST, REMEMBERED, ReplyDeadline


def test_quick_answers_leave_the_shortest_margin() -> None:
    deadline = ReplyDeadline(0.003)
    for _ in range(10):
        deadline.answered(0.001)
    assert deadline.margin == 0.003


def test_it_grows_at_once_and_falls_slowly() -> None:
    deadline = ReplyDeadline(0.001)
    deadline.answered(0.0025)
    assert deadline.margin == pytest.approx(ALLOWANCE * 0.0025)
    for _ in range(REMEMBERED):
        deadline.answered(0.0001)
    assert deadline.margin == pytest.approx(ALLOWANCE * 0.0025 / 2)


def test_it_does_not_wait_for_an_adapter_that_is_not_set_up() -> None:
    deadline = ReplyDeadline(0.003)
    deadline.answered(0.016)
    assert deadline.margin == LONGEST


def test_a_second_request_waits_where_the_first_has_left_time() -> None:
    deadline = ReplyDeadline(0.003)
    assert deadline.again == 0.003
    deadline.answered(0.0024)
    assert deadline.margin + deadline.again < LONGEST
    deadline.answered(0.0026)
    assert deadline.again == 0.0


def test_an_answer_that_came_too_late_makes_it_wait_longer() -> None:
    deadline = ReplyDeadline(0.003)
    deadline.late()
    assert deadline.margin == LONGEST


def test_a_longer_margin_that_was_chosen_stays() -> None:
    deadline = ReplyDeadline(0.1)
    deadline.answered(0.016)
    assert deadline.margin == deadline.again == 0.1
