# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The seam between an emulated link board and the link it sits in."""

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
