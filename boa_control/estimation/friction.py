"""Friction of joints and floor from the joint force sensors, while the robot moves.

No sensor measures the torque that a joint passes on. But every link is a free body: the forces at
its joints are measured, so the sideways balance gives the force of a post, whose place on the link
the map knows, and the moment balance then gives the difference of the torques at the two joints.
From tail to head these differences add up to all torques. What the motor gives more than that is
friction: c sgn(rate) + d rate.

Along a link a smooth post cannot push: whatever is missing in that direction is the floor's
friction.

Derivation: docs/mathematics.md, "Friction that nobody knows".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boa_control.compiled.friction import add_sample, gearboxes
from boa_description.arrays import Array, Flags
from boa_description.chain import joint_differences

SMALLEST_SPREAD = 1e-3  # N m and N m s; how alike gearboxes without friction are


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


@dataclass(frozen=True, slots=True)
class GearboxFriction:
    """Dry (N m) and viscous (N m s) gearbox friction; values, standard deviations or shares."""

    coulomb: float
    damping: float


class JointFrictionObserver:
    """Dry and viscous friction c_i + d_i |rate_i| of every joint by recursive least squares.

    A sample with known sign of the rate is one equation for two numbers. Old samples are forgotten,
    but only when new ones come: a joint at rest keeps what it knows. Gearboxes of one kind are
    alike, so the average gearbox is estimated first, and every single one is taken for the average
    as far as its own samples do not say otherwise.

    Attributes:
        coulomb: c, shape (n - 1,), N m, >= 0.
        damping: d, shape (n - 1,), N m s, >= 0.
    """

    def __init__(
        self,
        joints: int,
        briefed: GearboxFriction,
        *,
        doubt: GearboxFriction,
        spread: GearboxFriction,
        noise: float,
        memory: float,
    ) -> None:
        """Start from prior knowledge.

        Args:
            briefed: friction of the average gearbox.
            doubt: standard deviation of the average gearbox from `briefed`.
            spread: standard deviation of single gearboxes from the average, as a share of the
                average.
            noise: standard deviation of one sample of friction torque, N m.
            memory: number of samples over which old ones fade.
        """
        self._joints = joints
        self._briefed = briefed
        self._keep = 1.0 - 1.0 / memory
        self._noise = noise
        weight = (noise / np.array([doubt.coulomb, doubt.damping])) ** 2
        self._prior = np.array([[briefed.coulomb, briefed.damping], weight])
        self._spread = np.array([spread.coulomb, spread.damping])
        self.reset()

    def reset(self) -> None:
        """Back to the prior."""
        self.coulomb = np.full(self._joints, self._briefed.coulomb)
        self.damping = np.full(self._joints, self._briefed.damping)
        # sums over samples of 1, |rate|, rate^2, friction, friction |rate|; friction counted
        # against the motion
        self._sums = np.zeros((5, self._joints))

    def update(self, rate: Array, torque: Array, certain: Flags) -> None:
        """Update with one sample.

        Args:
            rate: of the joints, shape (n - 1,), rad/s.
            torque: what the motors gave and the links did not get, shape (n - 1,), N m.
            certain: shape (n - 1,), the joint surely moves in the direction of `rate`; others are
                left out.
        """
        add_sample(self._sums, rate, torque, certain, self._keep)
        known = np.empty((2, self._joints))
        total = self._sums.sum(axis=1)
        gearboxes(known, self._sums, total, self._prior, self._spread, SMALLEST_SPREAD, self._noise)
        self.coulomb, self.damping = known


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
        self._square = self._product = 0.0

    def update(self, force: Array, unit: Array) -> None:
        """Update with the measured forces along the links and those at coefficient one, (n,), N."""
        self._square = self._keep * self._square + float(unit.dot(unit))
        self._product = self._keep * self._product + float(unit.dot(force))
        weighted = self._product + self._prior * self._start
        self.coefficient = min(max(weighted / (self._square + self._prior), 0.0), self._most)
