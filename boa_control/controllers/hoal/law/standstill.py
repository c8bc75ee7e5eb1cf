# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether the robot stands: it shall not move, and does not, or only swings where it is."""

from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_control.estimation.low_pass import LowPass


class Standstill:
    """Follows speed reference and measured rate along the path.

    Posts that press with all that they may can make a body swing by a millimetre for ever. It
    stands as well: on average over `steering.patience` it does not move.

    Attributes:
        still_rate: up to which the robot stands, m/s.
    """

    def __init__(self, period: float, tuning: Tuning = SHIPPED) -> None:
        """`period`: of the control ticks, s."""
        self._period = period
        self._tuning, self._still_reference = tuning.law, tuning.steering.still_speed
        self.still_rate = tuning.law.still_rate
        self._fast = LowPass(period, tuning.law.still_filter)
        self._slow = LowPass(period, tuning.steering.patience)
        self.reset()

    def reset(self) -> None:
        """Nothing is known yet."""
        self._rate = self._mean = self._time = 0.0

    @property
    def standing(self) -> bool:
        """The robot has stood for `still_time`."""
        return self._time >= self._tuning.still_time

    def update(self, reference: float, rate: float) -> None:
        """Use one tick: desired and measured rate along the path, m/s."""
        self._rate = self._fast.follow(self._rate, rate)
        resting = abs(reference) <= self._still_reference
        self._mean += (self._slow.share if resting else 1.0) * (rate - self._mean)
        tuning = self._tuning
        still = resting and min(abs(self._rate), abs(self._mean)) <= self.still_rate
        self._time = min(self._time + self._period, tuning.still_time) if still else 0.0
