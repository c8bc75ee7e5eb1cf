"""Where a robot stopped for a blow, and whether it may go on."""

from __future__ import annotations

REST_TIME = 1.0  # s of quiet standing, after which a robot that stopped for a blow goes on
STOPS = 3  # of them within STOP_WAY, after which it does not
STOP_WAY = 0.1  # m


class Blows:
    """Remembers the stops for blows since the robot last stopped for another reason."""

    def __init__(self, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._period = period
        self.reset()

    def reset(self) -> None:
        """None yet."""
        self._places: list[float] = []  # path coordinates, m
        self._rested = 0.0  # s

    def record(self, place: float) -> None:
        """It stops at a path coordinate, m."""
        self._rested = 0.0
        self._places.append(place)

    def over(self, quiet: bool) -> bool:
        """Use one tick of standing; whether it was for a blow and the robot may go on.

        Args:
            quiet: it is held, and nothing is outside the band of good runs.
        """
        if not self._places:
            return False
        self._rested = self._rested + self._period if quiet else 0.0
        here = sum(abs(place - self._places[-1]) < STOP_WAY for place in self._places)
        return self._rested >= REST_TIME and here < STOPS
