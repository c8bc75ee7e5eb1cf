# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where points are along a path: orthogonal projection, continuous from tick to tick."""

from dataclasses import dataclass

import numpy as np

from boa_control.paths.path import Curve
from boa_description.arrays import Array

SPACING = 0.002  # of the sampled curve that brackets the foot point, m
WINDOW = 0.06  # how far the foot point may move between two updates, m
FIRST_WINDOW = 0.5  # how wrong the first guess may be, m
STRIDE = 5  # ticks between two bracketing searches


@dataclass(frozen=True, slots=True)
class Projection:
    """Foot points of a moving point.

    Attributes:
        s: shape (T,), arc length of the foot point, m; keeps counting over laps on a closed path.
        offset: shape (T,), signed distance from the path, left positive, m.
    """

    s: Array
    offset: Array


class PathTracker:
    """Follows one point along a curve, from a first guess of its arc length. Accurate to the
    sampling (2 mm).
    """

    def __init__(self, curve: Curve, guess: float) -> None:
        self._curve = curve
        self._count = max(8, int(np.ceil(curve.length / SPACING)))
        self._spacing = curve.length / self._count
        self._s = guess
        self._samples = curve.position(
            self._spacing * np.arange(self._count + (not curve.closed), dtype=np.float64)
        )
        self._first = True

    def update(self, point: Array) -> float:
        """Return the arc length nearest to `point`, shape (2,), near the last one."""
        window = FIRST_WINDOW if self._first else WINDOW
        self._first = False
        reach = int(np.ceil(window / self._spacing))
        middle = round(self._s / self._spacing)
        index = np.arange(middle - reach, middle + reach + 1)
        if not self._curve.closed:
            index = index[(index >= 0) & (index < len(self._samples))]
        distance = np.sum((self._samples[index % len(self._samples)] - point) ** 2, axis=1)
        self._s = float(index[np.argmin(distance)] * self._spacing)
        return self._s


def project(curve: Curve, points: Array, guess: float) -> Projection:
    """Project a moving point on a curve.

    Args:
        points: shape (T, 2), m, in order of time; moving less than 10 mm per tick.
        guess: arc length of the first foot point, to within 0.5 m.

    Returns:
        The foot points, where the offset is orthogonal to the curve: (p - c(s)) . c'(s) = 0.
    """
    if not len(points):
        return Projection(np.zeros(0), np.zeros(0))
    tracker = PathTracker(curve, guess)
    coarse = np.unique(np.append(np.arange(0, len(points), STRIDE), len(points) - 1))
    s = np.interp(np.arange(len(points)), coarse, [tracker.update(points[k]) for k in coarse])
    for _ in range(8):  # Newton on the orthogonality condition; quadratic away from curvature jumps
        tangent, normal = _frame(curve, s)
        error = points - curve.position(s)
        lateral = np.sum(error * normal, axis=1)
        slope = np.maximum(1 - curve.curvature(s) * lateral, 0.2)
        step = np.sum(error * tangent, axis=1) / slope
        s = s + np.clip(step, -WINDOW, WINDOW)
    _, normal = _frame(curve, s)
    return Projection(s, np.sum((points - curve.position(s)) * normal, axis=1))


def _frame(curve: Curve, s: Array) -> tuple[Array, Array]:
    heading = curve.heading(s)
    tangent = np.column_stack((np.cos(heading), np.sin(heading)))
    return tangent, np.column_stack((-tangent[:, 1], tangent[:, 0]))
