# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Answers to requests through a service that carries success and a text."""

from __future__ import annotations

import pytest

from boa_control.messages.answers import BEING_CHECKED, Answer, Outcome, not_ready, read_answer


@pytest.mark.parametrize(
    ("answer", "waits"),
    [
        (Answer(Outcome.DONE, "on the new path"), False),
        (Answer(Outcome.REFUSED, "no new path has come"), False),
        (not_ready("the robot moves at 0.010 m/s"), True),
        (BEING_CHECKED, True),
    ],
)
def test_an_answer_comes_through_a_service_as_it_was(answer: Answer, waits: bool) -> None:
    assert read_answer(answer.done, answer.text) == answer
    assert answer.waits is waits
