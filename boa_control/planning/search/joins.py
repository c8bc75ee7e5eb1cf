# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tangential ways from one straight line to the next: line-arc-line, or arc-line-arc."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from boa_description.angles import wrapped
from boa_description.arrays import Array, Flags

Pieces = tuple[tuple[float, float], ...]
"""Length (m) and curvature (1/m) of straight and circular pieces in order."""

SHORTEST = 1e-9  # m; pieces below this are left out


@dataclass(frozen=True, slots=True)
class JoinSettings:
    """How sharply a path may turn.

    Attributes:
        least_radius: of arcs between two lines that meet, m.
        gentle_radius: tried where the largest that fits is not free, m.
        tight_radius: of the arcs of arc-line-arc, m.
        largest_turn: of one arc, rad.
    """

    least_radius: float = 0.07
    gentle_radius: float = 0.12
    tight_radius: float = 0.09
    largest_turn: float = math.radians(78)


@dataclass(frozen=True, slots=True)
class Pose:
    """A point with a direction: shape (2,), m, and rad; or many, shape (n, 2) and (n,)."""

    point: Array
    heading: Array


def corner_lengths(start: Pose, ends: Pose, settings: JoinSettings) -> Array:
    """Length of line-arc-line from `start` to each of `ends`, shape (n,), m; NaN where impossible.

    The arc is the largest that fits.
    """
    before, after, turn = _corner(start, ends)
    size = np.abs(turn)
    tangent = np.minimum(before, after)
    possible = (size <= settings.largest_turn) & (size > 1e-3)
    half = np.tan(np.where(possible, size, 1.0) / 2)
    possible &= tangent >= settings.least_radius * half
    length = before + after - 2 * tangent + tangent / half * size
    return np.where(possible, length, np.nan)


def swerve_lengths(start: Pose, ends: Pose, settings: JoinSettings) -> Array:
    """Length of the shortest arc-line-arc to each of `ends`, shape (n,), m; NaN where none."""
    best = np.full(ends.heading.shape, np.nan)
    for first, second in ((1, -1), (-1, 1), (1, 1), (-1, -1)):
        turns, straight = _swerve(start, ends, first, second, settings.tight_radius)
        possible = (turns <= settings.largest_turn).all(axis=0) & ~np.isnan(straight)
        length = settings.tight_radius * turns.sum(axis=0) + straight
        best = np.fmin(best, np.where(possible, length, np.nan))
    return best


def joins(start: Pose, end: Pose, settings: JoinSettings) -> Iterator[Pieces]:
    """All ways from one line's end to another's start, the gentlest first.

    Args:
        start, end: one pose each.
    """
    many = Pose(end.point[None], np.atleast_1d(end.heading))
    before, after, turns = (float(x[0]) for x in _corner(start, many))
    if 1e-3 < abs(turns) <= settings.largest_turn:
        half = math.tan(abs(turns) / 2)
        largest = min(before, after) / half
        for radius in (largest, settings.gentle_radius):
            if settings.least_radius <= radius <= largest:
                cut = radius * half
                curvature = math.copysign(1 / radius, turns)
                yield _pieces(
                    (before - cut, 0.0), (radius * abs(turns), curvature), (after - cut, 0.0)
                )
    radius = settings.tight_radius
    for first, second in ((1, -1), (-1, 1), (1, 1), (-1, -1)):
        bends, straight = _swerve(start, many, first, second, radius)
        if not np.isnan(straight[0]) and (bends[:, 0] <= settings.largest_turn).all():
            yield _pieces(
                (radius * bends[0, 0], first / radius),
                (float(straight[0]), 0.0),
                (radius * bends[1, 0], second / radius),
            )


def total_length(segments: Pieces) -> float:
    """Length of all pieces, m."""
    return sum(length for length, _ in segments)


def sharpness(segments: Pieces) -> float:
    """Largest curvature, 1/m."""
    return max((abs(curvature) for _, curvature in segments), default=0.0)


def _pieces(*pieces: tuple[float, float]) -> Pieces:
    return tuple((float(length), float(bend)) for length, bend in pieces if length > SHORTEST)


def _corner(start: Pose, ends: Pose) -> tuple[Array, Array, Array]:
    """How far the start's line runs before it meets the end's, how far that one runs after, turn.

    Negative distances where the lines meet behind; shape (n,) each.
    """
    turn = wrapped(ends.heading - start.heading)
    along = np.stack([np.cos(start.heading), np.sin(start.heading)], axis=-1)
    towards = np.stack([np.cos(ends.heading), np.sin(ends.heading)], axis=-1)
    across = ends.point - start.point
    sine = np.sin(turn)
    sine = np.where(np.abs(sine) < 1e-9, np.nan, sine)
    return _cross(across, towards) / sine, _cross(along, across) / sine, turn


def _swerve(start: Pose, ends: Pose, first: int, second: int, radius: float) -> tuple[Array, Array]:
    """Turns of both arcs, shape (2, n), rad, and the straight between, (n,), m; NaN where none."""
    left = np.stack([-np.sin(start.heading), np.cos(start.heading)], axis=-1)
    left_there = np.stack([-np.sin(ends.heading), np.cos(ends.heading)], axis=-1)
    across = ends.point + second * radius * left_there - (start.point + first * radius * left)
    square = np.einsum("...j,...j->...", across, across)
    if first != second:
        square = square - 4 * radius**2
    possible: Flags = square > 0
    straight = np.sqrt(np.where(possible, square, np.nan))
    direction = np.arctan2(across[..., 1], across[..., 0])
    if first != second:
        direction = direction + first * np.arctan2(2 * radius, straight)
    turns = np.stack(
        [
            np.mod(first * (direction - start.heading), 2 * np.pi),
            np.mod(second * (ends.heading - direction), 2 * np.pi),
        ]
    )
    return np.where(turns > 2 * np.pi - 1e-9, 0.0, turns), straight


def _cross(a: Array, b: Array) -> Array:
    product: Array = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return product
