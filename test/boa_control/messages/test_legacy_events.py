# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Events of bags that have only their sentences; the lines are of bags of former versions."""

from __future__ import annotations

import json

import pytest

from boa_control.event_text import text_of
from boa_control.events import Event, EventKind
from boa_control.messages.cdr import MessageError
from boa_control.messages.events import SentenceMessage
from boa_control.messages.legacy_events import event_of
from boa_control.safety.faults import Fault, FaultName
from boa_control.safety.trips import Trip

PATH = '{"path":{"kind":"segments","start":[0.0,-0.1]},"leaves":1.0000000000000002,"progress":1.5}'


@pytest.mark.parametrize(
    ("text", "event"),
    [
        (
            "set-point: speed -0.1 m/s, force 5.000000000000001 N, force_floor 1e-05 N",
            Event(kind=EventKind.SET_POINT, speed=-0.1, force=5.000000000000001, force_floor=1e-5),
        ),
        (
            f"new path of 4.000 m from 1.500 m on: {PATH}",
            Event(kind=EventKind.NEW_PATH, value=4.0, s=1.5, record=PATH),
        ),
        ("tour: arrived at the last target", Event(kind=EventKind.TOUR_ARRIVED)),
        ("tour: over", Event(kind=EventKind.TOUR_OVER)),
        ("target 2 reached", Event(kind=EventKind.TARGET_REACHED, count=2)),
        ("post 5 not there", Event(kind=EventKind.NOTE, note="post 5 not there")),
    ],
)
def test_a_sentence_of_the_controller(text: str, event: Event) -> None:
    told = event_of(SentenceMessage(7, "controller", text))
    assert (told.stamp_ns, told.source, told.event) == (7, "controller", event)
    assert text_of(told.event) == text


OVERLOAD = Fault(FaultName.JOINT_FORCE, "joint_03", "joint_03: joint force 51 N; unload it")
LOST = Fault(FaultName.COMMAND_LOST, "command", "no torque command for 0.4 s")


@pytest.mark.parametrize(
    ("text", "trip"),
    [
        ("command_age", Trip("command_age")),
        (f"fault {json.dumps(OVERLOAD.record())}", Trip.by(OVERLOAD)),
        ("joint_force: joint_03: joint force 51 N; unload it", Trip.by(OVERLOAD)),
        ("command_lost: no torque command for 0.4 s", Trip.by(LOST)),
    ],
)
def test_a_sentence_of_the_gate(text: str, trip: Trip) -> None:
    assert Trip.of_event(event_of(SentenceMessage(0, "gate", text)).event) == trip


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("controller", "set-point: speed fast m/s, force 5.0 N, force_floor 1.0 N"),
        *(
            ("gate", f"fault {rest}")
            for rest in ("", "{", "3", "{}", '{"name": "x", "subject": "", "message": ""}')
        ),
    ],
)
def test_what_is_damaged_is_refused(source: str, text: str) -> None:
    with pytest.raises(MessageError, match="/boa/events"):
        event_of(SentenceMessage(0, source, text))
