# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Periodic joint motion through given angles."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicSpline

from boa_description.arrays import Array


class SampledMotion:
    """A periodic cubic spline through joint angles at equal intervals of time."""

    def __init__(self, angles: Array, period: float) -> None:
        """`angles`, rad, has one row for each of the instants of a `period`, s, (N, n_joints);
        the first is at time 0, and again at the end of the period.
        """
        self._period = period
        times = np.linspace(0.0, period, len(angles) + 1)
        self._spline = CubicSpline(times, np.vstack((angles, angles[:1])), bc_type="periodic")

    def at(self, time: float, derivative: int = 0) -> Array:
        """Angles at a time, s, or their rates or accelerations, shape (n_joints,), rad."""
        found: Array = self._spline(time % self._period, derivative)
        return found
