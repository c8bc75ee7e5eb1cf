# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How fast the robot may go where it has not been yet.

Where its body has passed, no post stands in its way but those that it touched. Beyond, a post that
the map does not have may stand anywhere, and the blow that it gives is proportional to the speed.
"""

import math

from boa_control.paths.path import Curve
from boa_description.arrays import Array


class ExploredPath:
    """Keeps the part of the path that the body, from the middle of its first link to that of its
    last, has passed.

    Attributes:
        behind: how far behind its tail that part begins, m; also on a path that led here before.
    """

    def __init__(self, curve: Curve, speed: float, braking: float) -> None:
        """`speed`: at most, m/s, outside that part; infinite: the map has all posts. `braking`:
        with which it slows down before it comes there, m/s2.
        """
        self._lap = curve.length if curve.closed else math.inf
        self._speed = speed
        self._braking = braking
        self.reset()

    def reset(self) -> None:
        """The body has been nowhere."""
        self._first, self._last = math.inf, -math.inf
        self.behind = 0.0

    def go_on_from(self, behind: float) -> None:
        """Another path has led here, with the body on both: that far behind the tail, m, it has
        passed. What is ahead is new ground.
        """
        self.behind = behind

    def limit(self, sigma: Array, direction: int) -> float:
        """Update with where the body is; return the limit, m/s.

        Args:
            sigma: path coordinates of the ends of the links, shape (n + 1,), m.
            direction: 1: the head leads; -1: the tail.
        """
        if self._speed == math.inf:
            return math.inf
        tail = (sigma.item(0) + sigma.item(1)) / 2
        head = (sigma.item(-2) + sigma.item(-1)) / 2
        if self._first == math.inf:
            self._first = tail - self.behind
        self._first, self._last = min(self._first, tail), max(self._last, head)
        self.behind = tail - self._first
        if self._last - self._first >= self._lap:
            return math.inf
        left = tail - self._first if direction < 0 else self._last - head
        return math.sqrt(self._speed**2 + 2 * self._braking * left)
