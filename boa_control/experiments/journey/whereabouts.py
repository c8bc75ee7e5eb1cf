# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a robot on a journey lies, and whether it stands."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from boa_control.paths.named import segment_curve
from boa_control.paths.settings import SegmentPath
from boa_description.scene import Obstacle

STILL_SPEED, STILL_RATE = 2e-3, 5e-3  # m/s, desired, and on average, of a robot that stands
STILL_TIME = 0.8  # s for which it must; the controller itself wants less


class Place(NamedTuple):
    """In the plane, m, and the heading, rad."""

    x: float
    y: float
    heading: float


class Whereabouts:
    """As the controller tells them.

    Attributes:
        path: on which the robot lies.
        posts: of that path, by the numbers that the controller gives them.
        progress: of the middle joint on it, m; NaN until the controller has told it.
        rate: of that, m/s.
    """

    def __init__(
        self, path: SegmentPath, posts: Mapping[int, Obstacle], time: Callable[[], float]
    ) -> None:
        """`time`: the present one, s."""
        self._time = time
        self.go_over(path, posts)

    def go_over(self, path: SegmentPath, posts: Mapping[int, Obstacle]) -> None:
        """The robot is on another path; where on it, it will tell."""
        self.path, self.posts = path, posts
        self.progress = self.rate = float("nan")
        self.count_anew()

    def count_anew(self) -> None:
        """It counts as standing once it has stood for a while from now on."""
        self._still_since: float | None = None
        self._still_at = float("nan")  # progress then, m

    def update(self, progress: float, desired: float, rate: float) -> None:
        """Where the middle joint is on the path, m, and its desired and measured rate, m/s. That
        says little of rest: on a floor that rubs a robot rocks where it stands.
        """
        self.progress, self.rate = progress, rate
        if abs(desired) > STILL_SPEED:
            self._still_since = None
        elif self._still_since is None or abs(progress - self._still_at) > STILL_RATE * STILL_TIME:
            self._still_since, self._still_at = self._time(), progress

    @property
    def place(self) -> Place:
        """Of the middle joint on the path; NaN until the controller has told it."""
        curve, s = segment_curve(self.path), np.array(self.progress)
        x, y = curve.position(s)
        return Place(float(x), float(y), float(curve.heading(s)))

    @property
    def stands(self) -> bool:
        """The robot has stood for a while."""
        since = self._still_since
        return since is not None and self._time() - since >= STILL_TIME
