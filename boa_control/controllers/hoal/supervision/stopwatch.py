# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""For how long something lasts, counted from tick to tick."""


class Stopwatch:
    """Counts the time in which something holds without a break.

    Attributes:
        time: of the last tick, s.
    """

    def __init__(self, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._period = period
        self.reset()

    def reset(self) -> None:
        """No time has passed."""
        self.time = 0.0

    def update(self, holds: bool) -> float:
        """Use one tick; the time, s, 0 where it does not hold."""
        self.time = self.time + self._period if holds else 0.0
        return self.time
