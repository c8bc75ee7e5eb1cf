"""Sentences of the supervision as events, until it makes events itself; then this file goes, with
its calls in `controller.py`.
"""

from __future__ import annotations

import re

from boa_control.events import Event, EventKind

_AT = r"at \((?P<x>\S+), (?P<y>\S+)\)"
_STATE = re.compile(rf"(?P<state>\w+): (?P<note>.*), {_AT}")
_CONTACT = re.compile(rf"unexpected contact link (?P<link>\d+) (?P<side>\w+) {_AT}")
_ABSENT = re.compile(r"post (?P<post>\d+) not there")


def as_event(text: str) -> Event:
    """The event of a sentence."""
    if match := _ABSENT.fullmatch(text):
        return Event(kind=EventKind.POST_ABSENT, post=int(match["post"]))
    if match := _CONTACT.fullmatch(text):
        place = float(match["x"]), float(match["y"])
        link = int(match["link"])
        return Event(kind=EventKind.UNEXPECTED_CONTACT, link=link, side=match["side"], place=place)
    match = _STATE.fullmatch(text)
    assert match is not None, text
    place = float(match["x"]), float(match["y"])
    return Event(kind=EventKind.SUPERVISION, state=match["state"], place=place, note=match["note"])
