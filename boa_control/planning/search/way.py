# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A piece of path as points, and whether a chain of links passes along it."""

from dataclasses import dataclass

import numpy as np

from boa_control.planning.search.field import PostField
from boa_control.planning.search.joins import Pieces
from boa_description.arrays import Array, Indices

STEP = 0.008  # m, between points
LONGEST_ARC = 1.4  # pitches of arc below one link; at radius 0.07 m it is 1.28


@dataclass(frozen=True, slots=True)
class Way:
    """Points along lines and arcs.

    Attributes:
        s: arc length of the points, shape (n,), m.
        points: shape (n, 2), m. heading: shape (n,), rad.
    """

    s: Array
    points: Array
    heading: Array


def sample(start: Array, heading: float, segments: Pieces, step: float = STEP) -> Way:
    """Points every `step` (m) at most, evenly, with both ends.

    Args:
        start: shape (2,), m.
    """
    lengths = np.array([length for length, _ in segments])
    bends = np.array([bend for _, bend in segments])
    knots = np.concatenate([[0.0], np.cumsum(lengths)])
    turns = bends * lengths
    headings = heading + np.concatenate([[0.0], np.cumsum(turns)])
    middle = headings[:-1] + 0.5 * turns
    straight = lengths * np.sinc(turns / (2 * np.pi))
    corners = np.vstack([start, np.zeros((lengths.size, 2))])
    corners[1:, 0] = start[0] + np.cumsum(straight * np.cos(middle))
    corners[1:, 1] = start[1] + np.cumsum(straight * np.sin(middle))
    points = max(2, int(np.ceil(knots[-1] / step)) + 1)
    s = np.linspace(0.0, knots[-1], points)
    piece = np.minimum(np.searchsorted(knots, s, side="right") - 1, lengths.size - 1)
    ds = s - knots[piece]
    half = 0.5 * bends[piece] * ds
    chord = ds * np.sinc(half / np.pi)
    direction = headings[piece] + half
    place = np.empty((points, 2))
    place[:, 0] = corners[piece, 0] + chord * np.cos(direction)
    place[:, 1] = corners[piece, 1] + chord * np.sin(direction)
    return Way(s, place, headings[piece] + 2 * half)


def chords(way: Way, pitch: float) -> tuple[Array, Array]:
    """Links on the way: starts at its points, ends where it is one pitch away, shape (m, 2) each.

    Points whose link would reach beyond the end have none.
    """
    count = len(way.s)
    spacing = way.s[1]
    least = int(pitch / spacing)
    most = int(np.ceil(LONGEST_ARC * pitch / spacing)) + 1
    index = np.arange(count)[:, None] + np.arange(max(1, least), min(most, count))
    inside = index < count
    index = np.minimum(index, count - 1)
    apart = np.hypot(*np.moveaxis(way.points[index] - way.points[:, None], -1, 0))
    outside = (apart >= pitch) & inside
    left = outside.any(axis=1)
    first = outside.argmax(axis=1)
    rows = np.flatnonzero(left)
    after = index[rows, first[rows]]
    far = apart[rows, first[rows]]
    near = np.hypot(*(way.points[after - 1] - way.points[rows]).T)
    share = (pitch - near) / np.maximum(far - near, 1e-12)
    ends = way.points[after - 1] + share[:, None] * (way.points[after] - way.points[after - 1])
    return way.points[rows], ends


def passable(
    way: Way,
    field: PostField,
    pitch: float,
    body_radius: float,
    clearance: float,
    touched: Indices,
    overlap: float,
) -> bool:
    """Whether links on the way keep clear of everything.

    Args:
        touched: posts that the body touches; it may lie up to `overlap` (m) in them.
        clearance: to all others, besides their `room`, m.
    """
    starts, ends = chords(way, pitch)
    if not len(starts):
        return True
    near = field.near(way.points, body_radius + clearance)
    if near.size:
        own = (near[:, None] == touched).any(axis=1)
        least = np.where(own, -overlap, clearance + field.room(near, touched))
        if (field.gaps(starts, ends, near) - body_radius < least).any():
            return False
    if field.blocks:
        points = np.vstack([starts, 0.5 * (starts + ends), ends])
        room = body_radius + clearance + field.own_room(touched)
        return bool((field.block_gaps(points) >= room).all())
    return True
