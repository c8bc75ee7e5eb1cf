# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the robot is on its path, from joint angles alone: no pose, no odometry.

On the path phi = phi_ref(s), so measured angles and rates show s and its rate:
    r = p . (phi - phi_ref(s)) / (p . p),   s_dot = p . phi_dot / (p . p),   p = phi_ref'(s).
Where p vanishes, on a straight as long as the robot, they show nothing; such paths are refused.
"""

import math
from typing import NamedTuple

import numpy as np

from boa_control.compiled.on_path import joints_on_path
from boa_control.model.reference import ReferenceTable
from boa_description.arrays import Array
from boa_description.errors import BoaError

LARGEST_STEP = 0.01  # m, most that one sample may move s
# rad/m, of |phi_ref'|; below, 1 mrad/s of noise in the joint rates is over 2 mm/s along the path
LEAST_BENDING = 0.5
CHECK_SPACING = 0.05  # pitches, of the places where that is checked


class Straightness(NamedTuple):
    """Where on its path a chain changes its shape least: |phi_ref'|, rad/m, at path coordinate s,
    m.
    """

    bending: float
    s: float

    @property
    def hides_progress(self) -> bool:
        """The joints hardly move there, so they do not show how far the robot is."""
        return self.bending < LEAST_BENDING

    def __str__(self) -> str:
        return (
            "joint angles do not show where on its path the robot is: they change by "
            f"{self.bending:.3f} rad/m at s = {self.s:.3f} m, at least {LEAST_BENDING:g} rad/m are "
            "needed; let the path bend within every body length"
        )


def straightest(reference: ReferenceTable) -> Straightness:
    """Where the chain changes its shape least on the path."""
    start, end = reference.extent
    length = min(reference.span, end - start)
    s = start + np.linspace(0.0, length, 2 + round(length / (CHECK_SPACING * reference.pitch)))
    bending = np.linalg.norm(reference.placement(s).dq[:, 3:], axis=1)
    k = int(bending.argmin())
    return Straightness(float(bending[k]), float(s[k]))


def require_visible_progress(reference: ReferenceTable) -> None:
    """Refuse a path on which joint angles do not show progress.

    Raises:
        BoaError: the chain hardly changes its shape somewhere.
    """
    place = straightest(reference)
    if place.hides_progress:
        raise BoaError(f"path: {place}")


class Progress(NamedTuple):
    """Path coordinate of the middle joint (m), its rate (m/s), and how far the joints are off the
    path's shapes (rad).

    Attributes:
        residual: rms over the joints of phi - phi_ref(s), rad.
        deviation: phi - phi_ref at the predicted s, shape (n_joints,), rad.
    """

    s: float
    rate: float
    residual: float
    deviation: Array


class ProgressObserver:
    """Follows s from a known start.

    With `bandwidth` None every sample is taken at full weight: one Gauss-Newton step per tick. A
    finite bandwidth w (rad/s) makes an alpha-beta observer that averages noisy samples:
        s += s_dot dt + 2 w dt r,   s_dot += w^2 dt r + w dt (s_dot_measured - s_dot).
    """

    def __init__(self, start: float, period: float, bandwidth: float | None = None) -> None:
        """`start`: m. `period`: s."""
        self._start = start
        self._period = period
        self._bandwidth = bandwidth
        self.s = start
        self.rate = 0.0

    def reset(self, start: float | None = None) -> None:
        """Stand still at `start` (by default where this observer was started)."""
        self.s, self.rate = self._start if start is None else start, 0.0

    def predict(self) -> float:
        """Path coordinate expected at the new sample, m; the reference is to be evaluated there."""
        return self.s + self.rate * self._period

    def correct(self, phi: Array, phi_dot: Array, phi_ref: Array, dphi_ref: Array) -> Progress:
        """Update with one sample and the reference at `predict()`; (n_joints,), rad, rad/s."""
        deviation = np.empty(phi.size)
        stiffness, along, moving, off = joints_on_path(deviation, phi, phi_dot, phi_ref, dphi_ref)
        step = min(max(along / stiffness, -LARGEST_STEP), LARGEST_STEP)
        measured = moving / stiffness
        s = self.predict()
        if self._bandwidth is None:
            self.s, self.rate = s + step, measured
        else:
            gain = self._bandwidth * self._period
            self.s = s + 2 * gain * step
            self.rate += self._bandwidth * gain * step + gain * (measured - self.rate)
        moved = self.s - s
        # |deviation - p moved|^2
        squared = off - 2 * moved * along + moved**2 * stiffness
        return Progress(self.s, self.rate, math.sqrt(max(squared, 0.0) / deviation.size), deviation)
