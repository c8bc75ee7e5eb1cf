# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The table of transitions, by itself, and the events that its rows tell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boa_control.controllers.hoal.supervision.reasons import Finding, Reason, entered, sentence
from boa_control.controllers.hoal.supervision.supervisor import MapSupervisor
from boa_control.controllers.hoal.supervision.table import TABLE
from boa_control.controllers.hoal.supervision.watch import Watch
from boa_control.events import Event, EventKind
from boa_control.events import SupervisionState as State
from test.boa_control.controllers.hoal.supervision.watched import (
    JOINTS,
    PATH,
    PERIOD,
    ROBOT,
    TRAVEL,
    good,
    on_link,
)


def test_every_state_is_entered_and_left() -> None:
    assert {row.to for row in TABLE} == set(State)
    assert frozenset().union(*(row.states for row in TABLE)) == set(State)


def test_no_row_leads_where_the_robot_is_and_no_guard_stands_twice() -> None:
    assert not any(row.to in row.states for row in TABLE)
    guards = [row.guard for row in TABLE]
    assert len(set(guards)) == len(guards)


def test_a_stop_says_whether_it_passes() -> None:
    for row in TABLE:
        halts = row.to in (State.STOPPED, State.LOST)
        assert (row.then in (Watch.stay, Watch.rest)) == halts, row.why


def entries(supervision: MapSupervisor, **changed: Any) -> list[Event]:
    """Events until one of them has stopped the robot, or half a second."""
    events: list[Event] = []
    for _ in range(round(0.5 / PERIOD)):
        supervision.update(good(**changed), TRAVEL)
        events += supervision.events.pop()
        if supervision.halted:
            break
    return events


def at(s: float) -> tuple[float, float]:
    assert PATH is not None
    x, y = PATH.curve.position(np.array([s]))[0].tolist()
    return x, y


def test_events_have_fields(supervision: MapSupervisor) -> None:
    """2 N above the second band, across link 4, where no planned post stands."""
    here = at(good().place)
    told = entries(supervision, stray=on_link(3, 17.0), absent=np.array([5]))
    assert told[0] == Event(kind=EventKind.POST_ABSENT, post=5)
    assert told[1] == Event(
        kind=EventKind.UNEXPECTED_CONTACT, link=4, side="right", place=at(good().middle(3))
    )
    assert told[2] == Event(
        kind=EventKind.SUPERVISION,
        state="stopped",
        reason="unexpected_contact",
        place=here,
        link=4,
        note="unexpected contact on link 4",
    )
    assert len(told) == 3


@pytest.mark.parametrize(
    ("changed", "reason", "value"),
    [
        ({"shape": 0.09}, "off_shape", 0.09),
        ({"joint_force": 0.9 * ROBOT.limits.joint_force_fault}, "joint_force", 45.0),
        ({"velocity": np.full(JOINTS, 1.3)}, "joint_rate", 1.0),
        ({"rate": 0.2, "velocity": np.full(JOINTS, 0.6)}, "too_fast", 0.1),
    ],
)
def test_a_stop_tells_its_measure(
    supervision: MapSupervisor, changed: dict[str, Any], reason: str, value: float
) -> None:
    event = entries(supervision, **changed)[-1]
    assert (event.state, event.reason) == ("stopped", reason)
    assert event.value == pytest.approx(value)


def test_every_reason_has_a_sentence_of_its_own() -> None:
    full = Finding(Reason.GOES_ON, 1.0, 2, posts=(3, 4), link=5, side="left", words="map says")
    told = {sentence(full._replace(reason=reason)) for reason in Reason}
    assert len(told) == len(Reason)
    assert not any("{" in text or "None" in text for text in told)


def test_what_was_also_found_follows() -> None:
    bent = Finding(Reason.OFF_SHAPE, np.radians(4.6))
    without = Finding(Reason.NOT_AMONG_THEM, posts=(1, 23), further=bent)
    finding = Finding(Reason.FEW_AT_START, 2, 5, further=without)
    note = "2 of 5 planned posts measured at the start, not 1, 23, shape 4.6 deg off"
    assert sentence(finding) == note
    event = entered("lost", finding, (1.0, 2.0))
    assert (event.note, event.value, event.post, event.place) == (note, 2, None, (1.0, 2.0))
