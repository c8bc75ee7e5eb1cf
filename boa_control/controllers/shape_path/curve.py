"""The shape curve: shape control points joined by piecewise cubic Hermite polynomials of their
index that keep monotone (pchip), and the joints of a virtual robot on it (paper, sections III and
IV-C).

S(s), s = 0 .. n - 1, goes through point i at s = i. Pure functions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array

SAMPLES = 16  # per interval, for the search of joints
NEARBY = 64  # samples behind a joint among which the next one mostly is
REFINEMENTS = 8  # of Newton's method on one interval between samples
DISTANCE = 1e-11  # m, to which joints are a link apart


class Curve(NamedTuple):
    """Points and slopes of a shape curve, both shape (n, 2), m and m per index."""

    points: Array
    slopes: Array


def pchip(points: Array) -> Curve:
    """The curve through shape control points, shape (n, 2) with n > 2: slopes are harmonic means of
    the two differences beside a point and zero at extrema (Fritsch and Butland); at the ends the
    one-sided formula of three points, cut so that nothing overshoots.
    """
    d = np.diff(points, axis=0)
    product = d[:-1] * d[1:]
    total = d[:-1] + d[1:]
    slopes = np.zeros_like(points)
    same = product > 0
    slopes[1:-1][same] = 2 * product[same] / total[same]
    slopes[0] = _end_slope(d[0], d[1])
    slopes[-1] = _end_slope(d[-1], d[-2])
    return Curve(points, slopes)


def _end_slope(first: Array, second: Array) -> Array:
    slope = (3 * first - second) / 2
    slope = np.where(np.sign(slope) != np.sign(first), 0.0, slope)
    steep = (np.sign(first) != np.sign(second)) & (np.abs(slope) > 3 * np.abs(first))
    cut: Array = np.where(steep, 3 * first, slope)
    return cut


def positions(curve: Curve, s: Array) -> Array:
    """Points of the curve, shape (..., 2), m; beyond its ends the outer polynomials go on."""
    i = np.clip(np.floor(s).astype(int), 0, len(curve.points) - 2)
    t = (s - i)[..., None]
    p0, p1 = curve.points[i], curve.points[i + 1]
    m0, m1 = curve.slopes[i], curve.slopes[i + 1]
    point: Array = (
        (1 + 2 * t) * (1 - t) ** 2 * p0
        + t * (1 - t) ** 2 * m0
        + t**2 * (3 - 2 * t) * p1
        + t**2 * (t - 1) * m1
    )
    return point


def derivative(curve: Curve, s: float) -> Array:
    """dS/ds, shape (2,), m per index."""
    i = min(max(math.floor(s), 0), len(curve.points) - 2)
    t = s - i
    p0, p1 = curve.points[i], curve.points[i + 1]
    m0, m1 = curve.slopes[i], curve.slopes[i + 1]
    rate: Array = 6 * t * (1 - t) * (p1 - p0) + (1 - t) * (1 - 3 * t) * m0 + t * (3 * t - 2) * m1
    return rate


def joints_on_curve(curve: Curve, head: float, links: int, pitch: float) -> Array:
    """Indices s of the joints of a chain on the curve from the tail end to the head end, shape
    (links + 1,): each joint is at the first point behind the one before it that is a link away.

    Where the curve ends before the tail, its last polynomial goes on.

    Args:
        head: s of the head end.
        pitch: length of a link, m.
    """
    s = head - np.arange(math.ceil((head + 1) * SAMPLES) + 1) / SAMPLES
    points = positions(curve, s)
    exact = _Polynomials(curve)
    result = np.empty(links + 1)
    result[-1] = head
    at, k = points[0], 0
    for joint in range(links - 1, -1, -1):
        k, first = _first_beyond(points, k, at, pitch)
        near = float(result[joint + 1]) if first else float(s[k])
        result[joint], at = exact.crossing(at, pitch, float(s[k + 1]), near)
    return result


def _first_beyond(points: Array, k: int, at: Array, pitch: float) -> tuple[int, bool]:
    """The sample before the first one behind sample k that is a link away from `at` (the last but
    one where there is none), and whether it is k itself.
    """
    for end in (k + 1 + NEARBY, len(points)):
        away = points[k + 1 : end] - at
        beyond = away[:, 0] ** 2 + away[:, 1] ** 2 >= pitch**2
        if beyond.any():
            first = int(beyond.argmax())
            return k + first, first == 0
    return len(points) - 2, len(points) - 2 == k


class _Polynomials:
    """Single points of a curve: plain numbers are ten times faster than arrays of one."""

    def __init__(self, curve: Curve) -> None:
        self._points: list[list[float]] = curve.points.tolist()
        self._slopes: list[list[float]] = curve.slopes.tolist()

    def at(self, s: float) -> tuple[float, float, float, float]:
        """x and y, m, and their derivatives, m per index."""
        i = min(max(math.floor(s), 0), len(self._points) - 2)
        t = s - i
        u = 1 - t
        h0, h1, h2, h3 = (1 + 2 * t) * u * u, t * u * u, t * t * (3 - 2 * t), -t * t * u
        d, d1, d3 = 6 * t * u, u * (1 - 3 * t), t * (3 * t - 2)
        (x0, y0), (x1, y1) = self._points[i], self._points[i + 1]
        (a0, b0), (a1, b1) = self._slopes[i], self._slopes[i + 1]
        return (
            h0 * x0 + h1 * a0 + h2 * x1 + h3 * a1,
            h0 * y0 + h1 * b0 + h2 * y1 + h3 * b1,
            d * (x1 - x0) + d1 * a0 + d3 * a1,
            d * (y1 - y0) + d1 * b0 + d3 * b1,
        )

    def crossing(self, centre: Array, pitch: float, far: float, near: float) -> tuple[float, Array]:
        """s between `far` and `near` where the curve is a link away from `centre`, and the point
        there; by Newton's method that stays between them.
        """
        cx, cy = float(centre[0]), float(centre[1])
        s = (far + near) / 2
        for _ in range(REFINEMENTS):
            x, y, dx, dy = self.at(s)
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
        x, y, _, _ = self.at(s)
        return s, np.array([x, y])
