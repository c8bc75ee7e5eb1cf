# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Present answers and old ones that come again, told apart by the servos' own clocks."""

import numpy as np
from numpy.typing import NDArray

from boa_description.arrays import Flags
from boa_hardware.servo.obedience import Disobedience, Reason

STALE = 3  # answers in a row that are not of the present
TICK_RANGE = 32_768  # of Realtime Tick, ms
SHORTEST = 2.0  # ms between two requests, from which on the clock must have gone on
GAIN, LATE = 1.25, 60.0  # by which its time may exceed ours: clock rate, ms of a packet under way


class AnswerClock:
    """Tells present answers from old ones by Realtime Tick, a servo's own count of milliseconds.

    An answer is of the present when the servo's clock has gone on since its last one, and by no
    more than the time that has passed here, which leaves room for a clock that runs fast and for a
    packet that was under way for a while.
    """

    def __init__(self, servos: int) -> None:
        self._servos = servos
        self.restart()

    def restart(self) -> None:
        """Believe the next answers."""
        self._tick = np.zeros(self._servos, np.int64)
        self._at_ns = np.full(self._servos, -1, np.int64)
        self._stale = np.zeros(self._servos, np.int64)

    def present(self, tick: NDArray[np.uint16], valid: Flags, now_ns: int) -> Flags:
        """Which of the valid answers are of the present; shape (n,).

        Args:
            tick: raw Realtime Tick. valid: where it was read. now_ns: when it was requested.
        """
        passed = (now_ns - self._at_ns) * 1e-6
        gone_on = (tick - self._tick) % TICK_RANGE
        unknown = (self._at_ns < 0) | (passed < SHORTEST) | (passed > TICK_RANGE / 2)
        fresh: Flags = valid & (unknown | ((gone_on > 0) & (gone_on <= GAIN * passed + LATE)))
        self._tick = np.where(fresh, tick, self._tick)
        self._at_ns = np.where(fresh, now_ns, self._at_ns)
        self._stale = np.where(fresh, 0, self._stale + (valid & ~fresh))
        return fresh

    def old(self) -> tuple[Disobedience, ...]:
        """Servos that have given nothing but old answers for a while."""
        return tuple(
            Disobedience(joint, Reason.OLD_ANSWERS, int(self._tick[joint]))
            for joint in np.flatnonzero(self._stale >= STALE).tolist()
        )
