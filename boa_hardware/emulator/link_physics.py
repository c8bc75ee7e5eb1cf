"""The seam between an emulated link board and the link it sits in, and a link without simulator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class LinkReading:
    """Measurements of the sensors of one link, SI units.

    Attributes:
        acceleration: x (to the head) and y (left) of the link centre in the link frame, m/s2.
        yaw: heading, rad, counter-clockwise positive, unwrapped or not.
        yaw_rate: rad/s.
        force: on the force sensor that this link's board reads, link axes, N (x, y, z).
    """

    acceleration: tuple[float, float] = (0.0, 0.0)
    yaw: float = 0.0
    yaw_rate: float = 0.0
    force: tuple[float, float, float] = (0.0, 0.0, 0.0)


class LinkPhysics(Protocol):
    """One link as its board measures it.

    Times are seconds on the emulator's clock and never decrease.
    """

    def reading(self, now: float) -> LinkReading:
        """The sensors' measurements at `now`."""


class ScriptedLink:
    """A link whose reading is a function of time.

    Args:
        motion: time in s to reading; None: at rest.
    """

    def __init__(self, motion: Callable[[float], LinkReading] | None = None) -> None:
        self.motion = motion

    def reading(self, now: float) -> LinkReading:
        """See LinkPhysics."""
        return self.motion(now) if self.motion else LinkReading()
