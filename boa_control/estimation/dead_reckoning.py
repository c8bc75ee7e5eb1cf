# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the robot is on a floor whose friction is known: the centre of mass moves as the forces of
the floor push it, and measured places correct it.

With v the velocity of the centre of mass and F_i the force of the floor on link i, n m v' = sum F_i
as long as nothing else pushes the robot. Friction takes energy, so an error of v decays by itself
(time constants m / c). A measured place p_m that was true at an earlier time t pulls the estimate
of that time towards it: with e = p_m - p(t) and T the time since the measurement before,

    p += (1 - exp(-2 w T)) e,     v += w^2 T e,

a critically damped observer of bandwidth w. Posts push as well, and only the corrections know it;
or the joint forces, by which F'_i pushes link i from outside, floor and posts. Then

    n m v' = sum (1 - w_i) F'_i + w_i F_i,     w_i = 1 / (1 + |F_i - F'_i|^2 / DOUBT^2)^2 :

what is measured moves the estimate, however fast, and where the floor explains it, the floor holds
the estimate to the true speed. A link that a post pushes counts the less for that, the harder
(weights of Geman and McClure, 1987): dry friction hardly resists a drift along the motion, and a
few links that are pressed for long would cause one.
"""

import math
from collections import deque

import numpy as np

from boa_control.compiled.floor import glide
from boa_control.model.dynamics import PlanarChain
from boa_description.arrays import Array
from boa_description.floor import coefficients, ground_force
from boa_description.scene import GRAVITY, GroundFriction

MEMORY_NS = 1_000_000_000  # how late a measured place may be
STEEP = 0.3  # share of a velocity that friction may take within a step of the integration
LONGEST = 0.2  # s between two measured places that count
DOUBT = 1.0  # N that the floor does not explain, from which a link is pushed by a post rather


class DeadReckoning:
    """Estimates place and velocity of the centre of mass from the motion of the links.

    Attributes:
        place: of the centre of mass, shape (2,), m.
        velocity: of the centre of mass, shape (2,), m/s.
    """

    def __init__(self, chain: PlanarChain, ground: GroundFriction, bandwidth: float) -> None:
        """`bandwidth` of the corrections in rad/s."""
        self._ground = ground
        self._mass = np.full(chain.links, chain.link_mass)
        self._bandwidth = bandwidth
        dry = max(ground.mu, ground.mu_normal) * GRAVITY / ground.slip_speed
        self._slope = dry + max(ground.viscous, ground.viscous_normal) / chain.link_mass
        self._floor = coefficients(ground)
        self._weight = chain.link_mass * GRAVITY
        self.reset(np.zeros(2))

    def reset(self, place: Array) -> None:
        """At rest at `place` (2,), m."""
        self.place = np.array(place, float)
        self.velocity = np.zeros(2)
        self._corrected = np.zeros(2)
        # stamps, and places less all corrections until then: a correction moves the past as well
        self._past: deque[tuple[int, Array]] = deque()
        self._measured_ns: int | None = None

    def move(
        self,
        stamp_ns: int,
        period: float,
        theta: Array,
        relative: Array,
        outside: Array | None = None,
    ) -> None:
        """Go on by one control period.

        Args:
            stamp_ns: of the time that is reached.
            period: s.
            theta: headings of the links, shape (n,), rad.
            relative: velocities of their centres against the centre of mass, shape (n, 2), m/s.
            outside: measured forces on them from outside, shape (n, 2), N; NaN where not measured.
        """
        steps = max(1, math.ceil(self._slope * period / STEEP))
        weight, known = np.ones(theta.size), np.zeros((theta.size, 2))
        if outside is not None:
            weight = trust(self.floor_force(theta, self.velocity + relative) - outside)
            known = np.nan_to_num(outside)
        links = np.cos(theta), np.sin(theta), relative, known, weight
        motion = np.concatenate((self.place, self.velocity))
        whole, dt = self._mass.sum(), period / steps
        glide(motion, self._floor, self._weight, links, whole, dt, steps)
        self.place, self.velocity = motion[:2], motion[2:]
        self._past.append((stamp_ns, self.place - self._corrected))
        while self._past[0][0] < stamp_ns - MEMORY_NS:
            self._past.popleft()

    def floor_force(self, theta: Array, velocity: Array) -> Array:
        """Of the floor as briefed on links with headings (n,), rad, and velocities of their centres
        (n, 2), m/s; shape (n, 2), N.
        """
        return ground_force(self._ground, self._mass, velocity, theta)

    def correct(self, stamp_ns: int, measured: Array) -> None:
        """Take a measured place (2,), m, of the time `stamp_ns`; without effect when that is longer
        ago than the memory.
        """
        before = newest_until(self._past, stamp_ns)
        if before is None:
            return
        error = measured - (before + self._corrected)
        if self._measured_ns is None:
            share, pull = 1.0, 0.0
        else:
            since = min((stamp_ns - self._measured_ns) * 1e-9, LONGEST)
            share = 1 - math.exp(-2 * self._bandwidth * since)
            pull = self._bandwidth**2 * since
        self._measured_ns = stamp_ns
        self.place = self.place + share * error
        self.velocity = self.velocity + pull * error
        self._corrected = self._corrected + share * error


def trust(unexplained: Array) -> Array:
    """Weights of the links, shape (n,), by forces that the floor does not explain, (n, 2), N:
    they tell of the speed where they are small, and else of posts; 1 where nothing is measured.
    """
    square = np.sum(unexplained**2, axis=1)
    return np.nan_to_num(1.0 / (1.0 + square / DOUBT**2) ** 2, nan=1.0)


def newest_until(past: deque[tuple[int, Array]], stamp_ns: int) -> Array | None:
    """The newest value that is not younger than `stamp_ns`; None where the memory ends later."""
    return next((value for stamp, value in reversed(past) if stamp <= stamp_ns), None)
