# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a robot that should travel gets on: one measure, of which all ask who slow it down, stop
it, blame a joint or tell that it stands.
"""

from __future__ import annotations

from typing import NamedTuple

from boa_control.controllers.hoal.tuning import SHIPPED, Tuning


class Way(NamedTuple):
    """Since the robot was last seen to get on.

    Attributes:
        time: s; 0 where it gets on, or need not. made: way since then, m. enough: way that would
            have been, m.
    """

    time: float = 0.0
    made: float = 0.0
    enough: float = 0.0

    def missing(self, patience: float) -> bool:
        """It has not got on for so long, s."""
        return self.time >= patience and self.made <= self.enough


class WayMade:
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
        self._way = Way()

    def update(self, place: float, desired: float) -> Way:
        """Use one tick: path coordinate, m, and desired speed along the path, m/s."""
        made, desired = abs(place - self._mark), abs(desired)
        if desired < self._creep or made > self._drift:
            self._mark, self._way = place, Way()
        else:
            time, _, enough = self._way
            step = self._period
            self._way = Way(time + step, made, enough + self._share * desired * step)
        return self._way
