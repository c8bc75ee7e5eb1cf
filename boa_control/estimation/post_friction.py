# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction of posts and floor from the forces along the links of a robot that slides.

Along link i a post pushes with its friction alone, and the floor with its own:

    f_i = - d (mu_p |N_i| + mu_f m g),

with d the direction of travel, N_i the force across the link, of its post, and f_i what the joint
force sensors and the accelerometers leave along it (`link_forces`). Least squares over all links
and samples, which fade, with a prior, give both coefficients and their covariance. A post that
touches near a joint is left out: there its normal may point along the link.
"""

import math
from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array

FORCE_NOISE = 1.5  # N; errors of map and model make neighbouring samples alike
POSTS_DOUBT, FLOOR_DOUBT = 0.3, 0.1  # standard deviations of the prior


class Estimate(NamedTuple):
    """Coefficients of posts and floor with their standard deviations."""

    posts: float
    floor: float
    posts_std: float
    floor_std: float


class PostFrictionObserver:
    """Two coefficients by recursive least squares."""

    def __init__(self, posts: float, floor: float, weight: float, memory: float) -> None:
        """Start from what is known.

        Args:
            posts, floor: coefficients. weight: of a link, N. memory: samples over which old ones
                fade.
        """
        self._start = np.array([posts, floor])
        self._prior = np.diag([FORCE_NOISE / POSTS_DOUBT, FORCE_NOISE / FLOOR_DOUBT]) ** 2
        self._weight = weight
        self._keep = 1.0 - 1.0 / memory
        self.reset()

    def reset(self) -> None:
        """Back to the prior."""
        self._square, self._product = np.zeros((2, 2)), np.zeros(2)

    def update(self, along: Array, normal: Array, direction: int) -> None:
        """Use one sample of a robot that slides.

        Args:
            along: force on each link from outside along it, shape (n,), N; NaN: not known.
            normal: size of the force of the posts on each, shape (n,), N; NaN where a post touches
                near its end. direction: 1 if the head leads, -1 if the tail does.
        """
        known = np.isfinite(along) & np.isfinite(normal)
        parts = np.column_stack([normal[known], np.full(np.count_nonzero(known), self._weight)])
        self._square = self._keep * self._square + parts.T @ parts
        self._product = self._keep * self._product - direction * (parts.T @ along[known])

    @property
    def estimate(self) -> Estimate:
        """What is known by now."""
        square = self._square + self._prior
        posts, floor = np.linalg.solve(square, self._product + self._prior @ self._start).tolist()
        variance = FORCE_NOISE**2 * np.diag(np.linalg.inv(square))
        stds = [math.sqrt(one) for one in variance.tolist()]
        return Estimate(max(posts, 0.0), max(floor, 0.0), *stds)
