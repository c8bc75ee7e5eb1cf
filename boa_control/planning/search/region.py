# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a path begins and ends: around a point, or beyond a line."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from boa_description.angles import wrapped
from boa_description.arrays import Array


class Region(Protocol):
    """A part of the floor."""

    def distance(self, points: Array, headings: Array) -> Array:
        """Way still to go from points (..., 2), m, under headings (...,), rad; 0 inside, m."""


@dataclass(frozen=True, slots=True)
class Around:
    """A disc, with a heading if one is wanted.

    Attributes:
        x, y, radius: m.
        heading: rad; None: any.
        heading_tolerance: rad.
    """

    x: float
    y: float
    radius: float
    heading: float | None = None
    heading_tolerance: float = math.radians(20)

    def distance(self, points: Array, headings: Array) -> Array:
        """Distance to the disc; a wrong heading counts as the arc of 0.3 m that corrects it."""
        apart = np.hypot(points[..., 0] - self.x, points[..., 1] - self.y)
        to_go = np.maximum(apart - self.radius, 0.0)
        if self.heading is not None:
            off = np.abs(wrapped(headings - self.heading))
            to_go = to_go + 0.3 * np.maximum(off - self.heading_tolerance, 0.0)
        return np.asarray(to_go)


@dataclass(frozen=True, slots=True)
class Beyond:
    """The half plane n . p >= offset.

    Attributes:
        normal: unit vector. offset: m.
    """

    normal: tuple[float, float]
    offset: float

    def distance(self, points: Array, headings: Array) -> Array:  # noqa: ARG002
        """Distance to the half plane."""
        along = points @ np.array(self.normal)
        return np.asarray(np.maximum(self.offset - along, 0.0))
