# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a robot that should travel gets on: one measure, of which all ask who slow it down, stop
it, blame a joint or tell that it stands or slips back.
"""

import math
from typing import NamedTuple

from boa_control.controllers.hoal.tuning import SHIPPED, Tuning


class Way(NamedTuple):
    """Since the robot was last seen to get on.

    Attributes:
        time: s; 0 where it gets on, or need not. made: way since then, m. enough: way that would
            have been, m.
        back: how far it is behind the foremost place that it reached on this way, m.
    """

    time: float = 0.0
    made: float = 0.0
    enough: float = 0.0
    back: float = 0.0

    def missing(self, patience: float) -> bool:
        """It has not got on for so long, s."""
        return self.time >= patience and self.made <= self.enough


class Headway:
    """Compares the way made with the way desired, from tick to tick.

    A robot that drifts by less than `stuck_way` has not got on, unless so little was desired
    meanwhile that it is `stand_share` of it.
    """

    def __init__(self, period: float, tuning: Tuning = SHIPPED) -> None:
        """`period`: of the control ticks, s."""
        self._period = period
        self._drift, self._share = tuning.supervision.stuck_way, tuning.supervision.stand_share
        self._creep = tuning.steering.still_speed
        self.reset()

    def reset(self) -> None:
        """It need not get on."""
        self._mark = 0.0  # m, where it was last seen to get on
        self._foremost = -math.inf  # m, counted in that direction
        self._ahead = 0.0  # in which it should travel, 1 or -1; 0 while it need not
        self._way = Way()

    def update(self, place: float, desired: float) -> Way:
        """Use one tick: path coordinate, m, and desired speed along the path, m/s."""
        made, speed = abs(place - self._mark), abs(desired)
        ahead = math.copysign(1.0, desired) if speed >= self._creep else 0.0
        back = self._behind(place, ahead)
        if speed < self._creep or made > self._drift:
            self._mark, self._way = place, Way(back=back)
        else:
            time, _, enough, _ = self._way
            step = self._period
            self._way = Way(time + step, made, enough + self._share * speed * step, back)
        return self._way

    def _behind(self, place: float, ahead: float) -> float:
        """How far it is behind its foremost place, m; `ahead`: as `_ahead`."""
        if ahead != self._ahead:
            self._foremost, self._ahead = -math.inf, ahead
        self._foremost = max(self._foremost, ahead * place)
        return self._foremost - ahead * place
