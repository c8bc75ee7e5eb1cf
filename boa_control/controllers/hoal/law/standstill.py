# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether the robot stands: it shall not move, and does not."""

from __future__ import annotations

STILL_REFERENCE = 2e-3  # m/s, of the speed reference; at the end of a path it fades away
STILL_RATE = 5e-3  # m/s, measured, smoothed: noise of the joint rates counts for 2 mm/s
SMOOTHING_TIME = 0.1  # s
STILL_TIME = 0.3  # s, for which both must hold


class Standstill:
    """Follows speed reference and measured rate along the path.

    Attributes:
        rate: measured, smoothed, m/s.
    """

    def __init__(self, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._period = period
        self._blend = period / (period + SMOOTHING_TIME)
        self.reset()

    def reset(self) -> None:
        """Nothing is known yet."""
        self.rate = self._time = 0.0

    @property
    def standing(self) -> bool:
        """The robot has stood for STILL_TIME."""
        return self._time >= STILL_TIME

    def update(self, reference: float, rate: float) -> None:
        """Use one tick: desired and measured rate along the path, m/s."""
        self.rate += self._blend * (rate - self.rate)
        still = abs(reference) <= STILL_REFERENCE and abs(self.rate) <= STILL_RATE
        self._time = min(self._time + self._period, STILL_TIME) if still else 0.0
