# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""When the head goes back: it has touched a new post, a joint carries too much, or it stands. It
goes on when it is back.
"""

from collections import deque

import numpy as np
from pydantic import Field

from boa_description.arrays import Array
from boa_description.robot import Block, Metre, Newton, Second

STUCK = 0.03  # m, less than which in its patience is standing


class RetreatSettings(Block):
    """When and how far."""

    back: Metre = Field(default=0.08, gt=0, description="by which it goes back")
    load: Newton = Field(default=28.0, gt=0, description="of a joint, from which it goes back")
    patience: Second = Field(default=14.0, gt=0, description="in which it must come on")


class Retreat:
    """Tells whether to go on or back.

    Attributes:
        back: it goes back. stands: that is what sent it back, by the last call.
    """

    def __init__(self, settings: RetreatSettings, period: float) -> None:
        """`period` of its calls, s."""
        self._settings = settings
        self._period = period
        self.reset()

    def reset(self) -> None:
        """It goes on."""
        self.back = self.stands = False
        self._to = 0.0
        self._trail: deque[Array] = deque(maxlen=round(self._settings.patience / self._period))

    def update(self, s: float, tip: Array, touched: bool, load: float) -> bool:
        """Go on by a period; whether it turns round now, either way.

        Args:
            s: place of the head on its track, m. tip: of the head, shape (2,), m.
            touched: a new post. load: largest joint force, N.
        """
        self.stands = False
        if self.back:
            self.back = s > self._to
            return not self.back
        self._trail.append(tip)
        full = len(self._trail) == self._trail.maxlen
        self.stands = full and bool(np.hypot(*(tip - self._trail[0])) < STUCK)
        self.back = touched or self.stands or load > self._settings.load
        if self.back:
            self._to = s - self._settings.back
            self._trail.clear()
        return self.back
