# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How much of the time servos are without a fresh answer, over windows: answers that come now and
then never make a long silence, and still are too few.
"""

from collections import deque
from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array, Flags

# A lost packet costs a sample only when the second request fails as well: a share of 5 % means
# that more than a fifth of the packets is lost, 25 % half of them.
WARN = 0.05  # of the short window
TOO_MUCH = 0.25  # of the short window
TOO_MUCH_FOR_LONG = 0.10  # of the long window
SHORT, LONG = 1.0, 10.0  # s
GRACE = 1.5  # periods from one answer to the next that are as they should be


class Gap(NamedTuple):
    """A time without fresh answers.

    Attributes:
        joint: index.
        share: of a window, 0 to 1.
        window: s.
        longest: gap within the long window, s.
    """

    joint: int
    share: float
    window: float
    longest: float


class _Window:
    """Sum of what was lost within the last so many seconds."""

    def __init__(self, seconds: float, servos: int) -> None:
        self.seconds = seconds
        self.lost: deque[tuple[int, Array]] = deque()
        self._sum = np.zeros(servos)

    def add(self, now_ns: int, lost: Array) -> None:
        self.lost.append((now_ns, lost))
        self._sum += lost

    def share(self, now_ns: int) -> Array:
        """Shape (n,), of the window."""
        while self.lost and now_ns - self.lost[0][0] > self.seconds * 1e9:
            self._sum -= self.lost.popleft()[1]
        if not self.lost:
            self._sum[:] = 0.0  # no rest of rounding
        return self._sum / self.seconds


class BusQuality:
    """Watches the gaps between the answers of all servos.

    Args:
        servos: how many.
        period: s from one cycle to the next.

    Attributes:
        few: servos whose answers are too few to go on. doubtful: those that can be borne for a
            while.
    """

    def __init__(self, servos: int, period: float) -> None:
        self._servos = servos
        self._grace = GRACE * period
        self.restart()

    def restart(self) -> None:
        """Forget everything."""
        self._windows = [_Window(seconds, self._servos) for seconds in (SHORT, LONG)]
        self.few: tuple[Gap, ...] = ()
        self.doubtful: tuple[Gap, ...] = ()
        self.interrupted()

    def interrupted(self) -> None:
        """There was no cycle: nothing was lost, since nothing was requested."""
        self._answered_ns = np.full(self._servos, -1, np.int64)
        self._missed = np.zeros(self._servos, bool)

    def update(self, stamp_ns: int, valid: Flags) -> None:
        """Take the cycle of `stamp_ns` and which servos have answered in it, shape (n,)."""
        gap = (stamp_ns - self._answered_ns) * 1e-9
        # a cycle that lasts longer because of another servo takes no answer away
        back = valid & self._missed & (self._answered_ns >= 0)
        lost = np.where(back, np.maximum(gap - self._grace, 0.0), 0.0)
        self._missed = ~valid
        self._answered_ns = np.where(valid, stamp_ns, self._answered_ns)
        if lost.any():
            for window in self._windows:
                window.add(stamp_ns, lost)
        if not self._windows[-1].lost:
            self.few = self.doubtful = ()
            return
        short, long = (window.share(stamp_ns) for window in self._windows)
        history = [row for _, row in self._windows[-1].lost]
        longest = np.max(history, axis=0, initial=0.0) + self._grace
        self.few = (
            *self._gaps(short >= TOO_MUCH, short, SHORT, longest),
            *self._gaps((long >= TOO_MUCH_FOR_LONG) & (short < TOO_MUCH), long, LONG, longest),
        )
        self.doubtful = (
            *self._gaps(short >= WARN, short, SHORT, longest),
            *self._gaps((long > 0.0) & (short < WARN), long, LONG, longest),
        )

    def _gaps(self, chosen: Flags, share: Array, window: float, longest: Array) -> list[Gap]:
        return [
            Gap(joint, float(share[joint]), window, float(longest[joint]))
            for joint in np.flatnonzero(chosen).tolist()
        ]
