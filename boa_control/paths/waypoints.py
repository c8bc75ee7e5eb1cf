# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A smooth path through way-points, with posts as they were measured."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.interpolate import CubicSpline

from boa_control.paths.path import PathContact, PlannedPath, Repeat
from boa_control.paths.settings import WaypointPath
from boa_description.arrays import Array
from boa_description.errors import BoaError

RESOLUTION = 2e-3  # m, knots of the arc-length spline


@dataclass(frozen=True, slots=True)
class SplineCurve:
    """Cubic spline p(s) in arc length; an open one continues straight past its ends."""

    spline: CubicSpline
    length: float
    closed: bool
    turning: float

    @property
    def repeat(self) -> Repeat | None:
        """A closed curve repeats after one lap, its heading then being larger by `turning`."""
        return Repeat(self.length, rotation=self.turning) if self.closed else None

    def position(self, s: Array) -> Array:
        """Points, shape (..., 2), m."""
        inside, outside, _ = self._fold(s)
        return self.spline(inside) + outside[..., None] * self._tangent(inside)

    def heading(self, s: Array) -> Array:
        """Direction of travel, rad, continuous in s."""
        inside, _, lap = self._fold(s)
        grid = np.linspace(0.0, self.length, max(2, round(self.length / RESOLUTION)) + 1)
        tangents = self._tangent(grid)
        rough = np.interp(inside, grid, np.unwrap(np.arctan2(tangents[:, 1], tangents[:, 0])))
        tangent = self._tangent(inside)
        exact = np.arctan2(tangent[..., 1], tangent[..., 0])
        return exact + 2 * np.pi * np.round((rough - exact) / (2 * np.pi)) + lap * self.turning

    def curvature(self, s: Array) -> Array:
        """Signed curvature, 1/m."""
        inside, outside, _ = self._fold(s)
        d, dd = self.spline(inside, 1), self.spline(inside, 2)
        kappa = (d[..., 0] * dd[..., 1] - d[..., 1] * dd[..., 0]) / np.hypot(
            d[..., 0], d[..., 1]
        ) ** 3
        return np.where(outside == 0.0, kappa, 0.0)

    def _tangent(self, s: Array) -> Array:
        d = self.spline(s, 1)
        return d / np.hypot(d[..., 0], d[..., 1])[..., None]

    def _fold(self, s: Array) -> tuple[Array, Array, Array]:
        """Arc length within the spline, distance beyond its ends, lap."""
        s = np.asarray(s, float)
        if self.closed:
            lap = np.floor(s / self.length)
            return s - lap * self.length, np.zeros_like(s), lap
        inside = np.clip(s, 0.0, self.length)
        return inside, s - inside, np.zeros_like(s)


def waypoint_path(settings: WaypointPath, body_radius: float) -> PlannedPath:
    """The smoothest cubic spline through the way-points, re-parametrised by arc length.

    Posts within half a body radius of touching the body are taken to touch it: maps have errors.
    Those further off are bystanders.

    Raises:
        BoaError: two way-points coincide, the curve is tighter than `minimum_radius`, or a post
            stands in the way.
    """
    points = np.array(settings.points, float)
    if settings.closed:
        points = np.vstack([points, points[:1]])
    gaps = np.hypot(*np.diff(points, axis=0).T)
    if np.any(gaps < 1e-6):
        k = int(np.argmin(gaps))
        raise BoaError(
            f"path: way-points {k + 1} and {(k + 1) % len(settings.points) + 1} coincide; "
            f"remove one"
        )
    curve = _arc_length_spline(points, np.concatenate([[0.0], np.cumsum(gaps)]), settings.closed)
    s = np.linspace(0.0, curve.length, max(2, round(curve.length / RESOLUTION)) + 1)
    kappa = np.abs(curve.curvature(s))
    worst = int(np.argmax(kappa))
    p = curve.position(s)
    if kappa[worst] * settings.minimum_radius > 1 + 1e-6:
        k = int(np.argmin(np.hypot(*(points - p[worst]).T))) % len(settings.points)
        raise BoaError(
            f"path: radius {1 / kappa[worst]:.3f} m near way-point {k + 1} (x = {p[worst, 0]:.3f}, "
            f"y = {p[worst, 1]:.3f}) is below minimum_radius {settings.minimum_radius:.3f} m; "
            f"move that way-point or add one beside it"
        )
    posts, bystanders = [], []
    for number, circle in enumerate(settings.obstacles, start=1):
        offset = np.array([circle.x, circle.y]) - p
        k = int(np.argmin(np.hypot(*offset.T)))
        heading = float(curve.heading(s[k]))
        left = float(-np.sin(heading) * offset[k, 0] + np.cos(heading) * offset[k, 1])
        gap = float(np.hypot(*offset[k])) - circle.radius - body_radius
        if gap < -0.5 * body_radius:
            raise BoaError(
                f"path: post {circle.name or number} (x = {circle.x:.3f}, y = {circle.y:.3f}) "
                f"stands {-gap:.3f} m inside the body's way (at most {0.5 * body_radius:.3f} m "
                "can be a measuring error); lead the way-points around it"
            )
        if gap > 0.5 * body_radius:
            bystanders.append(circle)
        else:
            posts.append(
                PathContact(
                    circle.x,
                    circle.y,
                    circle.radius,
                    float(s[k]),
                    1 if left > 0 else -1,
                    circle.name,
                )
            )
    return PlannedPath(curve, tuple(sorted(posts, key=lambda post: post.s)), tuple(bystanders))


def _arc_length_spline(points: Array, parameter: Array, closed: bool) -> SplineCurve:
    """Fit through the points on chord length, measure its arc length, and fit again on that."""
    ends: Literal["periodic", "natural"] = "periodic" if closed else "natural"
    rough = CubicSpline(parameter, points, bc_type=ends)
    fine = np.linspace(
        parameter[0], parameter[-1], max(200, 4 * round(parameter[-1] / RESOLUTION)) + 1
    )
    # three-point Gauss quadrature of the speed |dp/dparameter| per interval
    step = fine[1] - fine[0]
    nodes = fine[:-1, None] + 0.5 * step * (1 + np.array([-(0.6**0.5), 0.0, 0.6**0.5]))
    speed = np.hypot(*np.moveaxis(rough(nodes, 1), -1, 0))
    arc = np.concatenate([[0.0], np.cumsum(speed @ np.array([5.0, 8.0, 5.0]) * step / 18)])
    length = float(arc[-1])
    knots = np.linspace(0.0, length, max(8, round(length / RESOLUTION)) + 1)
    resampled = rough(CubicSpline(arc, fine)(knots))
    if closed:
        resampled[-1] = resampled[0]
    spline = CubicSpline(knots, resampled, bc_type=ends)
    tangents = spline(knots, 1)
    turn = np.unwrap(np.arctan2(tangents[:, 1], tangents[:, 0]))
    turning = 2 * np.pi * round(float(turn[-1] - turn[0]) / (2 * np.pi))
    return SplineCurve(spline, length, closed, turning)
