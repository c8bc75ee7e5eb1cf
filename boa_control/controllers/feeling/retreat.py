# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""When the head goes back, and when it goes on again.

| it goes back by | where |
|---|---|
| `back` | it has touched a new post |
| `back` | a joint carries `load` |
| twice that | it has come less than STUCK far in `patience`; it shuns the place |

It goes on when it is back, or after as long as it should have taken twice.
"""

from collections import deque

import numpy as np
from pydantic import Field

from boa_control.controllers.feeling.way import Head
from boa_description.arrays import Array
from boa_description.robot import Block, Metre, Newton, Second

STUCK = 0.03  # m
AHEAD = 0.08  # m before the tip, where it met what it cannot pass
MEMORY = 6  # places that are shunned


class RetreatSettings(Block):
    """When and how far."""

    back: Metre = Field(default=0.08, gt=0, description="after a touch")
    load: Newton = Field(default=28.0, gt=0, description="of a joint, from which it goes back")
    patience: Second = Field(default=14.0, gt=0, description="in which it must come on")


class Retreat:
    """Tells whether to go on or back.

    Attributes:
        back: it goes back.
        shunned: places where it stood still, shape (k, 2), m.
    """

    def __init__(self, settings: RetreatSettings, speed: float, period: float) -> None:
        """`speed` of the head, m/s; `period` of its calls, s."""
        self._settings = settings
        self._speed, self._period = speed, period
        self.reset()

    def reset(self) -> None:
        """It goes on and has stood nowhere."""
        self.back = False
        self._to, self._left = 0.0, 0.0
        self._trail: deque[Array] = deque(maxlen=round(self._settings.patience / self._period))
        self._shunned: deque[Array] = deque(maxlen=MEMORY)

    @property
    def shunned(self) -> Array:
        """Places where the head stood still, shape (k, 2), m."""
        return np.array(self._shunned).reshape(-1, 2)

    def update(self, s: float, head: Head, touched: bool, load: float) -> bool:
        """Go on by a period; whether it turns round now, either way.

        Args:
            s: place of the head on its track, m. touched: a new post. load: largest joint force, N.
        """
        if self.back:
            self._left -= self._period
            self.back = s > self._to and self._left > 0.0
            return not self.back
        self._trail.append(head.tip)
        full = len(self._trail) == self._trail.maxlen
        stuck = full and bool(np.hypot(*(head.tip - self._trail[0])) < STUCK)
        if not (touched or stuck or load > self._settings.load):
            return False
        if stuck:
            ahead = np.array([np.cos(head.heading), np.sin(head.heading)])
            self._shunned.append(head.tip + AHEAD * ahead)
        way = self._settings.back * (2 if stuck else 1)
        self.back = True
        self._to, self._left = s - way, 2 * way / self._speed
        self._trail.clear()
        return True
