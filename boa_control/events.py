"""Events: what happened at one tick, as a kind and fields. Text is made where a person reads it.

Programs compare kinds and read fields; nothing depends on how the sentence is written. A controller
of the user that has something else to tell uses `EventKind.NOTE` with a `note`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum

Place = tuple[float, float]


class EventKind(StrEnum):
    """What happened."""

    CONTACT_GAINED = "contact_gained"  # post, link
    CONTACT_LOST = "contact_lost"  # post, link
    CONTACT_PASSED = "contact_passed"  # post, link, to_link
    SUPERVISION = "supervision"  # state, reason, place; post, link, value as the reason has them
    POST_ABSENT = "post_absent"  # post
    UNEXPECTED_CONTACT = "unexpected_contact"  # link, side, place
    UNMAPPED_POST = "unmapped_post"  # place, note: why it is not planned with
    MAP_CORRECTED = "map_corrected"  # value: largest correction, m; post
    TORQUE_WITHHELD = "torque_withheld"
    NOTE = "note"  # note


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event.

    Attributes:
        kind: what happened; it says which of the others are given.
        post: number of a post on the map. link, to_link: from 1, as links are named.
        side: of the link: "left", "right", "ahead", "behind".
        place: x and y, m. force: N. value: a figure in SI units.
        state: of a state machine, which it enters. reason: why, as its enumeration says.
        note: more for a person.
    """

    kind: EventKind
    post: int | None = None
    link: int | None = None
    to_link: int | None = None
    side: str | None = None
    place: Place | None = None
    force: float | None = None
    value: float | None = None
    state: str | None = None
    reason: str | None = None
    note: str | None = None

    def given(self) -> dict[str, object]:
        """The fields that the event has, by name; without its kind."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: value for name, value in values.items() if value is not None and name != "kind"
        }
