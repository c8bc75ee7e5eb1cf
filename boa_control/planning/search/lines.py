# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Straight pieces of path on which a link touches one post, or two: the states of the search.

A link that touches a post lies on a straight piece, so the contact's point and normal stay where
they are in the world while the link passes. Single lines touch one post under any heading; double
lines are the common tangents of two posts, widened by the body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from boa_control.planning.search.field import PostField
from boa_control.planning.search.joins import Pieces
from boa_description.arrays import Array, Flags, Indices

NO_POST = -1
SHORTEST = 1e-9  # m; pieces below this have no direction


@dataclass(frozen=True, slots=True)
class LineSettings:
    """Which lines there are.

    Attributes:
        half: straight path before the first and behind the last contact, m.
        clearance: between the body and posts that are not contacts, m.
        headings: number of headings of single lines, evenly around the circle.
        apart: of the two posts of a double line at most, m.
    """

    half: float = 0.08
    clearance: float = 0.010
    headings: int = 36
    apart: float = 0.45


@dataclass(frozen=True, slots=True)
class ContactLines:
    """Directed lines with their contacts; shape (n,) unless given otherwise.

    Attributes:
        foot: first contact's point on the line, shape (n, 2), m.
        heading: rad.
        length: from the first to the last contact, m; 0 with one contact.
        post: first and second contact's post, shape (n, 2); `NO_POST` where there is none.
        side: +1 post on the left, -1 right, shape (n, 2).
        half: straight path before the first and behind the last contact, m.
    """

    foot: Array
    heading: Array
    length: Array
    post: Indices
    side: Indices
    half: float

    @property
    def tangent(self) -> Array:
        """Unit vectors along the lines, shape (n, 2)."""
        return np.column_stack([np.cos(self.heading), np.sin(self.heading)])

    @property
    def start(self) -> Array:
        """Where the straight piece begins, shape (n, 2), m."""
        start: Array = self.foot - self.half * self.tangent
        return start

    @property
    def end(self) -> Array:
        """Where the straight piece ends, shape (n, 2), m."""
        end: Array = self.foot + (self.length + self.half)[:, None] * self.tangent
        return end

    def select(self, chosen: Flags | Indices) -> ContactLines:
        """Some of the lines."""
        return ContactLines(
            self.foot[chosen],
            self.heading[chosen],
            self.length[chosen],
            self.post[chosen],
            self.side[chosen],
            self.half,
        )


class Lead(NamedTuple):
    """The end of a path on which a body lies already, about one link of it.

    Attributes:
        start, heading: where these pieces begin, shape (2,), m, and rad.
        pieces: up to the end.
        end, end_heading: where a new path goes on.
        posts: that the body touches there, shape (k,).
    """

    start: Array
    heading: float
    pieces: Pieces
    end: Array
    end_heading: float
    posts: Indices


def with_leads(lines: ContactLines, leads: Sequence[Lead]) -> ContactLines:
    """Lines, and behind them one without contacts per lead, which ends where the lead does."""
    count = len(leads)
    heading = np.array([lead.end_heading for lead in leads])
    ends = np.array([lead.end for lead in leads]).reshape(-1, 2)
    tangent = np.column_stack([np.cos(heading), np.sin(heading)])
    none = np.full((count, 2), NO_POST)
    empty = ContactLines(
        ends - lines.half * tangent, heading, np.zeros(count), none, none, lines.half
    )
    return _join(lines, empty) if count else lines


def contact_lines(field: PostField, body_radius: float, settings: LineSettings) -> ContactLines:
    """All lines in the field whose straight piece is free of other posts, walls and boxes.

    Args:
        body_radius: half width of the body, m.
    """
    lines = _join(_singles(field, body_radius, settings), _doubles(field, body_radius, settings))
    return lines.select(free(lines, field, body_radius + settings.clearance))


def turned(lines: ContactLines, chosen: Indices, by: Array, reach: Array) -> ContactLines:
    """Single lines again under headings near their own.

    Args:
        chosen: which, shape (m,); those with two contacts are left as they are.
        by: angles, rad, shape (k,).
        reach: of the body's middle line to the centre of each contact's post, shape (n,), m.
    """
    single = chosen[lines.post[chosen, 1] == NO_POST]
    index = np.repeat(single, by.size)
    base = lines.select(index)
    angle = np.tile(by, single.size)
    normal = _left(base.heading)
    centre = base.foot + (base.side[:, 0] * reach[index])[:, None] * normal
    heading = base.heading + angle
    foot = centre - (base.side[:, 0] * reach[index])[:, None] * _left(heading)
    single_turned = ContactLines(foot, heading, base.length, base.post, base.side, lines.half)
    return _join(single_turned, lines.select(chosen[lines.post[chosen, 1] != NO_POST]))


def free(lines: ContactLines, field: PostField, distance: float) -> Flags:
    """Which lines keep `distance` (m) from posts other than their own and from blocks."""
    return free_pieces(lines.start, lines.end, lines.post, field, distance)


def free_pieces(
    start: Array, end: Array, touched: Indices, field: PostField, distance: float
) -> Flags:
    """Which straight pieces of path keep `distance`, and the posts' `room`, from posts and blocks,
    shape (n,).

    Args:
        start, end: shape (n, 2), m.
        touched: posts that do not count, shape (n, k).
        distance: m.
    """
    across = end - start
    length = np.hypot(*across.T)
    along = across / np.maximum(length, SHORTEST)[:, None]
    reach = distance + field.largest_room + field.largest_radius
    near = field.tree.query_ball_point(
        0.5 * (start + end), 0.5 * length + reach, return_sorted=False
    )
    piece = np.repeat(np.arange(length.size), [len(posts) for posts in near])
    post = np.array([one for posts in near for one in posts], dtype=np.intp)
    others = (touched[piece] != post[:, None]).all(axis=1)
    piece, post = piece[others], post[others]
    arm = field.centres[post] - start[piece]
    share = np.clip(np.einsum("ij,ij->i", arm, along[piece]), 0.0, length[piece])
    gap = np.hypot(*(arm - share[:, None] * along[piece]).T) - field.radii[post]
    clear = np.ones(length.size, bool)
    clear[piece[gap < distance + field.room(post, touched[piece])]] = False
    if field.blocks:
        share = np.linspace(0.0, 1.0, 9)[:, None]
        for k in np.flatnonzero(clear):
            room = distance + field.own_room(touched[k])
            clear[k] = (field.block_gaps(start[k] + share * across[k]) >= room).all()
    return clear


def _singles(field: PostField, body_radius: float, settings: LineSettings) -> ContactLines:
    """Every post under every heading, on both sides."""
    posts = field.radii.size
    angles = 2 * np.pi * np.arange(settings.headings) / settings.headings
    post = np.repeat(np.arange(posts), 2 * angles.size)
    side = np.tile(np.repeat([1, -1], angles.size), posts)
    heading = np.tile(angles, 2 * posts)
    reach = side * (field.radii[post] + body_radius)
    foot = field.centres[post] - reach[:, None] * _left(heading)
    none = np.full(post.size, NO_POST)
    return ContactLines(
        foot,
        heading,
        np.zeros(post.size),
        np.column_stack([post, none]),
        np.column_stack([side, none]),
        settings.half,
    )


def _doubles(field: PostField, body_radius: float, settings: LineSettings) -> ContactLines:
    """Common tangents of pairs of posts, in both directions, with all four pairs of sides."""
    pairs = field.tree.query_pairs(settings.apart, output_type="ndarray").reshape(-1, 2)
    first, second = np.vstack([pairs, pairs[:, ::-1]]).T
    sides = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)])
    chosen = np.repeat(np.arange(first.size), 4)
    first = first[chosen]
    second = second[chosen]
    side = np.tile(sides, (chosen.size // 4, 1))
    across = field.centres[second] - field.centres[first]
    distance = np.hypot(*across.T)
    # offsets of the centres to the left of the line
    offset = side * (field.radii[np.column_stack([first, second])] + body_radius)
    climb = offset[:, 1] - offset[:, 0]
    possible = np.abs(climb) < 0.98 * distance
    first = first[possible]
    second = second[possible]
    side = side[possible]
    offset = offset[possible]
    bearing = np.arctan2(across[possible, 1], across[possible, 0])
    heading = bearing - np.arcsin(climb[possible] / distance[possible])
    length = np.sqrt(distance[possible] ** 2 - climb[possible] ** 2)
    foot = field.centres[first] - offset[:, :1] * _left(heading)
    return ContactLines(
        foot, heading, length, np.column_stack([first, second]), side, settings.half
    )


def _left(heading: Array) -> Array:
    """Unit vectors to the left of headings, shape (n, 2)."""
    return np.column_stack([-np.sin(heading), np.cos(heading)])


def _join(some: ContactLines, others: ContactLines) -> ContactLines:
    return ContactLines(
        np.vstack([some.foot, others.foot]),
        np.concatenate([some.heading, others.heading]),
        np.concatenate([some.length, others.length]),
        np.vstack([some.post, others.post]),
        np.vstack([some.side, others.side]),
        some.half,
    )
