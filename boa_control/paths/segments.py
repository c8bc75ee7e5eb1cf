"""Curves made of straight lines and circular arcs, joined tangentially and repeated by a
symmetry.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boa_control.paths.path import Repeat
from boa_description.arrays import Array


@dataclass(frozen=True)  # no slots: the knots are kept
class SegmentCurve:
    """One repeat of lines and arcs; the rest of the curve follows from `repeat`.

    Attributes:
        start: shape (2,), first point, m.
        start_heading: rad.
        lengths, curvatures: shape (n,), of the segments of one repeat, m and 1/m (0: line).
        repeat: symmetry; `repeat.length` equals the sum of `lengths`.
        length: total length (one lap when closed), m.
        closed: whether the end meets the start.
    """

    start: Array
    start_heading: float
    lengths: Array
    curvatures: Array
    repeat: Repeat
    length: float
    closed: bool

    def position(self, s: Array) -> Array:
        """Points, shape (..., 2), m."""
        turn, local = self._fold(s)
        knots, points, headings = self._knots
        index, ds = self._locate(local, knots)
        half = 0.5 * self.curvatures[index] * ds
        # the chord of an arc has length ds sin(half)/half and lies half-way between the end
        # tangents
        chord = ds * np.sinc(half / np.pi)
        direction = headings[index] + half
        x = points[index, 0] + chord * np.cos(direction)
        y = points[index, 1] + chord * np.sin(direction)
        angle = turn * self.repeat.rotation
        c, sn = np.cos(angle), np.sin(angle)
        moved = np.empty((*local.shape, 2))
        moved[..., 0] = c * x - sn * y + turn * self.repeat.translation[0]
        moved[..., 1] = sn * x + c * y + turn * self.repeat.translation[1]
        return moved

    def heading(self, s: Array) -> Array:
        """Direction of travel, rad, continuous in s."""
        turn, local = self._fold(s)
        knots, _, headings = self._knots
        index, ds = self._locate(local, knots)
        return headings[index] + self.curvatures[index] * ds + turn * self.repeat.rotation

    def curvature(self, s: Array) -> Array:
        """Signed curvature, 1/m; at a joint of two segments that of the later one."""
        _, local = self._fold(s)
        index, _ = self._locate(local, self._knots[0])
        return self.curvatures[index]

    def _fold(self, s: Array) -> tuple[Array, Array]:
        s = np.asarray(s, float)
        turn = np.floor(s / self.repeat.length)
        return turn, s - turn * self.repeat.length

    @cached_property
    def _knots(self) -> tuple[Array, Array, Array]:
        """Arc length, point and heading at the start of every segment."""
        knots = np.concatenate([[0.0], np.cumsum(self.lengths)])
        bends = self.curvatures * self.lengths
        headings = self.start_heading + np.concatenate([[0.0], np.cumsum(bends)[:-1]])
        chords = self.lengths * np.sinc(bends / (2 * np.pi))
        middle = headings + bends / 2
        steps = chords[:, None] * np.stack([np.cos(middle), np.sin(middle)], axis=-1)
        points = self.start + np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)[:-1]])
        return knots, points, headings

    def _locate(self, local: Array, knots: Array) -> tuple[NDArrayInt, Array]:
        after = np.searchsorted(knots, local, side="right")
        index = np.minimum(np.maximum(after, 1), self.lengths.size) - 1
        return index, local - knots[index]


NDArrayInt = np.ndarray[tuple[int, ...], np.dtype[np.intp]]
