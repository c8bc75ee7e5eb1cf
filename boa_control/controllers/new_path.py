# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A new path for a robot that lies on one already, and the event that records it.

A run that went over to new paths is repeated from its record: each is an event at the tick from
which it acts, with all its numbers.
"""

from collections.abc import Sequence
from typing import Self

import numpy as np
from pydantic import Field, ValidationError

from boa_control.controller import SetPoint
from boa_control.controllers.set_points import HIGHEST_SPEED
from boa_control.events import Event, EventKind
from boa_control.paths.named import segment_path
from boa_control.paths.path import PlannedPath
from boa_control.paths.settings import SegmentPath
from boa_description.robot import Block, Metre, Newton, Second
from boa_description.scene import Circle, Obstacle
from boa_description.validation import explain

NEAR_END = 0.02  # m before the end of its path, where a robot that stands has arrived
SAME_POST = 0.1  # m; a post that stands no further from its former place is the same post


class NewPath(Block):
    """A path that goes on from the one on which the robot lies, and how it is travelled.

    Both are the same under the body of a robot whose middle joint is at `leaves` on its present
    path, which is `progress` on the new one.
    """

    path: SegmentPath
    leaves: Metre = Field(
        description="arc length of the middle joint on the present path, up to which both are one; "
        "a robot that is further on first goes back to there"
    )
    progress: Metre = Field(description="arc length of the same place on the new path")
    speed: float | None = Field(
        default=None, gt=0, le=HIGHEST_SPEED, description="from there on, m/s; else as before"
    )
    force: Newton | None = Field(default=None, ge=0, description="from there on; else as before")
    force_floor: Newton | None = Field(
        default=None, ge=0, description="from there on; else as before"
    )

    def set_point(self, before: SetPoint) -> SetPoint:
        """The set-point with which the new path is travelled."""
        return SetPoint(
            before.speed if self.speed is None else self.speed,
            before.force if self.force is None else self.force,
            before.force_floor if self.force_floor is None else self.force_floor,
        )

    def planned(self, body_radius: float, known: Sequence[Obstacle]) -> PlannedPath:
        """The path, whose posts have the numbers that they have among the `known` obstacles; posts
        that are new come after them.

        Raises:
            BoaError: as `segment_path`.
        """
        return numbered_path(self.path, body_radius, known)

    def with_contacts_only(self) -> Self:
        """The same without the posts that it does not touch."""
        used = sorted({contact.post for contact in self.path.contacts})
        path = self.path.model_copy(
            update={
                "posts": tuple(self.path.posts[k] for k in used),
                "contacts": tuple(
                    contact.model_copy(update={"post": used.index(contact.post)})
                    for contact in self.path.contacts
                ),
            }
        )
        return self.model_copy(update={"path": path})


def numbered_path(
    settings: SegmentPath, body_radius: float, known: Sequence[Obstacle]
) -> PlannedPath:
    """A path whose posts have the numbers that they have among the `known` obstacles; posts that
    are new come after them. Raises BoaError as `segment_path`.
    """
    path = segment_path(settings, body_radius)
    numbers = _numbers(path.posts, known)
    return PlannedPath(path.curve, path.contacts, path.bystanders, numbers)


class PathChange(NewPath):
    """A new path at a time of the run."""

    time: Second = Field(
        default=0.0, ge=0, description="since the first tick; the robot must stand by then"
    )
    pause: Second = Field(
        default=0.0, ge=0, description="that the robot stands at least before it goes on"
    )


def read_new_path(text: str) -> NewPath:
    """The new path that a message carries as JSON.

    Raises:
        BoaError: it is none, with the key and the reason.
    """
    try:
        return NewPath.model_validate_json(text)
    except ValidationError as error:
        raise explain(error, NewPath, "new path") from error


def new_path_event(new: NewPath) -> Event:
    """The event that records a new path; every digit counts."""
    short = NewPath.model_validate(new.with_contacts_only().model_dump(include=set(_FIELDS)))
    length = sum(length for length, _ in new.path.segments)
    record = short.model_dump_json()
    return Event(kind=EventKind.NEW_PATH, value=length, s=new.progress, record=record)


_FIELDS = tuple(NewPath.model_fields)


def recorded_new_path(event: Event) -> NewPath | None:
    """The new path that an event records; None for an event of another kind."""
    return None if event.kind is not EventKind.NEW_PATH else read_new_path(event.record or "")


def _numbers(posts: Sequence[Circle], known: Sequence[Obstacle]) -> tuple[int, ...]:
    """Index of each post among the known obstacles, by place; the closest find each other first.
    scipy's assignment would take half a second to import, which a running robot does not have.
    """
    places = [
        (obstacle.x, obstacle.y) if isinstance(obstacle, Circle) else (np.inf, np.inf)
        for obstacle in known
    ]
    free = len(known)
    if not places or not posts:
        return tuple(range(free, free + len(posts)))
    at = np.array([[post.x, post.y] for post in posts])
    apart = np.linalg.norm(at[:, None] - np.array(places), axis=2)
    numbers: dict[int, int] = {}
    for pair in np.argsort(apart, axis=None).tolist():
        post, number = divmod(pair, len(places))
        if apart[post, number] > SAME_POST:
            break
        if post not in numbers and number not in numbers.values():
            numbers[post] = number
    new = iter(range(free, free + len(posts)))
    return tuple(numbers[k] if k in numbers else next(new) for k in range(len(posts)))
