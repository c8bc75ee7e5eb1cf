"""How fast the robot may go where it has not been yet.

Where its body has passed, no post stands in its way but those that it touched. Beyond, a post that
the map does not have may stand anywhere, and the blow that it gives is proportional to the speed.
"""

from __future__ import annotations

import math

from boa_control.paths.path import Curve

BRAKING = 0.05  # m/s2, with which it slows down before it comes to where it has not been


class Frontier:
    """Keeps the part of the path that the body has passed."""

    def __init__(self, curve: Curve, speed: float) -> None:
        """`speed`: at most, m/s, outside that part; infinite: the map has all posts."""
        self._lap = curve.length if curve.closed else math.inf
        self._speed = speed
        self.reset()

    def reset(self) -> None:
        """The body has been nowhere."""
        self._first, self._last = math.inf, -math.inf

    def limit(self, tail: float, head: float, direction: int) -> float:
        """Update with the path coordinates of the links at both ends, m; return the limit, m/s.

        Args:
            direction: 1: the head leads; -1: the tail.
        """
        self._first, self._last = min(self._first, tail), max(self._last, head)
        if self._last - self._first >= self._lap:
            return math.inf
        left = tail - self._first if direction < 0 else self._last - head
        return math.sqrt(self._speed**2 + 2 * BRAKING * left)
