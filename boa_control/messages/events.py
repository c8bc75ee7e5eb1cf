# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Events as messages: typed, for programs, and as sentences, for people.

`event_status` has the events of one source at one tick: diagnostic_msgs/DiagnosticStatus each, with
kind (name), fields (values), sentence (message) and source (hardware_id). They travel in a
DiagnosticArray, since a DiagnosticStatus has no stamp: with its header, whoever sorts messages by
time need not read them. `events` has the sentences alone, one std_msgs/String each.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boa_control.event_text import text_of
from boa_control.events import Event, EventKind, SupervisionState
from boa_control.messages.cdr import (
    SECOND,
    MessageError,
    deserialize,
    message,
    nanoseconds,
    serialize,
)
from boa_control.messages.status import Diagnosis, Level, encode_diagnostics
from boa_control.messages.topics import EVENT_STATUS, EVENTS, Outgoing
from boa_control.safety.ended import Reason

CONTROLLER, GATE, PLANT = "controller", "gate", "plant"  # sources

LEVELS: Mapping[tuple[EventKind, str | None], Level] = {
    (EventKind.JOINT_LOSSES, None): Level.WARN,
    (EventKind.JOINTS_STICK, None): Level.WARN,
    (EventKind.POST_FRICTION, None): Level.WARN,
    (EventKind.SENSOR_STUCK, None): Level.WARN,
    (EventKind.STANDSTILL, None): Level.WARN,
    (EventKind.TORQUE_WITHHELD, None): Level.WARN,
    (EventKind.READINGS_MISSING, None): Level.WARN,
    (EventKind.SUPERVISION, SupervisionState.SLOW): Level.WARN,
    (EventKind.SUPERVISION, SupervisionState.BACK): Level.WARN,
    (EventKind.SUPERVISION, SupervisionState.STOPPED): Level.WARN,
    (EventKind.SUPERVISION, SupervisionState.LOST): Level.ERROR,
    (EventKind.POST_ABSENT, None): Level.WARN,
    (EventKind.UNEXPECTED_CONTACT, None): Level.WARN,
    (EventKind.UNMAPPED_POST, None): Level.WARN,
    (EventKind.START_REFUSED, None): Level.WARN,
    (EventKind.SPEED_TIMEOUT, None): Level.WARN,
    (EventKind.NEW_PATH_REFUSED, None): Level.WARN,
    (EventKind.MOTION_BLOCKED, None): Level.WARN,
    (EventKind.WALL_LOST, None): Level.WARN,
    (EventKind.GATE_TRIP, None): Level.ERROR,
    (EventKind.RUN_ENDED, Reason.FAULT): Level.ERROR,
}


@dataclass(frozen=True, slots=True)
class EventMessage:
    """One event: when (ns), who reports it (controller, gate, plant) and what happened."""

    stamp_ns: int
    source: str
    event: Event


@dataclass(frozen=True, slots=True)
class SentenceMessage:
    """The sentence of an event: when (ns), who reports it and what happened."""

    stamp_ns: int
    source: str
    text: str


def level_of(event: Event) -> Level:
    """How bad it is."""
    by_kind = LEVELS.get((event.kind, None), Level.OK)
    return LEVELS.get((event.kind, event.state), by_kind)


def encode_events(stamp_ns: int, source: str, events: Sequence[Event]) -> Outgoing:
    """The messages of the events of one source at one tick, typed ones first."""
    if not events:
        return []
    lines = [
        Diagnosis(
            event.kind,
            level_of(event),
            text_of(event),
            {name: _written(value) for name, value in event.given().items()},
        )
        for event in events
    ]
    return [
        (EVENT_STATUS, encode_diagnostics(stamp_ns, lines, source)),
        *((EVENTS, encode_sentence(SentenceMessage(stamp_ns, source, one.text))) for one in lines),
    ]


def decode_events(raw: bytes) -> tuple[EventMessage, ...]:
    """Read typed events. A kind that this version does not know becomes a note with its sentence.

    Raises:
        MessageError: an event lacks a field of its kind, or one is no number.
    """
    content = deserialize(raw, EVENT_STATUS.msgtype)
    stamp = nanoseconds(content.header.stamp)
    return tuple(EventMessage(stamp, one.hardware_id, _event(one)) for one in content.status)


def encode_sentence(sentence: SentenceMessage) -> bytes:
    """Serialise the sentence of an event as `seconds source text`."""
    seconds, rest = divmod(sentence.stamp_ns, SECOND)
    text = f"{seconds}.{rest:09d} {sentence.source} {sentence.text}"
    return serialize(message("std_msgs/msg/String", data=text))


def decode_sentence(raw: bytes) -> SentenceMessage:
    """Read the sentence of an event. Raises MessageError for a string of another form."""
    text = deserialize(raw, "std_msgs/msg/String").data
    stamp, _, rest = text.partition(" ")
    source, _, what = rest.partition(" ")
    seconds, _, fraction = stamp.partition(".")
    if not (seconds.isdecimal() and fraction.isdecimal() and len(fraction) == 9 and what):
        raise MessageError(
            f"{EVENTS.name}: '{text[:80]}' is no event; expected '12.346000000 controller what "
            f"happened'"
        )
    return SentenceMessage(int(seconds) * SECOND + int(fraction), source, what)


def _event(status: Any) -> Event:
    if status.name not in set(EventKind):
        return Event(kind=EventKind.NOTE, note=status.message)
    values = {item.key: item.value for item in status.values}
    try:
        fields = {name: read(values[name]) for name, read in _READ.items() if name in values}
        event = Event(kind=EventKind(status.name), **fields)
        text_of(event)
    except (KeyError, ValueError) as error:
        raise MessageError(
            f"{EVENT_STATUS.name}: '{status.name}' with {values} is no event: {error}"
        ) from error
    return event


def _written(value: object) -> str:
    """A field as text, with every digit."""
    if isinstance(value, tuple):
        return " ".join(map(_written, value))
    return repr(float(value)) if isinstance(value, float) else str(value)


def _place(text: str) -> tuple[float, float]:
    x, y = map(float, text.split())
    return x, y


_READ: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("post", "link", "to_link", "count"), int),
    **dict.fromkeys(("s", "speed", "force", "force_floor", "value"), float),
    **dict.fromkeys(("post_name", "side", "state", "reason", "subject", "note", "record"), str),
    "place": _place,
}
"""How each field of an event is read back."""
