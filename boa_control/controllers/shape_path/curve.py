# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The shape curve: shape control points joined by piecewise cubic Hermite polynomials of their
index that keep monotone (pchip), and the joints of a virtual robot on it (paper, sections III and
IV-C).

S(s), s = 0 .. n - 1, goes through point i at s = i. Pure functions.
"""

import math
from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array

SAMPLES = 16  # per interval, for the search of joints
REFINEMENTS = 8  # of Newton's method on one interval between samples
DISTANCE = 1e-11  # m, to which joints are a link apart

_T = np.arange(SAMPLES) / SAMPLES
_POWERS = np.vander(_T, 4, increasing=True)  # of the samples of one interval
_POWERS_BEFORE = np.vander(_T - 1, 4, increasing=True)  # of those of the one before the first
# from (p0, p1, m0, m1) of an interval to the coefficients of 1, t, t^2, t^3
_HERMITE = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [-3, 3, -2, -1], [2, -2, 1, 1]], float)


class Curve(NamedTuple):
    """A shape curve.

    Attributes:
        points: P_i, shape (n, 2), m.
        coefficients: of 1, t, t^2 and t^3 on every interval, t = s - i, shape (n - 1, 4, 2), m.
    """

    points: Array
    coefficients: Array


class Joints(NamedTuple):
    """A chain on a curve, from its tail end to its head end.

    Attributes:
        s: indices, shape (links + 1,).
        points: shape (links + 1, 2), m.
    """

    s: Array
    points: Array


def pchip(points: Array) -> Curve:
    """The curve through shape control points, shape (n, 2) with n > 2: slopes are harmonic means of
    the two differences beside a point and zero at extrema (Fritsch and Butland); at the ends the
    one-sided formula of three points, cut so that nothing overshoots.
    """
    d = points[1:] - points[:-1]
    product = d[:-1] * d[1:]
    slopes = np.zeros_like(points)
    np.divide(2 * product, d[:-1] + d[1:], out=slopes[1:-1], where=product > 0)
    for axis in range(2):
        slopes[0, axis] = _end_slope(float(d[0, axis]), float(d[1, axis]))
        slopes[-1, axis] = _end_slope(float(d[-1, axis]), float(d[-2, axis]))
    ends = np.stack((points[:-1], points[1:], slopes[:-1], slopes[1:]), axis=1)
    return Curve(points, _HERMITE @ ends)


def _end_slope(first: float, second: float) -> float:
    """Slope at the end of the interval of difference `first` beside that of difference `second`."""
    slope = (3 * first - second) / 2
    if slope * first <= 0:
        return 0.0
    turns = first * second <= 0
    return 3 * first if turns and abs(slope) > 3 * abs(first) else slope


def positions(curve: Curve, s: Array) -> Array:
    """Points of the curve, shape (..., 2), m; outside its ends the outer polynomials go on."""
    i = np.clip(np.floor(s).astype(int), 0, len(curve.coefficients) - 1)
    t = (s - i)[..., None]
    c = curve.coefficients[i]
    point: Array = c[..., 0, :] + t * (c[..., 1, :] + t * (c[..., 2, :] + t * c[..., 3, :]))
    return point


def derivative(curve: Curve, s: float) -> Array:
    """dS/ds, shape (2,), m per index."""
    i = min(max(math.floor(s), 0), len(curve.coefficients) - 1)
    t = s - i
    _, c1, c2, c3 = curve.coefficients[i]
    rate: Array = c1 + t * (2 * c2 + 3 * t * c3)
    return rate


def joints_on_curve(curve: Curve, head: float, links: int, pitch: float) -> Joints:
    """Joints of a chain on the curve: each is at the first point behind the one before it that is a
    link away.

    Where the curve ends before the tail, its first polynomial goes on.

    Args:
        head: s of the head end, on the curve.
        pitch: length of a link, m.
    """
    samples = _samples(curve)
    exact = _Polynomials(curve)
    x, y, _, _ = exact.at(head)
    s, points = [head], [(x, y)]
    k = math.ceil(head * SAMPLES) - 1 + SAMPLES  # the sample behind the head
    square = pitch * pitch
    for _ in range(links):
        near = s[-1]
        while k > 0 and (samples[k][0] - x) ** 2 + (samples[k][1] - y) ** 2 < square:
            near = k / SAMPLES - 1
            k -= 1
        where, x, y = exact.crossing(x, y, pitch, k / SAMPLES - 1, near)
        s.append(where)
        points.append((x, y))
    return Joints(np.array(s[::-1]), np.array(points[::-1]))


def _samples(curve: Curve) -> list[list[float]]:
    """Points at s = k / SAMPLES - 1, k = 0, 1, .. as plain numbers."""
    before = _POWERS_BEFORE @ curve.coefficients[0]
    within = (_POWERS @ curve.coefficients).reshape(-1, 2)
    samples: list[list[float]] = np.concatenate((before, within, curve.points[-1:])).tolist()
    return samples


class _Polynomials:
    """Single points of a curve: plain numbers are ten times faster than arrays of one."""

    def __init__(self, curve: Curve) -> None:
        self._c: list[list[float]] = curve.coefficients.reshape(-1, 8).tolist()

    def at(self, s: float) -> tuple[float, float, float, float]:
        """x and y, m, and their derivatives, m per index."""
        i = min(max(math.floor(s), 0), len(self._c) - 1)
        t = s - i
        a0, b0, a1, b1, a2, b2, a3, b3 = self._c[i]
        return (
            a0 + t * (a1 + t * (a2 + t * a3)),
            b0 + t * (b1 + t * (b2 + t * b3)),
            a1 + t * (2 * a2 + 3 * t * a3),
            b1 + t * (2 * b2 + 3 * t * b3),
        )

    def crossing(
        self, cx: float, cy: float, pitch: float, far: float, near: float
    ) -> tuple[float, float, float]:
        """s between `far` and `near` where the curve is a link away from (cx, cy), and the point
        there; by Newton's method that stays between them.
        """
        s = (far + near) / 2
        x, y, dx, dy = self.at(s)
        for _ in range(REFINEMENTS):
            distance = math.hypot(x - cx, y - cy)
            error = distance - pitch
            if abs(error) < DISTANCE:
                break
            if error > 0:
                far = s
            else:
                near = s
            slope = ((x - cx) * dx + (y - cy) * dy) / distance if distance > 0 else 0.0
            step = s - error / slope if slope != 0 else far
            s = step if far <= step <= near else (far + near) / 2
            x, y, dx, dy = self.at(s)
        return s, x, y
