# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Events as messages, typed and as sentences, there and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.event_text import text_of
from boa_control.events import Event, EventKind
from boa_control.messages.cdr import MessageError, deserialize, stamp_of
from boa_control.messages.events import (
    EventMessage,
    SentenceMessage,
    decode_events,
    decode_sentence,
    encode_events,
    encode_sentence,
)
from boa_control.messages.status import Diagnosis, Level, encode_diagnostics
from boa_control.messages.topics import EVENT_STATUS, EVENTS
from boa_control.messages.views import encode_text
from test.boa_control.strategies import events

PASSED = Event(kind=EventKind.CONTACT_PASSED, post=3, link=4, to_link=5)


@given(st.integers(0, 2**60), st.lists(events(), min_size=1, max_size=3))
def test_what_was_sent_is_read(stamp: int, told: list[Event]) -> None:
    (topic, raw), *sentences = encode_events(stamp, "controller", told)
    assert topic is EVENT_STATUS and stamp_of(raw) == stamp
    assert decode_events(raw) == tuple(EventMessage(stamp, "controller", event) for event in told)
    assert [(topic, decode_sentence(raw)) for topic, raw in sentences] == [
        (EVENTS, SentenceMessage(stamp, "controller", text_of(event))) for event in told
    ]


def test_nothing_is_sent_of_no_events() -> None:
    assert encode_events(0, "controller", ()) == []


def test_tools_read_kind_fields_sentence_and_source() -> None:
    raw = encode_events(12_346_000_000, "controller", (PASSED,))[0][1]
    (status,) = deserialize(raw, "diagnostic_msgs/msg/DiagnosticArray").status
    assert (status.name, status.message) == ("contact_passed", "pass post 3 link 4 to 5")
    assert status.hardware_id == "controller"
    assert {item.key: item.value for item in status.values} == {
        "post": "3",
        "link": "4",
        "to_link": "5",
    }


@pytest.mark.parametrize(
    ("event", "level"),
    [
        (PASSED, Level.OK),
        (Event(kind=EventKind.POST_ABSENT, post=3), Level.WARN),
        (Event(kind=EventKind.SUPERVISION, state="go", note="", place=(0, 0)), Level.OK),
        (Event(kind=EventKind.SUPERVISION, state="stopped", note="", place=(0, 0)), Level.WARN),
        (Event(kind=EventKind.SUPERVISION, state="lost", note="", place=(0, 0)), Level.ERROR),
        (Event(kind=EventKind.RUN_ENDED, state="distance"), Level.OK),
        (Event(kind=EventKind.RUN_ENDED, state="fault", subject="", note=""), Level.ERROR),
    ],
)
def test_the_level_says_how_bad_it_is(event: Event, level: Level) -> None:
    raw = encode_events(0, "controller", (event,))[0][1]
    assert deserialize(raw, "diagnostic_msgs/msg/DiagnosticArray").status[0].level == level


def array(name: str, values: dict[str, str]) -> bytes:
    return encode_diagnostics(0, (Diagnosis(name, Level.OK, "so it was", values),), "controller")


def test_a_kind_of_a_later_version_is_a_note() -> None:
    (told,) = decode_events(array("leapt", {"height": "3"}))
    assert told.event == Event(kind=EventKind.NOTE, note="so it was")


@pytest.mark.parametrize("values", [{}, {"post": "third"}, {"post": "3.5"}])
def test_an_event_without_its_fields_is_refused(values: dict[str, str]) -> None:
    with pytest.raises(MessageError, match=r"'post_absent' with .* is no event"):
        decode_events(array("post_absent", values))


@pytest.mark.parametrize(
    "text", ["", "12.5 controller gain", "now controller gain", "1.000000000 controller", "12"]
)
def test_other_strings_are_no_sentences(text: str) -> None:
    with pytest.raises(MessageError, match="is no event"):
        decode_sentence(encode_text(text))


def test_sentences_say_when_and_who() -> None:
    sentence = SentenceMessage(0, "gate", "trip command_lost: no command for 1.0 s")
    assert decode_sentence(encode_sentence(sentence)) == sentence
