"""Events as strings, there and back."""

from __future__ import annotations

import pytest

from boa_control.messages.cdr import MessageError
from boa_control.messages.events import EventMessage, decode_event, encode_event
from boa_control.messages.views import encode_text


@pytest.mark.parametrize(
    "text", ["", "12.5 controller gain", "now controller gain", "1.000000000 controller", "12"]
)
def test_other_strings_are_no_events(text: str) -> None:
    with pytest.raises(MessageError, match="is no event"):
        decode_event(encode_text(text))


def test_events_say_when_and_who() -> None:
    event = EventMessage(0, "gate", "trip command_lost: no command for 1.0 s")
    assert decode_event(encode_event(event)) == event
