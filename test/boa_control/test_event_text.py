# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The sentences of events, letter by letter: bags, documents and people know them."""

from __future__ import annotations

import pytest
from hypothesis import given

from boa_control.event_text import brief_of, text_of
from boa_control.events import Event, EventKind, PlantState
from test.boa_control.strategies import events

AT = (0.27851, 1.1294)
SENTENCES = {
    "gain post 7 link 13": Event(kind=EventKind.CONTACT_GAINED, post=7, link=13),
    "lose post 7 link 1": Event(kind=EventKind.CONTACT_LOST, post=7, link=1),
    "pass post 3 link 4 to 5": Event(kind=EventKind.CONTACT_PASSED, post=3, link=4, to_link=5),
    "lost: without post 5 too few hold the robot, at (0.279, 1.129)": Event(
        kind=EventKind.SUPERVISION,
        state="lost",
        reason="unheld",
        note="without post 5 too few hold the robot",
        place=AT,
    ),
    "joint 5 loses 2.1 N m more than its gearbox should": Event(
        kind=EventKind.JOINT_LOSSES, subject="joint 5", value=2.1
    ),
    "joint 5 loses 0.6 N m less than its gearbox should": Event(
        kind=EventKind.JOINT_LOSSES, subject="joint 5", value=-0.6
    ),
    "joints 4 and 5 stuck at 3.7 N m": Event(
        kind=EventKind.JOINTS_STICK, subject="joints 4 and 5", value=3.7
    ),
    "post 5 not there": Event(kind=EventKind.POST_ABSENT, post=5),
    "unexpected contact link 9 left at (0.279, 1.129)": Event(
        kind=EventKind.UNEXPECTED_CONTACT, link=9, side="left", place=AT
    ),
    "a post that the map has not there, at (0.279, 1.129)": Event(
        kind=EventKind.UNMAPPED_POST, place=AT
    ),
    "a post that the map has not there, at (0.279, 1.129), no way past it: why": Event(
        kind=EventKind.UNMAPPED_POST, place=AT, note="no way past it: why"
    ),
    "map corrected by 23 mm, post 5": Event(kind=EventKind.MAP_CORRECTED, value=0.0234, post=5),
    "start found at s = 1.2346 m with confidence 0.9877": Event(
        kind=EventKind.START_FOUND, s=1.23456, value=0.98765
    ),
    "start at s = 0.2973 m refuted: posts not detected": Event(
        kind=EventKind.START_REFUTED, s=0.2973, reason="not_detected"
    ),
    "set-point: speed -0.1 m/s, force 5.0 N, force_floor 1.0 N": Event(
        kind=EventKind.SET_POINT, speed=-0.1, force=5.0, force_floor=1.0
    ),
    "no new speed for 0.502 s; stopped": Event(kind=EventKind.SPEED_TIMEOUT, value=0.502),
    "new path of 4.000 m from 1.500 m on: {}": Event(
        kind=EventKind.NEW_PATH, value=4.0, s=1.5, record="{}"
    ),
    "no progress: wave 1.5 times as wide": Event(kind=EventKind.WAVE_WIDENED, value=1.5),
    "reset to the first tick; disarmed": Event(kind=EventKind.PLANT_STATE, state=PlantState.RESET),
    "push link_05 for 0.1 s: 1 N along": Event(
        kind=EventKind.LINK_PUSHED, subject="link_05", value=0.1, note="1 N along"
    ),
    "state set: link 1 at 0.5 m, -1 m, heading 0.25 rad": Event(
        kind=EventKind.ROBOT_PLACED, place=(0.5, -1.0), value=0.25
    ),
    "command_age": Event(kind=EventKind.GATE_TRIP, reason="command_age"),
    'fault {"name": "plant", "subject": "bus", "message": "bus: gone"}': Event(
        kind=EventKind.GATE_TRIP, reason="plant", subject="bus", note="bus: gone"
    ),
    "end distance": Event(kind=EventKind.RUN_ENDED, state="distance"),
    'end fault {"name": "plant", "subject": "bus", "message": "bus: gone"}': Event(
        kind=EventKind.RUN_ENDED, state="fault", reason="plant", subject="bus", note="bus: gone"
    ),
}


@pytest.mark.parametrize(("sentence", "event"), SENTENCES.items())
def test_the_sentence_of_an_event(sentence: str, event: Event) -> None:
    assert text_of(event) == sentence


@given(events())
def test_every_kind_has_a_sentence_and_a_brief_one(event: Event) -> None:
    assert text_of(event) and brief_of(event)


def test_an_event_that_lacks_a_field_has_none() -> None:
    with pytest.raises(KeyError, match="link"):
        text_of(Event(kind=EventKind.CONTACT_GAINED, post=7))
