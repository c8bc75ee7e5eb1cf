"""A post that the map has not: when touch has told its place, and the contact that it gives."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from boa_control.paths.path import Curve, PathObstacle
from boa_description.arrays import Array

SAME_POST = 0.01  # m, up to which two readings of a place agree
AGREED = 5  # of them in a row, before the post is planned with: in a blow some are wrong
# by which it may stand in the way of a body on the path: m, and over the way to the next post on
# the other side, m/m; others leave no more room
MOST_IN_WAY = 0.025
MOST_SLOPE = 0.17
NEAR = 0.2  # m along the path from the body, where a post that it touches may stand
STEP = 1e-3  # m, of that search


class AgreedPlace:
    """Counts readings of one place in a row."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Nothing has been read."""
        self._place, self._readings = complex(math.inf), 0

    def confirmed(self, place: complex) -> bool:
        """Use a reading, x + iy, m; whether enough of them agree."""
        if not abs(place - self._place) <= SAME_POST:
            self._place, self._readings = place, 0
        self._readings += 1
        return self._readings >= AGREED


def beside(
    curve: Curve, body: Array, place: complex, radius: float, body_radius: float
) -> PathObstacle:
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
    return PathObstacle(float(centre.real), float(centre.imag), radius, at, side)


def passable(
    curve: Curve,
    body: Array,
    place: complex,
    radius: float,
    body_radius: float,
    others: NDArray[np.complex128],
    sides: Array,
) -> PathObstacle | None:
    """The same contact, where the body has room to bend past the post; else None.

    Args:
        body, place, radius, body_radius: as of `beside`. others: where the map has the posts beside
            the body, x + iy, shape (k,), m. sides: of the body, on which they are, shape
            (k,): 1 left, -1 right.
    """
    contact = beside(curve, body, place, radius, body_radius)
    on_path = complex(contact.x, contact.y)
    facing = others[sides != contact.side]
    in_way = abs(place - on_path)
    return contact if in_way <= room(on_path, facing, radius + body_radius) else None


def room(place: complex, others: NDArray[np.complex128], reach: float) -> float:
    """By how much a post may stand in the way of a body on the path, m.

    Args:
        place: where it would just touch that body, x + iy, m.
        others: the same of posts on the other side, shape (k,), m. reach: of the body's middle line
            to the centre of a post that it touches, m.
    """
    apart = np.sqrt(np.maximum(np.abs(others - place) ** 2 - 4 * reach**2, 0.0))
    return min(MOST_IN_WAY, MOST_SLOPE * float(apart.min(initial=math.inf)))
