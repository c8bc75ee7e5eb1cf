# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lines that lead a robot without carrying it: no posts belong to them and no body is laid on them.

A guide is a chain of points joined by straight lines; curves are sampled finely. It is a `Curve`
like that of a path, so that what draws paths draws guides.
"""

from typing import NamedTuple

import numpy as np

from boa_control.paths.path import Repeat
from boa_description.arrays import Array, Indices
from boa_description.errors import BoaError

SAMPLE = 0.005  # m between the points of a curve that is given by a formula


class FootPoint(NamedTuple):
    """The point of a guide that is nearest to a point beside it.

    Attributes:
        s: its arc length, m.
        offset: how far the point lies to the left of the guide, m.
    """

    s: float
    offset: float


class Guide:
    """Points joined by straight lines.

    Attributes:
        points: shape (k, 2), m; on a closed guide the first one is not repeated.
        closed: whether the last point is joined to the first.
        length: m.
    """

    def __init__(self, points: Array, closed: bool = False) -> None:
        """Points that coincide with the one before are left out.

        Raises:
            BoaError: all of them coincide.
        """
        corners = np.asarray(points, float)
        if closed:
            corners = np.vstack((corners, corners[:1]))
        steps = np.diff(corners, axis=0)
        size = np.hypot(steps[:, 0], steps[:, 1])
        keep = size > 0
        if not keep.any():
            x, y = corners[0].tolist()
            raise BoaError(
                f"goal: all points of its guide are at ({x:g}, {y:g}) m, so it leads nowhere; give "
                "one that is elsewhere"
            )
        corners = np.vstack((corners[:1], corners[1:][keep]))
        self.points = corners[:-1] if closed else corners
        self.closed = closed
        self._corners = corners
        self._along = steps[keep] / size[keep, None]
        self._s = np.concatenate(([0.0], np.cumsum(size[keep])))
        self._heading = np.unwrap(np.arctan2(self._along[:, 1], self._along[:, 0]))
        self.length = float(self._s[-1])

    @property
    def repeat(self) -> Repeat | None:
        """None: guides are not tabulated."""
        return None

    def _place(self, s: Array) -> tuple[Array, Indices]:
        """Arc lengths within the guide (wrapped where it is closed) and their pieces."""
        inside = np.mod(s, self.length) if self.closed else s
        last = len(self._along) - 1
        return inside, np.clip(np.searchsorted(self._s, inside, side="right") - 1, 0, last)

    def position(self, s: Array) -> Array:
        """Points, shape (..., 2), m; an open guide goes on straight beyond its ends."""
        inside, piece = self._place(np.asarray(s, float))
        ahead = (inside - self._s[piece])[..., None] * self._along[piece]
        result: Array = self._corners[piece] + ahead
        return result

    def heading(self, s: Array) -> Array:
        """Direction, rad; it jumps at corners."""
        heading: Array = self._heading[self._place(np.asarray(s, float))[1]]
        return heading

    def curvature(self, s: Array) -> Array:
        """Zero: the pieces are straight."""
        return np.zeros_like(np.asarray(s, float))

    def nearest(self, point: Array, near: float | None = None, window: float = 0.5) -> FootPoint:
        """Foot point of a point (2,), m. The ends of an open guide go on straight.

        Args:
            near: search only where the arc length is within `window` of this, m; None: all of the
                guide. On a closed guide the result counts on over laps from there.
        """
        lap = 0.0 if near is None or not self.closed else near // self.length * self.length
        pieces = self._pieces(None if near is None else near - lap, window)
        start, along = self._corners[pieces], self._along[pieces]
        size = np.diff(self._s)[pieces]
        away = point - start
        ahead = np.clip(away[:, 0] * along[:, 0] + away[:, 1] * along[:, 1], 0.0, size)
        if not self.closed:
            ahead = self._beyond_ends(ahead, away, along, pieces)
        left = away - ahead[:, None] * along
        k = int(np.argmin(left[:, 0] ** 2 + left[:, 1] ** 2))
        across = float(along[k, 0] * left[k, 1] - along[k, 1] * left[k, 0])
        distance = float(np.hypot(left[k, 0], left[k, 1]))
        s = float(self._s[pieces[k]] + ahead[k]) + lap
        if near is not None and self.closed:  # the seam: take the lap nearest to `near`
            s += self.length * round((near - s) / self.length)
        return FootPoint(s, distance if across >= 0 else -distance)

    def _pieces(self, near: float | None, window: float) -> Indices:
        count = len(self._along)
        if near is None or count == 1 or 2 * window >= self.length:
            return np.arange(count)
        _, (first, last) = self._place(np.array([near - window, near + window]))
        if last < first:
            return np.concatenate((np.arange(first, count), np.arange(last + 1)))
        return np.arange(first, last + 1)

    def _beyond_ends(self, ahead: Array, away: Array, along: Array, pieces: Indices) -> Array:
        """Distances along the pieces, where the first and the last one have no outer end."""
        free = np.sum(away * along, axis=1)
        before, after = pieces == 0, pieces == len(self._along) - 1
        ahead = np.where(before, np.minimum(free, ahead), ahead)
        return np.where(after, np.maximum(free, ahead), ahead)


def figure_eight(radius: float) -> Guide:
    """Gerono's lemniscate x = r sin t, y = r sin t cos t from the origin, 6.1 r long."""
    count = int(np.ceil(6.1 * radius / SAMPLE))
    t = 2 * np.pi * np.arange(count) / count
    return Guide(radius * np.column_stack((np.sin(t), np.sin(t) * np.cos(t))), closed=True)


def circle(radius: float) -> Guide:
    """A circle through the origin, counter-clockwise, that starts there along x."""
    count = int(np.ceil(2 * np.pi * radius / SAMPLE))
    t = 2 * np.pi * np.arange(count) / count
    return Guide(radius * np.column_stack((np.sin(t), 1 - np.cos(t))), closed=True)
