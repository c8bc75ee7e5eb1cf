# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Places of points in the plane from distances between them: a free network, adjusted by least
squares (Ghilani, Adjustment Computations, 6th ed., chapters 14, 17 and 21).
"""

import itertools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array

SUSPECT = 3.29  # standardised residual that one right distance in 1000 exceeds (Baarda)
CHECKED = 0.01  # least redundancy number of a distance that others can contradict
STEPS = 50
CONVERGED = 1e-10  # m


class Distance(NamedTuple):
    """One distance, m, between the points with these indices."""

    one: int
    other: int
    length: float


@dataclass(frozen=True, slots=True)
class Network:
    """Adjusted places.

    Attributes:
        places: shape (n, 2), m.
        std: shape (n,), m; of each place along its least certain direction, relative to all others
            (inner constraints: no point is held fast, so none is certain by decree).
        residual: shape (m,), m; measured minus adjusted distance.
        standardised: shape (m,); residual over its own standard deviation, 0 where no other
            distance can contradict it.
        checked: shape (m,); whether others can.
    """

    places: Array
    std: Array
    residual: Array
    standardised: Array
    checked: Array

    @property
    def suspect(self) -> int | None:
        """The distance that is most probably a blunder; None where all agree."""
        worst = int(np.abs(self.standardised).argmax())
        return worst if abs(self.standardised[worst]) > SUSPECT else None


def adjusted(distances: list[Distance], start: Array, std: float) -> Network:
    """The most probable places.

    Args:
        distances: of which every point has two at least.
        start: first guess, shape (n, 2), m; decides which of two mirror images is meant.
        std: standard deviation of a distance, m.
    """
    places = start.copy()
    for _ in range(STEPS):
        step = np.linalg.pinv(_jacobian(distances, places)) @ _residuals(distances, places)
        places = places + step.reshape(-1, 2)
        if np.abs(step).max() < CONVERGED:
            break
    jacobian, residual = _jacobian(distances, places), _residuals(distances, places)
    cofactor = np.linalg.pinv(jacobian.T @ jacobian)
    blocks = cofactor.reshape(len(places), 2, len(places), 2)
    own = np.array([blocks[point, :, point] for point in range(len(places))])
    redundancy = 1.0 - np.einsum("ij,jk,ik->i", jacobian, cofactor, jacobian)
    checked = redundancy > CHECKED
    spread = std * np.sqrt(np.where(checked, redundancy, 1.0))
    return Network(
        places,
        std * np.sqrt(np.linalg.eigvalsh(own)[:, -1]),
        residual,
        np.where(checked, residual / spread, 0.0),
        checked,
    )


def laid_out(distances: list[Distance], count: int, right: frozenset[int]) -> Array:
    """First guess: point 0 at the origin, point 1 on the x axis, then each from two that have a
    place; a row is nan where a point cannot be reached so.

    Args:
        distances: point 0 to point 1 among them.
        count: of points.
        right: those on the right of the line from 0 to 1; the others lie on its left.
    """
    lengths = {frozenset((a, b)): length for a, b, length in distances}
    places = np.full((count, 2), np.nan)
    places[0], places[1] = 0.0, (lengths[frozenset((0, 1))], 0.0)
    while True:
        reachable = {
            point: from_
            for point in range(2, count)
            if np.isnan(places[point, 0])
            and len(from_ := _placed_neighbours(point, places, lengths)) > 1
        }
        if not reachable:
            return places
        point = max(reachable, key=lambda one: len(reachable[one]))
        places[point] = _placed(point, reachable[point], places, lengths, point in right)


def on_baseline(places: Array) -> Array:
    """The places moved and turned so that point 0 is the origin and point 1 lies on the x axis."""
    shifted = places - places[0]
    along = shifted[1] / np.hypot(*shifted[1])
    return np.array([shifted @ along, shifted @ (-along[1], along[0])]).T


def _placed_neighbours(
    point: int, places: Array, lengths: dict[frozenset[int], float]
) -> list[int]:
    return [
        other
        for other in range(len(places))
        if frozenset((point, other)) in lengths and not np.isnan(places[other, 0])
    ]


def _placed(
    point: int,
    neighbours: list[int],
    places: Array,
    lengths: dict[frozenset[int], float],
    right: bool,
) -> Array:
    """Where two circles meet; of all such places the one that fits all distances best, and of two
    that fit alike the one on the stated side of the x axis.
    """
    reach = {one: lengths[frozenset((point, one))] for one in neighbours}
    candidates = [
        place
        for one, other in itertools.combinations(neighbours, 2)
        for place in _meets(places[one], reach[one], places[other], reach[other])
    ]

    def misfit(place: Array) -> tuple[float, bool]:
        gaps = [math.dist(place, places[one]) - reach[one] for one in neighbours]
        return round(math.sqrt(sum(gap * gap for gap in gaps)), 6), (place[1] < 0) != right

    return min(candidates, key=misfit)


def _meets(one: Array, reach: float, other: Array, across: float) -> tuple[Array, Array]:
    """Where two circles meet, or come nearest."""
    apart = math.dist(one, other)
    along = (other - one) / apart
    foot = (apart * apart + reach * reach - across * across) / (2 * apart)
    height = math.sqrt(max(reach * reach - foot * foot, 0.0))
    side = height * np.array([-along[1], along[0]])
    return one + foot * along + side, one + foot * along - side


def _residuals(distances: list[Distance], places: Array) -> Array:
    return np.array([length - math.dist(places[a], places[b]) for a, b, length in distances])


def _jacobian(distances: list[Distance], places: Array) -> Array:
    """Derivative of the distances by the places, shape (m, 2 n)."""
    jacobian = np.zeros((len(distances), 2 * len(places)))
    for row, (a, b, _) in enumerate(distances):
        along = (places[a] - places[b]) / math.dist(places[a], places[b])
        jacobian[row, 2 * a : 2 * a + 2], jacobian[row, 2 * b : 2 * b + 2] = along, -along
    return jacobian
