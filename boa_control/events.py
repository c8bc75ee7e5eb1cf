# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Events: what happened at one tick, as a kind and fields. Text is made where a person reads it.

Programs compare kinds and read fields; nothing depends on how the sentence is written
(`boa_control.event_text`). A controller of the user that has something else to tell uses
`EventKind.NOTE` with a `note`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum

Place = tuple[float, float]


class EventKind(StrEnum):
    """What happened; behind it the fields that such an event has."""

    # contacts of the path, torques and readings of the controller
    CONTACT_GAINED = "contact_gained"  # post, link
    CONTACT_LOST = "contact_lost"  # post, link
    CONTACT_PASSED = "contact_passed"  # post, link, to_link
    JOINT_LOSSES = "joint_losses"  # subject: the joint, value: more than its gearbox should, N m
    JOINTS_STICK = "joints_stick"  # subject: the joints, value: largest torque of their motors, N m
    POST_FRICTION = "post_friction"  # value: coefficient of the posts; note: with the floor's
    SENSOR_STUCK = "sensor_stuck"  # subject: the sensor
    STANDSTILL = "standstill"  # place, s, value: friction that contacts bear, count: of them, note
    TORQUE_WITHHELD = "torque_withheld"
    READINGS_MISSING = "readings_missing"  # subject: the joints
    READINGS_AGAIN = "readings_again"  # count: of the ticks without
    # the map, and how far it is trusted
    SUPERVISION = "supervision"  # state, reason, place, note; post, link, value as the reason has
    POST_ABSENT = "post_absent"  # post
    UNEXPECTED_CONTACT = "unexpected_contact"  # link, side, place
    UNMAPPED_POST = "unmapped_post"  # place, note: why it is not planned with
    MAP_CORRECTED = "map_corrected"  # value: largest correction, m; post
    # a start from an unknown place
    START_FOUND = "start_found"  # s, value: confidence
    START_REFUSED = "start_refused"  # reason, value: residual, rad, or confidence; s, note
    START_CONFIRMED = "start_confirmed"
    START_REFUTED = "start_refuted"  # s, reason: where posts are
    # set-points and paths, from which a run is repeated
    SET_POINT = "set_point"  # speed, force, force_floor
    SPEED_TIMEOUT = "speed_timeout"  # value: silence, s
    NEW_PATH = "new_path"  # value: its length, m; s: place on it; record: the path as JSON
    NEW_PATH_REFUSED = "new_path_refused"  # note
    # tours and goals
    TOUR = "tour"  # state: of the journey, note
    TOUR_ARRIVED = "tour_arrived"
    TOUR_OVER = "tour_over"  # there or not
    TARGET_REACHED = "target_reached"  # count: of those reached
    GUIDE_ENDED = "guide_ended"
    WAVE_WIDENED = "wave_widened"  # value: times as wide
    # the laws of the thesis
    PHASE = "phase"  # state
    MOTION_BLOCKED = "motion_blocked"
    WALL_LOST = "wall_lost"
    # plant and gate
    PLANT_STATE = "plant_state"  # state, note: of a robot that is armed, how it is calibrated
    LINK_PUSHED = "link_pushed"  # subject: the link, value: s, note: the wrench
    ROBOT_PLACED = "robot_placed"  # place, value: heading, rad
    GATE_TRIP = "gate_trip"  # reason; of a fault: subject, note
    RUN_ENDED = "run_ended"  # state: why; of a fault: reason, subject, note

    NOTE = "note"  # note


class SupervisionState(StrEnum):
    """How far a controller trusts its contact model: states of `EventKind.SUPERVISION`."""

    GO = "go"  # fully; nothing changes
    SLOW = "slow"  # less: low speed, weaker forces
    BACK = "back"  # without a post nothing holds the robot: back to where it is held
    STOPPED = "stopped"  # it cannot go on: it stands, held by its posts
    LOST = "lost"  # not at all: joints are damped and drawn softly to the shape they had


class StartPosts(StrEnum):
    """Where posts are at a start that is not where it was supposed: reasons of
    `EventKind.START_REFUTED`.
    """

    OTHER_SIDE = "other_side"
    NOT_DETECTED = "not_detected"


class Refused(StrEnum):
    """Why the robot must not start where it lies: reasons of `EventKind.START_REFUSED`."""

    NO_PLACE_FITS = "no_place_fits"
    UNCERTAIN = "uncertain"
    NO_SENSORS = "no_sensors"
    COASTED = "coasted"  # after its torque was away
    TILTED = "tilted"  # the floor; value of the event: rad
    NO_HOLD = "no_hold"  # too few contacts; value of the event: how many
    LAID_ELSEWHERE = "laid_elsewhere"  # than the run begins; value of the event: rad

    def lasting(self, armed: bool) -> bool:
        """Whether waiting does not help: floor and posts stay what they are, and nobody shall touch
        a robot that is armed.
        """
        forever = self in (Refused.TILTED, Refused.NO_HOLD)
        return forever or (armed and self is Refused.LAID_ELSEWHERE)


class PlantState(StrEnum):
    """What a plant has just become: states of `EventKind.PLANT_STATE`."""

    ARMED = "armed"
    CONFIGURED = "configured"
    DISARMED = "disarmed"
    FAULTS_CLEARED = "faults_cleared"
    TARED = "tared"
    PAUSED = "paused"
    RUNNING = "running"
    RESET = "reset"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event.

    Attributes:
        kind: what happened; it says which of the others are given.
        post: number of a post on the map. post_name: as its user calls it.
        link, to_link: from 1, as links are named.
        side: of the link: "left", "right", "ahead", "behind".
        place: x and y, m. s: arc length on the path, m.
        speed: m/s. force, force_floor: of a contact, N.
        value: a figure in SI units. count: how many.
        state: of a state machine, which it enters. reason: why, as its enumeration says.
        subject: name of the part concerned.
        note: more for a person. record: JSON, from which a run is repeated.
    """

    kind: EventKind
    post: int | None = None
    post_name: str | None = None
    link: int | None = None
    to_link: int | None = None
    side: str | None = None
    place: Place | None = None
    s: float | None = None
    speed: float | None = None
    force: float | None = None
    force_floor: float | None = None
    value: float | None = None
    count: int | None = None
    state: str | None = None
    reason: str | None = None
    subject: str | None = None
    note: str | None = None
    record: str | None = None

    def given(self) -> dict[str, object]:
        """The fields that the event has, by name; without its kind."""
        return {name: value for name in FIELDS if (value := getattr(self, name)) is not None}


class EventQueue:
    """Events that wait to be told, once."""

    def __init__(self) -> None:
        self._waiting: tuple[Event, ...] = ()

    def add(self, *events: Event) -> None:
        """Tell these behind the others."""
        self._waiting += events

    def pop(self) -> tuple[Event, ...]:
        """Those since the last call."""
        events, self._waiting = self._waiting, ()
        return events


def named(events: tuple[Event, ...], names: Mapping[int, str]) -> tuple[Event, ...]:
    """Events with the names of their posts; `names` by number."""
    if not names:
        return events
    return tuple(
        event if event.post is None else replace(event, post_name=names.get(event.post))
        for event in events
    )


def listed(posts: Iterable[int], names: Mapping[int, str]) -> str:
    """Posts by their names, else their numbers, in words."""
    return ", ".join(names.get(post, str(post)) for post in posts) or "none"


FIELDS = tuple(field.name for field in fields(Event) if field.name != "kind")
