"""Where the robot is on its path, from joint angles alone: no pose, no odometry.

On the path phi = phi_ref(s), so measured angles and rates show s and its rate:
    r = p . (phi - phi_ref(s)) / (p . p),   s_dot = p . phi_dot / (p . p),   p = phi_ref'(s).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LARGEST_STEP = 0.01  # m, most that one sample may move s


class Progress(NamedTuple):
    """Path coordinate of the middle joint (m), its rate (m/s), and how far the joints are off the path's shapes (rad).

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

    With `bandwidth` None every sample is taken at full weight: one Gauss-Newton step per tick. A finite bandwidth w
    (rad/s) makes an alpha-beta observer that averages noisy samples:
        s += s_dot dt + 2 w dt r,   s_dot += w^2 dt r + w dt (s_dot_measured - s_dot).
    """

    def __init__(self, start: float, period: float, bandwidth: float | None = None) -> None:
        """`start`: m. `period`: s."""
        self._start, self._period, self._bandwidth = start, period, bandwidth
        self.s, self.rate = start, 0.0

    def reset(self, start: float | None = None) -> None:
        """Stand still at `start` (by default where this observer was started)."""
        self.s, self.rate = self._start if start is None else start, 0.0

    def predict(self) -> float:
        """Path coordinate expected at the new sample, m; the reference is to be evaluated there."""
        return self.s + self.rate * self._period

    def correct(self, phi: Array, phi_dot: Array, phi_ref: Array, dphi_ref: Array) -> Progress:
        """Take in one sample, the reference having been evaluated at `predict()`. Arrays (n_joints,), rad, rad/s."""
        stiffness = float(dphi_ref.dot(dphi_ref))
        deviation = phi - phi_ref
        along = float(dphi_ref.dot(deviation))
        step = min(max(along / stiffness, -LARGEST_STEP), LARGEST_STEP)
        measured = float(dphi_ref.dot(phi_dot)) / stiffness
        s = self.predict()
        if self._bandwidth is None:
            self.s, self.rate = s + step, measured
        else:
            gain = self._bandwidth * self._period
            self.s = s + 2 * gain * step
            self.rate += self._bandwidth * gain * step + gain * (measured - self.rate)
        moved = self.s - s
        squared = float(deviation.dot(deviation)) - 2 * moved * along + moved**2 * stiffness  # |deviation - p moved|^2
        return Progress(self.s, self.rate, math.sqrt(max(squared, 0.0) / deviation.size), deviation)
