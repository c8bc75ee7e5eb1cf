# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Real-time pacing without catch-up, and the measured real-time factor."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import perf_counter

FORGIVEN = 3  # periods; a longer stall is forgotten, a shorter one made good


class Pacer:
    """Makes one tick last one period of wall-clock time.

    Small delays are made good, so the average is right. After a stall the schedule starts anew from
    now: a simulation that was stopped for a second does not run a second of ticks at once.
    """

    def __init__(self, period_s: float | None, now: Callable[[], float] = perf_counter) -> None:
        """`period_s` is the wall-clock time of a tick, s; None for as fast as it goes."""
        self._period = period_s
        self._now = now
        self._next = now()
        self.stalls = 0

    def restart(self) -> None:
        """Start the schedule from now, after a pause."""
        self._next = self._now()

    def deadline(self) -> float | None:
        """End of the present tick, on the clock of `now`; None where there is no pace."""
        return None if self._period is None else self._next + self._period

    def remaining(self) -> float:
        """Time until the end of the present tick, s; never negative."""
        deadline = self.deadline()
        return 0.0 if deadline is None else max(0.0, deadline - self._now())

    def end_tick(self) -> None:
        """Begin the next tick."""
        if self._period is None:
            return
        self._next += self._period
        if self._now() - self._next > FORGIVEN * self._period:
            self.stalls += 1
            self.restart()


class RealTimeFactor:
    """Plant time per wall-clock time over the last second."""

    def __init__(self, window_s: float = 1.0, now: Callable[[], float] = perf_counter) -> None:
        self._window = window_s
        self._now = now
        self._marks: deque[tuple[float, int]] = deque()

    def reset(self) -> None:
        """Forget the past, after a pause or a reset."""
        self._marks.clear()

    def update(self, stamp_ns: int) -> None:
        """Take the stamp of a tick."""
        now = self._now()
        self._marks.append((now, stamp_ns))
        while now - self._marks[0][0] > self._window:
            self._marks.popleft()

    @property
    def value(self) -> float:
        """The factor; NaN before the second tick."""
        if len(self._marks) < 2:
            return float("nan")
        (wall_0, stamp_0), (wall_1, stamp_1) = self._marks[0], self._marks[-1]
        return (stamp_1 - stamp_0) * 1e-9 / (wall_1 - wall_0) if wall_1 > wall_0 else float("nan")
