# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A wave that meets no posts widens until it does.

On a floor that is alike in all directions nothing moves a robot that touches no posts, or the wrong
ones: its wave runs on the spot. After `patience` without `progress` the amplitude of the points
that are appended from then on grows by `step` times that of the gait, up to `most` times; progress
brings it back at once.
"""

from pydantic import Field

from boa_description.robot import (
    Block,
    Metre,
    Second,
)


class WideningSettings(Block):
    """When and how far the wave widens."""

    patience: Second = Field(default=5.0, gt=0, description="without progress")
    progress: Metre = Field(default=0.1, gt=0, description="along the guide, that counts as some")
    step: float = Field(default=0.5, ge=0, description="of the amplitude, each time")
    most: float = Field(default=1.0, ge=1, description="times the amplitude; 1: it stays")


class Widening:
    """Width of the wave, tick by tick.

    Attributes:
        width: times the amplitude of the gait.
    """

    def __init__(self, settings: WideningSettings, period: float) -> None:
        """Control period in s."""
        self._settings = settings
        self._period = period
        self.reset()

    def reset(self) -> None:
        """The next tick is the first of a new run."""
        self.width = 1.0
        self._anchor: float | None = None  # m along the guide, from which progress counts
        self._waited = 0.0  # s

    def update(self, place: float) -> bool:
        """Go on by one control period at a place along the guide, m; whether the wave has widened
        now.
        """
        s = self._settings
        if self._anchor is None:
            self._anchor = place
        self._waited += self._period
        if place > self._anchor + s.progress:
            self._anchor, self._waited, self.width = place, 0.0, 1.0
        elif self._waited > s.patience:
            before, self.width = self.width, min(self.width + s.step, s.most)
            self._anchor, self._waited = place, 0.0
            return self.width > before
        return False
