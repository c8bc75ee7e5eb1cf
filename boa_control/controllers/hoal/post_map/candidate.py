# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A post that the map has not: when touch has told its place, and the contact that it gives."""

import math
from typing import NamedTuple

import numpy as np

from boa_control.controllers.hoal.post_map.tuning import PostMapTuning
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.model.bent_schedule import BentSchedule
from boa_control.paths.path import Curve, PathContact
from boa_description.arrays import Array

NEAR = 0.2  # m along the path from the body, where a post that it touches may stand
STEP = 1e-3  # m, of that search


class Reading(NamedTuple):
    """Where touch has a post that is not in the plan.

    Attributes:
        place: x + iy, m. std: standard deviation of it, m.
    """

    place: complex
    std: float


class PostCandidate(NamedTuple):
    """A post that may be planned with.

    Attributes:
        contact: that the path has with it; place: where it stands, x + iy, m; std: of that, m.
        schedule: of all contacts, with this one.
    """

    contact: PathContact
    place: complex
    std: float
    schedule: BentSchedule

    @property
    def on_path(self) -> complex:
        """Where a body on the path would just touch it, x + iy, m."""
        return complex(self.contact.x, self.contact.y)


class AgreedPlace:
    """Counts readings of one place in a row."""

    def __init__(self, tuning: PostMapTuning = SHIPPED.post_map) -> None:
        self._tuning = tuning
        self.reset()

    def reset(self) -> None:
        """Nothing has been read."""
        self._place, self._readings = complex(math.inf), 0

    def confirmed(self, found: Reading) -> bool:
        """Use a reading; whether enough of them agree."""
        if not abs(found.place - self._place) <= self._tuning.agree * found.std:
            self._place, self._readings = found.place, 0
        self._readings += 1
        return self._readings >= self._tuning.agreed


def beside(
    curve: Curve, body: Array, place: complex, radius: float, body_radius: float
) -> PathContact:
    """The contact that a path has with a post which stands at `place`, x + iy, m, near the body,
    were the post moved straight off the path until the body just touches it.

    Args:
        body: path coordinates of the joint axes, shape (n + 1,), m. radius, body_radius: m.
    """
    s = np.arange(body.item(0) - NEAR, body.item(-1) + NEAR, STEP)
    points = curve.position(s) @ np.array([1.0, 1j])
    nearest = int(np.abs(points - place).argmin())
    left = 1j * np.exp(1j * curve.heading(s[nearest : nearest + 1])[0])
    side = 1 if ((place - points[nearest]) * np.conj(left)).real > 0 else -1
    centre = points[nearest] + side * (radius + body_radius) * left
    at = float(s[nearest] % curve.length) if curve.closed else float(s[nearest])
    return PathContact(float(centre.real), float(centre.imag), radius, at, side)
