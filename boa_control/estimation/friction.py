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
"""

import numpy as np

from boa_description.arrays import Array
from boa_description.chain import joint_differences


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
