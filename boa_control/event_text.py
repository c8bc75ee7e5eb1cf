# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The sentences of events, for people: logs, pages and the text topic."""

import json
from collections.abc import Callable, Mapping

from boa_control.events import Event, EventKind, PlantState, StartPosts

Sentence = Callable[[Event], str]

AT = "at ({place[0]:.3f}, {place[1]:.3f})"

PLANT_STATES: Mapping[str, str] = {
    PlantState.ARMED: "armed",
    PlantState.CONFIGURED: "configured; disarmed",
    PlantState.DISARMED: "disarmed",
    PlantState.FAULTS_CLEARED: "faults cleared; disarmed",
    PlantState.TARED: "force sensors set to zero",
    PlantState.PAUSED: "paused",
    PlantState.RUNNING: "running",
    PlantState.RESET: "reset to the first tick; disarmed",
}
START_POSTS: Mapping[str, str] = {
    StartPosts.OTHER_SIDE: "detected on the other side",
    StartPosts.NOT_DETECTED: "not detected",
}


def text_of(event: Event) -> str:
    """The whole sentence, with everything from which a run is repeated.

    Raises:
        KeyError: the event lacks a field of its kind.
    """
    return _SENTENCES[event.kind](event)


def brief_of(event: Event) -> str:
    """The sentence without the numbers that nobody reads; raises as `text_of`."""
    return _BRIEF.get(event.kind, text_of)(event)


def _with(template: str) -> Sentence:
    """The fields of the event in a template."""
    return lambda event: template.format(**_told(event))


def _told(event: Event) -> dict[str, object]:
    """Its fields; a post by its name, where it has one."""
    given = event.given()
    return given if event.post_name is None else {**given, "post": event.post_name}


def _map_corrected(event: Event) -> str:
    given = _told(event)
    return f"map corrected by {1e3 * (event.value or 0.0):.0f} mm, post {given['post']}"


def _unmapped_post(event: Event) -> str:
    told = _with(f"a post that the map has not there, {AT}")(event)
    return told if event.note is None else f"{told}, {event.note}"


def _joint_losses(event: Event) -> str:
    value = event.value or 0.0
    than = "more" if value >= 0 else "less"
    return f"{event.given()['subject']} loses {abs(value):.1f} N m {than} than its gearbox should"


def _fault(event: Event) -> str:
    """The fault as JSON."""
    return json.dumps({"name": event.reason, "subject": event.subject, "message": event.note})


def _start_refuted(event: Event) -> str:
    posts = START_POSTS[str(event.reason)]
    return _with("start at s = {s:.4f} m refuted: posts ")(event) + posts


def _why(event: Event) -> str:
    """The fault, or the rule, as people read it."""
    return str(event.reason) if event.subject is None else f"{event.reason}: {event.note}"


def _gate_trip(event: Event) -> str:
    return str(event.reason) if event.subject is None else f"fault {_fault(event)}"


def _plant_state(event: Event) -> str:
    told = PLANT_STATES[str(event.state)]
    return told if event.note is None else f"{told}; {event.note}"


def _run_ended(event: Event) -> str:
    told = f"end {event.state}"
    return told if event.subject is None else f"{told} {_fault(event)}"


_SENTENCES: Mapping[EventKind, Sentence] = {
    EventKind.CONTACT_GAINED: _with("gain post {post} link {link}"),
    EventKind.CONTACT_LOST: _with("lose post {post} link {link}"),
    EventKind.CONTACT_PASSED: _with("pass post {post} link {link} to {to_link}"),
    EventKind.JOINT_LOSSES: _joint_losses,
    EventKind.JOINTS_STICK: _with("{subject} stuck at {value:.1f} N m"),
    EventKind.POST_FRICTION: _with("friction measured: {note}"),
    EventKind.SENSOR_STUCK: _with(
        "{subject} does not move while the others do, and counts as silent: check its board"
    ),
    EventKind.STANDSTILL: _with(f"stands although it should travel, {AT}: {{note}}"),
    EventKind.TORQUE_WITHHELD: _with("torque withheld"),
    EventKind.READINGS_MISSING: _with("no torque: no reading of {subject}"),
    EventKind.READINGS_AGAIN: _with("readings of all joints again after {count} ticks"),
    EventKind.SUPERVISION: _with(f"{{state}}: {{note}}, {AT}"),
    EventKind.POST_ABSENT: _with("post {post} not there"),
    EventKind.UNEXPECTED_CONTACT: _with(f"unexpected contact link {{link}} {{side}} {AT}"),
    EventKind.UNMAPPED_POST: _unmapped_post,
    EventKind.MAP_CORRECTED: _map_corrected,
    EventKind.START_FOUND: _with("start found at s = {s:.4f} m with confidence {value:.4f}"),
    EventKind.START_REFUSED: _with("start refused: {note}"),
    EventKind.START_CONFIRMED: _with("start confirmed: posts detected where the map has them"),
    EventKind.START_REFUTED: _start_refuted,
    EventKind.SET_POINT: _with(
        "set-point: speed {speed!r} m/s, force {force!r} N, force_floor {force_floor!r} N"
    ),
    EventKind.SPEED_TIMEOUT: _with("no new speed for {value:.3f} s; stopped"),
    EventKind.NEW_PATH: _with("new path of {value:.3f} m from {s:.3f} m on: {record}"),
    EventKind.NEW_PATH_REFUSED: _with("new path refused: {note}"),
    EventKind.TOUR: _with("tour: {note}"),
    EventKind.TOUR_ARRIVED: _with("tour: arrived at the last target"),
    EventKind.TOUR_OVER: _with("tour: over"),
    EventKind.TARGET_REACHED: _with("target {count} reached"),
    EventKind.GUIDE_ENDED: _with("end of the guide reached"),
    EventKind.WAVE_WIDENED: _with("no progress: wave {value:g} times as wide"),
    EventKind.PHASE: _with("phase {state}"),
    EventKind.MOTION_BLOCKED: _with("essential motion blocked by contacts"),
    EventKind.WALL_LOST: _with("wall lost"),
    EventKind.PLANT_STATE: _plant_state,
    EventKind.LINK_PUSHED: _with("push {subject} for {value:g} s: {note}"),
    EventKind.ROBOT_PLACED: _with(
        "state set: link 1 at {place[0]:g} m, {place[1]:g} m, heading {value:g} rad"
    ),
    EventKind.GATE_TRIP: _gate_trip,
    EventKind.RUN_ENDED: _run_ended,
    EventKind.NOTE: _with("{note}"),
}

_BRIEF: Mapping[EventKind, Sentence] = {
    EventKind.NEW_PATH: _with("new path of {value:.3f} m from {s:.3f} m on"),
    EventKind.GATE_TRIP: lambda event: f"gate: {_why(event)}",
    EventKind.RUN_ENDED: lambda event: (
        f"end {event.state}" if event.subject is None else f"end {event.state}: {_why(event)}"
    ),
}
