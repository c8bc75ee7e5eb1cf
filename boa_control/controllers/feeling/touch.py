# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The posts that the head has touched.

The joint forces tell what pushes each link from outside; what the floor does not explain is a post.
Its place is told relative to the head, and the place of the robot drifts slowly.
"""

import cmath
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from pydantic import Field

from boa_control.controllers.base_estimate import BaseMotion
from boa_control.controllers.feeling.way import Head
from boa_control.estimation.touch_points import PassedOn, TouchPoints
from boa_control.model.dynamics import PlanarChain
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Block, Metre, Newton, Second

FRONT = 2  # links of the head that feel; the others lie where it has been


class TouchSettings(Block):
    """From when on a push is a post."""

    force: Newton = Field(default=4.0, gt=0, description="that the floor does not explain")
    lasting: Second = Field(
        default=0.05, ge=0, description="of a push on a flank; a blow turns the link as well"
    )
    post_radius: Metre = Field(default=0.05, gt=0, description="assumed of all posts")


class Felt(NamedTuple):
    """A post that was touched.

    Attributes:
        place: of its centre as x + iy, m. std: standard deviation of that, m.
        force: with which it pushed, N; 0: it is only known.
    """

    place: complex
    std: float
    force: float


class Touches:
    """Remembers the posts.

    Attributes:
        posts: those known before, then as they were found. news: of them, by the last frame.
        reach: from the middle of the body to the centre of a post that it touches, m.
    """

    def __init__(
        self,
        chain: PlanarChain,
        radius: float,
        settings: TouchSettings,
        period: float,
        known: Sequence[Felt] = (),
    ) -> None:
        """`radius` of the links, m; `period` of control, s; posts that are `known` before."""
        self._chain = chain
        self._settings = settings
        self._lasting = round(settings.lasting / period)
        self._points = TouchPoints(chain)
        self.reach = radius + settings.post_radius
        self._known = known
        self.reset()

    def reset(self) -> None:
        """Nothing has been touched."""
        self.posts = list(self._known)
        self._supposed: list[complex] = []
        self.news = False
        self._ticks = 0

    @property
    def places(self) -> Array:
        """Of all posts, felt or supposed, shape (k, 2), m."""
        places = [*(post.place for post in self.posts), *self._supposed]
        return np.array([(place.real, place.imag) for place in places]).reshape(-1, 2)

    def suppose(self, head: Head) -> None:
        """What holds up the head and is not felt is a post right before it, though on no map."""
        self._supposed.append(complex(*head.tip) + cmath.rect(self.reach, head.heading))

    def update(
        self, frame: SensorFrame, pushed: Array, motion: BaseMotion, axes: Array
    ) -> Felt | None:
        """Take a frame; the post if it is a new one.

        Args:
            pushed: forces that the floor does not explain, see `BaseEstimate`.
            axes: joint axes with both ends of the body, shape (n + 1, 2), m.
        """
        self.news = False
        front = np.nan_to_num(np.abs(pushed[-FRONT:]))
        if front.max() < self._settings.force:
            self._ticks = 0
            return None
        link = pushed.size - FRONT + int(front.argmax())
        passed_on = PassedOn(frame.effort, np.zeros(frame.effort.size))
        touch = self._points.beside(frame, passed_on, link, self.reach, pushed)
        if touch is None or touch.link < pushed.size - FRONT:
            return None
        self._ticks = 0 if touch.on_tip else self._ticks + 1
        if not touch.on_tip and self._ticks <= self._lasting:
            return None
        heading = float(motion.posture.theta[touch.link])
        place = complex(*axes[touch.link]) + touch.centre * cmath.rect(1.0, heading)
        return self._remember(Felt(place, touch.std, abs(pushed[touch.link])))

    def _remember(self, felt: Felt) -> Felt | None:
        """One so near to another that the body does not fit between is that one; the strongest push
        tells best where it stands.
        """
        for k, post in enumerate(self.posts):
            if abs(post.place - felt.place) < 2 * self.reach:
                self.news = felt.force > post.force
                if self.news:
                    self.posts[k] = felt
                return None
        self.news = True
        self.posts.append(felt)
        return felt
