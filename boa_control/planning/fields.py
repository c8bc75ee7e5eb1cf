# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fields of posts to plan in: thrown at random with a seed, or on regular grids."""

import math

import numpy as np

from boa_control.planning.post_map import MappedPost, PostMap
from boa_description.arrays import Array
from boa_description.errors import BoaError

MISSES = 3000  # throws in a row that find no room, after which a random field is full
BLOCK = 100  # throws that are looked at together
MOST = 20_000  # posts of one field


def random_field(
    least_distance: float, seed: int, width: float = 5.0, height: float = 3.0, radius: float = 0.05
) -> PostMap:
    """Posts thrown one after the other where none stands nearer than `least_distance`, m, until no
    more fit (random sequential adsorption, a Poisson disc field).

    Args:
        least_distance: between centres, m.
        width, height: of the field from (0, 0), m. radius: of the posts, m.

    Raises:
        BoaError: posts would stand in each other, or there would be too many, or one only.
    """
    _check(least_distance, width, height, radius)
    rng = np.random.default_rng(seed)
    points = np.zeros((0, 2))
    misses = 0
    while misses < MISSES:
        throws = rng.random((BLOCK, 2)) * (width, height)
        room = _gaps(throws, points) >= least_distance  # as before these throws
        for point, free in zip(throws, room, strict=True):
            if free and _gaps(point, points) >= least_distance:
                points = np.vstack([points, point])
                misses = 0
            elif (misses := misses + 1) == MISSES:
                break
    return _posts(points, radius)


def grid_field(
    kind: str,
    pitch: float,
    turn: float = 0.0,
    width: float = 5.0,
    height: float = 3.0,
    radius: float = 0.05,
) -> PostMap:
    """A square or hexagonal grid of posts.

    Args:
        kind: "square" or "hexagonal".
        pitch: between neighbours, m.
        turn: of the rows against x, rad.
        width, height, radius: as of `random_field`.

    Raises:
        BoaError: as `random_field`.
    """
    _check(pitch, width, height, radius)
    reach = math.ceil(2 * math.hypot(width, height) / pitch)
    row, column = np.mgrid[-reach : reach + 1, -reach : reach + 1].reshape(2, -1)
    if kind == "hexagonal":
        x, y = pitch * (column + 0.5 * (row % 2)), pitch * math.sqrt(0.75) * row
    else:
        x, y = pitch * column.astype(float), pitch * row.astype(float)
    c, s = math.cos(turn), math.sin(turn)
    points = np.column_stack([c * x - s * y, s * x + c * y])
    inside = ((points >= 0.0) & (points <= [width, height])).all(axis=1)
    return _posts(points[inside], radius)


def _gaps(places: Array, points: Array) -> Array:
    """From places, shape (..., 2), to the nearest of the points, m."""
    apart = places[..., np.newaxis, :] - points
    gaps: Array = np.hypot(apart[..., 0], apart[..., 1]).min(axis=-1, initial=np.inf)
    return gaps


def _check(least_distance: float, width: float, height: float, radius: float) -> None:
    if least_distance < 2 * radius:
        raise BoaError(
            f"posts {least_distance:g} m apart with radius {radius:g} m stand in each other; at "
            f"least {2 * radius:g} m"
        )
    if least_distance > math.hypot(width, height):
        raise BoaError(
            f"posts {least_distance:g} m apart: {width:g} x {height:g} m have no room for two; "
            "give lengths in m"
        )
    most = width * height / (least_distance**2 * math.sqrt(0.75))
    if most > MOST:
        raise BoaError(
            f"{width:g} x {height:g} m with posts {least_distance:g} m apart are about {most:.0f} "
            f"posts, at most {MOST}; give lengths in m"
        )


def _posts(points: Array, radius: float) -> PostMap:
    return PostMap(
        posts=tuple(
            MappedPost(x=round(float(x), 4), y=round(float(y), 4), radius=radius) for x, y in points
        )
    )
