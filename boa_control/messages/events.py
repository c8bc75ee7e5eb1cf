"""Events as std_msgs/String: when, who and what."""

from __future__ import annotations

from dataclasses import dataclass

from boa_control.messages.cdr import SECOND, MessageError, deserialize, message, serialize
from boa_control.messages.topics import EVENTS


@dataclass(frozen=True, slots=True)
class EventMessage:
    """One event: when (ns), who reports it (controller, gate) and what happened."""

    stamp_ns: int
    source: str
    text: str


def encode_event(event: EventMessage) -> bytes:
    """Serialise an event as `seconds source text`."""
    seconds, rest = divmod(event.stamp_ns, SECOND)
    return serialize(
        message("std_msgs/msg/String", data=f"{seconds}.{rest:09d} {event.source} {event.text}")
    )


def decode_event(raw: bytes) -> EventMessage:
    """Read an event. Raises MessageError for a string of another form."""
    text = deserialize(raw, "std_msgs/msg/String").data
    stamp, _, rest = text.partition(" ")
    source, _, what = rest.partition(" ")
    seconds, _, fraction = stamp.partition(".")
    if not (seconds.isdecimal() and fraction.isdecimal() and len(fraction) == 9 and what):
        raise MessageError(
            f"{EVENTS.name}: '{text[:80]}' is no event; expected '12.346000000 controller what "
            f"happened'"
        )
    return EventMessage(int(seconds) * SECOND + int(fraction), source, what)
