# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Curves made of straight lines and circular arcs, joined tangentially: one run of them, or a
pattern that a symmetry repeats.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boa_control.paths.path import Repeat
from boa_description.arrays import Array, Indices


@dataclass(frozen=True)  # no slots: the knots are kept
class Segments:
    """Lines and arcs one after the other. Beyond its ends the first and the last one go on.

    Attributes:
        start: shape (2,), first point, m.
        start_heading: rad.
        lengths, curvatures: shape (n,), m and 1/m (0: line).
    """

    start: Array
    start_heading: float
    lengths: Array
    curvatures: Array

    def position(self, s: Array) -> tuple[Array, Array]:
        """Coordinates x and y of points, shape (...) each, m."""
        knots, points, headings = self._knots
        index, ds = self._locate(s, knots)
        half = 0.5 * self.curvatures[index] * ds
        # the chord of an arc has length ds sin(half)/half and lies half-way between the end
        # tangents
        chord = ds * np.sinc(half / np.pi)
        direction = headings[index] + half
        x = points[index, 0] + chord * np.cos(direction)
        y = points[index, 1] + chord * np.sin(direction)
        return x, y

    def heading(self, s: Array) -> Array:
        """Direction of travel, rad, continuous in s."""
        knots, _, headings = self._knots
        index, ds = self._locate(s, knots)
        turned: Array = headings[index] + self.curvatures[index] * ds
        return turned

    def curvature(self, s: Array) -> Array:
        """Signed curvature, 1/m; at a joint of two segments that of the later one."""
        index, _ = self._locate(s, self._knots[0])
        bend: Array = self.curvatures[index]
        return bend

    @cached_property
    def length(self) -> float:
        """Of all segments, m."""
        return float(self._knots[0][-1])

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

    def _locate(self, s: Array, knots: Array) -> tuple[Indices, Array]:
        after = np.searchsorted(knots, s, side="right")
        index = np.minimum(np.maximum(after, 1), self.lengths.size) - 1
        return index, s - knots[index]


@dataclass(frozen=True, slots=True)
class SegmentCurve:
    """One repeat of lines and arcs; the rest of the curve follows from `repeat`.

    Attributes:
        segments: of one repeat.
        repeat: symmetry; `repeat.length` equals the length of `segments`.
        length: total length (one lap when closed), m.
        closed: whether the end meets the start.
    """

    segments: Segments
    repeat: Repeat
    length: float
    closed: bool

    def position(self, s: Array) -> Array:
        """Points, shape (..., 2), m."""
        turn, local = self._fold(s)
        x, y = self.segments.position(local)
        angle = turn * self.repeat.rotation
        cos = np.cos(angle)
        sin = np.sin(angle)
        moved = np.empty((*local.shape, 2))
        moved[..., 0] = cos * x - sin * y + turn * self.repeat.translation[0]
        moved[..., 1] = sin * x + cos * y + turn * self.repeat.translation[1]
        return moved

    def heading(self, s: Array) -> Array:
        """Direction of travel, rad, continuous in s."""
        turn, local = self._fold(s)
        return self.segments.heading(local) + turn * self.repeat.rotation

    def curvature(self, s: Array) -> Array:
        """Signed curvature, 1/m; at a joint of two segments that of the later one."""
        _, local = self._fold(s)
        return self.segments.curvature(local)

    def _fold(self, s: Array) -> tuple[Array, Array]:
        s = np.asarray(s, float)
        turn = np.floor(s / self.repeat.length)
        return turn, s - turn * self.repeat.length


def lap(segments: Segments) -> SegmentCurve:
    """The closed curve of segments whose end meets their start."""
    turning = float((segments.lengths * segments.curvatures).sum())
    rotation = 2 * np.pi * round(turning / (2 * np.pi))
    return SegmentCurve(segments, Repeat(segments.length, rotation), segments.length, closed=True)


@dataclass(frozen=True, slots=True)
class SegmentRun:
    """An open curve of lines and arcs without a symmetry. Beyond its ends it goes straight on.

    Attributes:
        segments: all of it; the first and the last one are lines.
    """

    segments: Segments

    @property
    def length(self) -> float:
        """From the first point to the last, m."""
        return self.segments.length

    @property
    def closed(self) -> bool:
        """It has two ends."""
        return False

    @property
    def repeat(self) -> Repeat | None:
        """It has no symmetry."""
        return None

    def position(self, s: Array) -> Array:
        """Points, shape (..., 2), m."""
        return np.stack(self.segments.position(np.asarray(s, float)), axis=-1)

    def heading(self, s: Array) -> Array:
        """Direction of travel, rad, continuous in s."""
        return self.segments.heading(np.asarray(s, float))

    def curvature(self, s: Array) -> Array:
        """Signed curvature, 1/m; at a joint of two segments that of the later one."""
        return self.segments.curvature(np.asarray(s, float))
