# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Torques that the joints pass on, and friction of the floor, from the joint force sensors.

No sensor measures the torque that a joint passes on. But every link is a free body: the forces at
its joints are measured, so the sideways balance gives the force of a post, whose place on the link
the map knows, and the moment balance then gives the difference of the torques at the two joints.
From tail to head these differences add up to all torques. What the motor gives more than that is
lost in the gearbox (`gearbox_losses`).

Along a link a smooth post cannot push: whatever is missing in that direction is the floor's
friction.

Derivation: docs/mathematics.md, "Friction that nobody knows".

Friction of posts and floor from the forces along the links of a robot that slides.

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
from boa_description.chain import joint_differences

FORCE_NOISE = 1.5  # N; errors of map and model make neighbouring samples alike
POSTS_DOUBT, FLOOR_DOUBT = 0.3, 0.1  # standard deviations of the prior


class TransmittedTorques:
    """Torques that the joints pass on, from the moments on all links: T_i - T_{i-1} = m_i, T beyond
    the ends zero.

    n equations for n - 1 torques; least squares spreads what does not add up over all links.
    """

    def __init__(self, links: int) -> None:
        self._solve: Array = np.asarray(np.linalg.pinv(joint_differences(links)), float)

    def __call__(self, moment: Array) -> Array:
        """Torques, shape (n - 1,), N m, counter-clockwise on the head-side link.

        Args:
            moment: m, shape (n,): all moments on each link but those of the joint torques, less I
                alpha.
        """
        torque: Array = self._solve.dot(moment)
        return torque


class GroundFrictionObserver:
    """One coefficient of the floor's friction by recursive least squares over all links.

    Attributes:
        coefficient: mu, or the viscosity in N s/m, from 0 to the largest possible.
    """

    def __init__(
        self, coefficient: float, *, doubt: float, most: float, noise: float, memory: float
    ) -> None:
        """Start from a prior.

        Args:
            coefficient, doubt: mean and standard deviation. most: the largest possible value. All
                in one unit.
            noise: standard deviation of one force sample of one link, N.
            memory: number of samples over which old ones fade.
        """
        self._prior = (noise / doubt) ** 2
        self._start = coefficient
        self._keep = 1.0 - 1.0 / memory
        self._most = most
        self.reset()

    def reset(self) -> None:
        """Back to the prior."""
        self.coefficient = self._start
        self._square = self._product = self._rubbed = 0.0

    def update(self, force: Array, unit: Array, rubbed: Array, posts: float) -> None:
        """Update with one sample, and with what is known of the posts by now: their share of all
        samples is told anew.

        Args:
            force: measured along the links, shape (n,), N. unit, rubbed: that of the floor, and
                that of the posts, at coefficient one. posts: coefficient of the posts.
        """
        self._square = self._keep * self._square + float(unit.dot(unit))
        self._product = self._keep * self._product + float(unit.dot(force))
        self._rubbed = self._keep * self._rubbed + float(unit.dot(rubbed))
        weighted = self._product - posts * self._rubbed + self._prior * self._start
        self.coefficient = min(max(weighted / (self._square + self._prior), 0.0), self._most)


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
