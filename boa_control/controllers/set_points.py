# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Changes of the set-point of a run, and the events that record them.

A run that is steered is repeated from its record: every change of the set-point is an event at the
tick from which it acts, with all its numbers.
"""

from dataclasses import asdict, replace
from typing import Self

from pydantic import Field, model_validator

from boa_control.controller import SetPoint
from boa_control.events import Event, EventKind
from boa_description.errors import BoaError
from boa_description.robot import Block, Newton, Second

HIGHEST_SPEED = 2.0  # m/s, of any robot here; a controller's own limit may be lower
LARGEST_FORCE = 1000.0  # N, far above what any joint here can press


class SetPointChange(Block):
    """A change of the set-point at a time of the run; what is left out stays as it is."""

    time: Second = Field(ge=0, description="since the first tick")
    speed: float | None = Field(
        default=None,
        ge=-HIGHEST_SPEED,
        le=HIGHEST_SPEED,
        description="along the path, m/s; negative: back, 0: stop and hold",
    )
    force: Newton | None = Field(default=None, ge=0, description="desired on every contact")
    force_floor: Newton | None = Field(default=None, ge=0, description="kept on every contact")

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if self.speed is None and self.force is None and self.force_floor is None:
            raise ValueError("a set-point changes speed, force or force_floor; give one of them")
        return self

    def applied_to(self, set_point: SetPoint) -> SetPoint:
        """The set-point after this change."""
        changes = {
            name: value for name in asdict(set_point) if (value := getattr(self, name)) is not None
        }
        return replace(set_point, **changes)


def require_possible(set_point: SetPoint) -> None:
    """Refuse a set-point that no controller can follow.

    Raises:
        BoaError: a value that is not finite, a speed or a force beyond its limits.
    """
    if not abs(set_point.speed) <= HIGHEST_SPEED:
        raise BoaError(
            f"set-point speed {set_point.speed:g} m/s; expected -{HIGHEST_SPEED:g} to "
            f"{HIGHEST_SPEED:g} m/s"
        )
    for name in ("force", "force_floor"):
        value = getattr(set_point, name)
        if not 0 <= value <= LARGEST_FORCE:
            raise BoaError(f"set-point {name} {value:g} N; expected 0 to {LARGEST_FORCE:g} N")


def set_point_event(set_point: SetPoint) -> Event:
    """The event that records a set-point; every digit counts."""
    return Event(
        kind=EventKind.SET_POINT,
        speed=float(set_point.speed),
        force=float(set_point.force),
        force_floor=float(set_point.force_floor),
    )


def recorded_set_point(event: Event) -> SetPoint | None:
    """The set-point that an event records; None for an event of another kind."""
    if event.kind is not EventKind.SET_POINT:
        return None
    if event.speed is None or event.force is None or event.force_floor is None:
        raise BoaError(f"set-point {event.given()} lacks a number; is the bag damaged?")
    return SetPoint(event.speed, event.force, event.force_floor)
