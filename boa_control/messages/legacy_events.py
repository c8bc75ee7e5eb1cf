# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Events of bags that have only their sentences.

The one place where sentences are read. What a run is repeated and judged by becomes the typed
event; any other sentence a note.
"""

import json
import re
from collections.abc import Callable, Mapping

from boa_control.event_text import text_of
from boa_control.events import Event, EventKind
from boa_control.messages.cdr import (
    MessageError,
)
from boa_control.messages.events import GATE, EventMessage, SentenceMessage
from boa_control.messages.topics import EVENTS
from boa_control.safety.faults import Fault, FaultName
from boa_control.safety.trips import Trip

_TOUR = {
    text_of(event): event
    for event in (Event(kind=EventKind.TOUR_ARRIVED), Event(kind=EventKind.TOUR_OVER))
}


def event_of(sentence: SentenceMessage) -> EventMessage:
    """The event that a sentence tells. Raises MessageError for a gate's fault that is none."""
    read = _gate if sentence.source == GATE else _other
    return EventMessage(sentence.stamp_ns, sentence.source, read(sentence.text))


def _other(text: str) -> Event:
    if text in _TOUR:
        return _TOUR[text]
    for form, made in _FORMS.items():
        match = form.fullmatch(text)
        if match is not None:
            return made(*match.groups())
    return Event(kind=EventKind.NOTE, note=text)


def _gate(text: str) -> Event:
    """Faults were JSON behind the word "fault", before 0.2 "joint_force: story"."""
    word, _, rest = text.partition(" ")
    try:
        if word == "fault":
            return Trip.by(Fault.of(json.loads(rest))).event()
    except ValueError as error:
        raise MessageError(f"{EVENTS.name}: '{text[:80]}' is no gate event") from error
    if word.rstrip(":") in set(FaultName):
        return Trip.by(Fault.of_story(text)).event()
    return Trip(text).event()


def _set_point(speed: str, force: str, floor: str) -> Event:
    try:
        numbers = float(speed), float(force), float(floor)
    except ValueError as error:
        told = f"{speed} m/s, {force} N, {floor} N"
        raise MessageError(f"{EVENTS.name}: set-point {told} has no numbers") from error
    return Event(
        kind=EventKind.SET_POINT, speed=numbers[0], force=numbers[1], force_floor=numbers[2]
    )


def _new_path(length: str, progress: str, record: str) -> Event:
    return Event(kind=EventKind.NEW_PATH, value=float(length), s=float(progress), record=record)


_FORMS: Mapping[re.Pattern[str], Callable[..., Event]] = {
    re.compile(r"set-point: speed (\S+) m/s, force (\S+) N, force_floor (\S+) N"): _set_point,
    re.compile(r"new path of (\S+) m from (\S+) m on: (\{.*\})"): _new_path,
    re.compile(r"target (\d+) reached"): lambda number: Event(
        kind=EventKind.TARGET_REACHED, count=int(number)
    ),
}
