# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A contact that is counted to two links by turns is told once."""

from __future__ import annotations

from boa_control.events import Event, EventKind
from boa_tools.report.calm_events import calmed
from boa_tools.runs.runlog import LoggedEvent


def passed(time: float, post: int, link: int, to_link: int) -> LoggedEvent:
    event = Event(kind=EventKind.CONTACT_PASSED, post=post, link=link, to_link=to_link)
    return LoggedEvent(round(time * 1e9), event)


def told(events: list[LoggedEvent]) -> list[str]:
    return [event.text for event in calmed(events)]


def test_seven_turns_in_a_fifth_of_a_second_are_one_pass() -> None:
    turns = [passed(1.0 + 0.03 * k, 3, 5 - k % 2, 4 + k % 2) for k in range(7)]
    other = passed(1.05, 8, 2, 1)
    assert told([*turns[:3], other, *turns[3:]]) == [
        "pass post 3 link 5 to 4",
        "pass post 8 link 2 to 1",
    ]


def test_one_that_comes_back_at_once_has_not_passed() -> None:
    assert told([passed(1.0, 3, 5, 4), passed(1.1, 3, 4, 5)]) == []


def test_passes_that_take_their_time_or_follow_a_loss_are_told_each() -> None:
    lost = LoggedEvent(1_100_000_000, Event(kind=EventKind.CONTACT_LOST, post=3, link=4))
    slow = [passed(1.0, 3, 5, 4), passed(2.0, 3, 4, 5)]
    assert len(told(slow)) == 2
    assert len(told([passed(1.0, 3, 5, 4), lost, passed(1.2, 3, 4, 5)])) == 3
