# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A path that waves, as wide as posts leave room, and the chain that lies on it.

At arc length sigma of the path the body is moved to the left by

    y(sigma, t) = A(sigma) sin(w t + 2 pi (sigma - s) / wavelength),

with s the place of the middle joint, so that the wave runs from head to tail. A(sigma) stands still
in the world: where the path is narrow, the body lies on it, whatever the rest of it does.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from boa_control.model.contact_geometry import ObstacleMap
from boa_control.paths.path import Curve
from boa_description.arrays import Array
from boa_description.scene import Obstacle

STEP = 4e-3  # m, between the points of the path
SPREAD = 1.4  # times half of the body: how far from its middle the path is looked at
TURNS = 4  # of laying the chain; each makes what is left of its error a tenth or less
STEEPEST = 0.4  # m per m by which the wave becomes wider along the path


class Laid(NamedTuple):
    """The chain on the waving path.

    Attributes:
        axes: joint axes from the tail to the head, shape (n + 1, 2), m.
        along: unit tangents of the path without its wave there, shape (n + 1, 2).
    """

    axes: Array
    along: Array

    @property
    def headings(self) -> Array:
        """Of the links, shape (n,), rad."""
        links = np.diff(self.axes, axis=0)
        return np.unwrap(np.arctan2(links[:, 1], links[:, 0]))


class WavingPath:
    """A path with a wave about it."""

    def __init__(
        self, curve: Curve, links: int, pitch: float, amplitudes: Array, wavelength: float
    ) -> None:
        """`amplitudes` at the `places` of the curve, m; `pitch` and `wavelength` in m."""
        self._s = places(curve)
        self._points = curve.position(self._s)
        heading = curve.heading(self._s)
        self._along = np.column_stack((np.cos(heading), np.sin(heading)))
        self._left = np.column_stack((-self._along[:, 1], self._along[:, 0]))
        self._amplitudes = amplitudes
        self._rate = 2.0 * np.pi / wavelength
        self._links, self._pitch = links, pitch
        self._reach = SPREAD * pitch * (links - links // 2)

    def lay(self, s: float, phase: float, share: float) -> Laid:
        """The chain with its middle joint at `s`, m, at a `phase` of the wave, rad, of which there
        is a `share`.
        """
        window = slice(*np.searchsorted(self._s, (s - self._reach, s + self._reach)))
        sigma = self._s[window]
        sway = share * self._amplitudes[window] * np.sin(phase + self._rate * (sigma - s))
        x, y = (self._points[window] + sway[:, None] * self._left[window]).T
        arc = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))))
        middle = self._links // 2
        at = np.interp(s, sigma, arc) + self._pitch * (np.arange(self._links + 1) - middle)
        for _ in range(TURNS):  # until the chords between the joints are as long as a link
            chords = np.hypot(np.diff(np.interp(at, arc, x)), np.diff(np.interp(at, arc, y)))
            steps = np.diff(at) * self._pitch / chords
            at = at[middle] + np.concatenate(([0.0], np.cumsum(steps))) - steps[:middle].sum()
        axes = np.column_stack((np.interp(at, arc, x), np.interp(at, arc, y)))
        on_path = np.interp(at, arc, sigma)
        along = np.column_stack([np.interp(on_path, self._s, part) for part in self._along.T])
        return Laid(axes, along)


def places(curve: Curve) -> Array:
    """Arc lengths of an open path at which its wave is known, and somewhat beyond its ends, m."""
    return np.arange(-0.2, curve.length + 0.2, STEP)


def amplitudes(
    curve: Curve, radius: float, obstacles: Sequence[Obstacle], least: float, most: float
) -> Array:
    """As wide as posts leave room, between `least` and `most`, m, at the `places` of the path, and
    nowhere steeper than `STEEPEST`. `radius` of the body, m.
    """
    s = places(curve)
    room = np.clip(ObstacleMap.of(obstacles).gaps(curve.position(s)) - radius, least, most)
    slope = STEEPEST * STEP
    for k in range(1, room.size):
        room[k] = min(room[k], room[k - 1] + slope)
    for k in range(room.size - 2, -1, -1):
        room[k] = min(room[k], room[k + 1] + slope)
    return room
