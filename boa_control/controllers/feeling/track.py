# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The track of the head, and the joint angles of a body that lies on it: each link leads along the
chord of its piece of the track.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boa_description.arrays import Array

STEP = 0.01  # m between the headings of a track
BEHIND = 1.0  # m of track behind the tail, for going back; straight at first


@dataclass(frozen=True)
class Track:
    """A track of the head.

    Attributes:
        heading: of every STEP, shape (k,), rad; only its changes matter.
        start: arc length where it begins, m.
    """

    heading: Array
    start: float = 0.0

    @property
    def end(self) -> float:
        """Arc length, m."""
        return self.start + STEP * self.heading.size

    @cached_property
    def _integral(self) -> Array:
        """Of the heading over the arc length."""
        return np.append(0.0, np.cumsum(self.heading) * STEP)

    def angles(self, s: float, links: int, pitch: float) -> Array:
        """Joint angles of a chain with its head end at s, m; shape (links - 1,), rad."""
        at = (s - self.start - pitch * np.arange(links, -1, -1)) / STEP
        integral = np.interp(at, np.arange(self._integral.size), self._integral)
        angles: Array = np.diff(integral, 2) / pitch
        return angles

    def before(self, s: float, length: float) -> Array:
        """Headings of a length, m, until s, m, against the last one, shape (k,), rad."""
        until = round((s - self.start) / STEP)
        before: Array = self.heading[until - round(length / STEP) : until] - self.heading[until - 1]
        return before

    def bend(self, s: float) -> float:
        """Curvature at s, m, in 1/m."""
        k = round((s - self.start) / STEP)
        return float(self.heading[k] - self.heading[k - 1]) / STEP

    def led_on(self, s: float, curvature: float, length: float, body: float) -> "Track":
        """The track until s, m, then a piece of a curvature, 1/m, and a length, m.

        Args:
            body: length of the chain, m; what is far behind it is forgotten.
        """
        until = round((s - self.start) / STEP)
        dropped = max(0, until - round((body + BEHIND) / STEP))
        old = self.heading[dropped:until]
        new = old[-1] + curvature * STEP * np.arange(1, round(length / STEP) + 1)
        return Track(np.concatenate((old, new)), self.start + dropped * STEP)


def laid(joints: Array, pitch: float) -> tuple[Track, float]:
    """A track on which a chain with these joint angles lies, and the place of its head there, m."""
    each = pitch / STEP
    links = np.append(0.0, np.cumsum(joints))
    cells = np.arange(math.ceil(each * links.size))
    heading = np.concatenate((np.zeros(round(BEHIND / STEP)), links[(cells / each).astype(int)]))
    return Track(heading), BEHIND + pitch * links.size
