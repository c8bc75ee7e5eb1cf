"""Whether a robot that should travel gets on: where it does not, nothing that the controller knows
will change that.
"""

from __future__ import annotations

SLOW_TIME = 3.0  # s without STUCK_WAY in which it should travel, after which it is slow
STUCK_TIME = 15.0  # s without STUCK_WAY in which it should travel, after which it stops
BARRED_TIME = 2.0  # s of the same at least, where something unplanned has pressed
BARRED_WAY = 0.03  # m that it should have made meanwhile
STUCK_WAY = 0.01  # m
CREEP = 2e-3  # m/s desired, below which it need not get on


class WayMade:
    """Counts the time without way."""

    def __init__(self, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._period = period
        self.reset()

    def reset(self) -> None:
        """No time has passed."""
        self._mark = 0.0  # m, path coordinate where it was last seen to travel
        self._stuck = 0.0  # s

    @property
    def doubtful(self) -> bool:
        """No way was made for so long that the robot has to be slow: where its posts push it back,
        weaker forces may let it pass.
        """
        return self._stuck >= SLOW_TIME

    def lacking(self, place: float, desired: float, standing: bool, barred: bool) -> float:
        """Update with one tick; the time, s, in which no way was made, as soon as that is too long,
        else 0.

        Args:
            place: path coordinate, m. desired: speed, m/s.
            standing: it shall stay where it is.
            barred: something unplanned has pressed on it, and no post is searched meanwhile.
        """
        if standing or abs(desired) < CREEP or abs(place - self._mark) > STUCK_WAY:
            self._mark, self._stuck = place, 0.0
            return 0.0
        self._stuck += self._period
        patience = STUCK_TIME
        if barred:
            patience = min(max(BARRED_TIME, BARRED_WAY / abs(desired)), STUCK_TIME)
        return patience if self._stuck >= patience else 0.0
