# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The path behind a place of the search, and bodies that lie on it link by link."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from boa_control.planning.search.tree import Reached
from boa_description.arrays import Array, Flags, Indices

SPACING = 0.01  # m of path between bodies that are tested
BESIDE = 3e-4  # m before and behind an event: a joint passes a contact, a contact comes or goes
SECANTS = 6  # steps to the place of the next joint; the error is then below 1e-6 m
SHALLOWEST = -0.2  # slope of a chord over its arc that the secants use at least
TINY = 1e-12  # m
REACH_BACK = 2.0  # pitches; within this much arc lies the previous joint


class Poses(NamedTuple):
    """Bodies on a path.

    Attributes:
        arcs: of the joint axes and both ends from tail to head, shape (k, n + 1), m.
        axes: their places, shape (k, n + 1, 2), m.
    """

    arcs: Array
    axes: Array

    def links_at(self, at: Array) -> Indices:
        """Which link lies at arc lengths `at`, shape (c,), of every body; shape (k, c)."""
        links: Indices = (self.arcs[:, 1:-1, None] <= at).sum(axis=1)
        return links

    def inside(self, at: Array) -> Flags:
        """Which arc lengths `at`, shape (c,), m, lie between tail and head; shape (k, c)."""
        inside: Flags = (self.arcs[:, :1] <= at) & (at < self.arcs[:, -1:])
        return inside


class Track(NamedTuple):
    """A path as points.

    Attributes:
        arcs: of the points, shape (m,), m; heading: shape (m,), rad.
        points: shape (m, 2), m.
        previous: arc lengths, one pitch (as a chord) behind the points, shape (m,), m.
    """

    arcs: Array
    points: Array
    heading: Array
    previous: Array

    def longer(self, lead: float, pitch: float) -> Track:
        """With a straight piece of `lead`, m, behind its end."""
        heading = self.heading[-1:]
        ahead = np.linspace(0.0, lead, 2 + math.ceil(lead / SPACING))[1:]
        along = np.column_stack([np.cos(heading), np.sin(heading)])
        arcs = np.concatenate([self.arcs, self.arcs[-1] + ahead])
        points = np.vstack([self.points, self.points[-1] + ahead[:, None] * along])
        previous = previous_joints(arcs, points, self.arcs.size, pitch)
        return Track(
            arcs,
            points,
            np.concatenate([self.heading, np.repeat(heading, ahead.size)]),
            np.concatenate([self.previous, previous]),
        )

    def bends(self, at: Array) -> Array:
        """Angles of joints that lie at arc lengths `at`, shape (c,), m: positive to the left, rad.

        Both links at them must lie on the track.
        """
        places = [
            np.interp(at, self.previous, self.arcs),
            at,
            np.interp(at, self.arcs, self.previous),
        ]
        ahead, here, behind = (
            np.column_stack([np.interp(place, self.arcs, x) for x in self.points.T])
            for place in places
        )
        before, after = here - behind, ahead - here
        sine = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
        return np.asarray(np.arctan2(sine, np.einsum("ci,ci->c", before, after)))

    def joints(self, heads: Array, links: int) -> Array:
        """Arc lengths of all joint axes of bodies with their heads at `heads`, shape (k,), m;
        shape (k, links + 1).
        """
        arcs = np.empty((links + 1, heads.size))
        arcs[-1] = heads
        for joint in range(links - 1, -1, -1):
            arcs[joint] = np.interp(arcs[joint + 1], self.arcs, self.previous)
        return arcs.T

    def poses(self, begin: float, end: float, at: Array, links: int) -> Poses:
        """Bodies with their heads from `begin` to `end`, m: every `SPACING`, and just before and
        behind every place where a joint or an end of the body passes one of `at`, shape (c,), m.

        Those whose tail would lie before the beginning of the path, at 0, are left out.
        """
        heads = np.linspace(begin, end, 2 + math.ceil((end - begin) / SPACING))
        passed = np.concatenate([[0.0], at])[:, None, None]
        arcs = self.joints(heads, links)
        there, step, joint = np.nonzero((arcs[:-1] <= passed) & (arcs[1:] > passed))
        before, after = arcs[step, joint], arcs[step + 1, joint]
        share = (passed[there, 0, 0] - before) / (after - before)
        events = heads[step] + share * (heads[step + 1] - heads[step])
        heads = np.unique(np.concatenate([heads, events - BESIDE, events + BESIDE]))
        arcs = self.joints(heads[(heads >= begin) & (heads <= end)], links)
        arcs = arcs[arcs[:, 0] >= 0.0]
        axes = np.stack([np.interp(arcs, self.arcs, x) for x in self.points.T], axis=-1)
        return Poses(arcs, axes)


def pinch(track: Track, at: Array, sides: Array) -> float:
    """How sharply joints are bent towards the posts that they pass: sum of the squares of their
    angles, rad2.

    Args:
        at, sides: arc lengths of contacts on the track, m, and on which side their posts are, +1
            left, -1 right, shape (c,).
    """
    towards = np.maximum(sides * track.bends(at), 0.0)
    return float(towards @ towards)


def track_behind(node: Reached, half: float, since: float, pitch: float) -> Track:
    """The path from `since`, m, or its beginning, to the end of a node's line.

    Before its beginning every path is thought to go on straight.

    Args:
        half: straight path behind the node's last contact, m.
    """
    s = node.s + half
    pieces: list[Track] = []
    at: Reached | None = node
    while at is not None and at.way is not None and s > since:
        s -= float(at.way.s[-1])
        if at.previous is None:
            at.previous = _previous(at, pitch)
        pieces.append(Track(s + at.way.s, at.way.points, at.way.heading, s + at.previous))
        at = at.parent
    if at is None:
        pieces.append(_before(pieces[-1], max(pitch, s - since), pitch))
    return Track(*(np.concatenate(column) for column in zip(*pieces[::-1], strict=True)))


def _previous(node: Reached, pitch: float) -> Array:
    """`Track.previous` of the points of a node's way, counted as they are."""
    way = node.way
    assert way is not None
    arcs, points, s = way.s, way.points, 0.0
    at = node.parent
    while at is not None and at.way is not None and s > -REACH_BACK * pitch:
        s -= float(at.way.s[-1])
        arcs, points = np.concatenate([s + at.way.s, arcs]), np.vstack([at.way.points, points])
        at = at.parent
    if at is None:
        first = points[1] - points[0]
        back = REACH_BACK * pitch * first / np.hypot(*first)
        arcs = np.concatenate([arcs[:1] - REACH_BACK * pitch, arcs])
        points = np.vstack([points[:1] - back, points])
    return previous_joints(arcs, points, arcs.size - way.s.size, pitch)


def _before(track: Track, length: float, pitch: float) -> Track:
    """A point `length`, m, straight behind the first one of a path."""
    heading = track.heading[:1]
    back = length * np.column_stack([np.cos(heading), np.sin(heading)])
    begin = track.arcs[:1] - length
    return Track(begin, track.points[:1] - back, heading, begin - pitch)


def previous_joints(arcs: Array, points: Array, first: int, pitch: float) -> Array:
    """Arc lengths of the joints one pitch behind the points from number `first` on, m; shape
    (len(arcs) - first,).
    """
    x, y = points.T
    from_x, from_y = x[first:], y[first:]

    def excess(place: Array) -> Array:
        """Of the chord over the pitch, m."""
        apart = np.hypot(np.interp(place, arcs, x) - from_x, np.interp(place, arcs, y) - from_y)
        return np.asarray(apart - pitch)

    old = arcs[first:] - pitch
    error = excess(old)
    place = old + error  # chords are shorter than their arcs: further back
    for _ in range(SECANTS):
        now, moved = excess(place), place - old
        slope = np.full_like(now, -1.0)
        np.divide(now - error, moved, out=slope, where=np.abs(moved) > TINY)
        old, error, place = place, now, place - now / np.minimum(slope, SHALLOWEST)
    return place
