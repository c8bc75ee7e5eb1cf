# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact lines and the ways between them on which a chain of links passes all posts."""

from collections.abc import Sequence
from copy import copy
from typing import Self

import numpy as np
from scipy.spatial import cKDTree

from boa_control.planning.search.field import PostField
from boa_control.planning.search.joins import (
    JoinSettings,
    Pieces,
    Pose,
    corner_lengths,
    joins,
    swerve_lengths,
)
from boa_control.planning.search.lines import NO_POST, ContactLines, Lead, free_pieces, with_leads
from boa_control.planning.search.way import Way, passable, sample
from boa_control.planning.search.windows import rubbing_wrenches
from boa_description.arrays import Array, Flags, Indices
from boa_description.robot import Robot

REACH = 0.60  # m, of the next line's first contact from the last contact
OWN_OVERLAP = 1e-3  # m; a link may lie this deep in its own post while it turns onto its line
COARSE = 0.01  # m, between the points of a way on which bodies are laid


class LineGraph:
    """Lines of one field, and what was found out about the ways between them.

    Attributes:
        lines: all of them.
        end: where their straight pieces end, shape (n, 2), m.
        tangent: unit vectors along them, shape (n, 2).
        posts: the field.
        frictions: k of them, of the posts, with each of which contacts shall close the body.
        wrenches: of unit forces at the first and at the second contact, shape (2, n, k, 3), about
            the origin of the map, for k frictions of the posts.
    """

    def __init__(
        self,
        lines: ContactLines,
        posts: PostField,
        robot: Robot,
        settings: JoinSettings,
        clearance: float,
        leads: Sequence[Lead] = (),
    ) -> None:
        """Keep the lines; ways are worked out when they are first needed.

        Args:
            clearance: between the body and posts that are not contacts, m.
            leads: ends of paths on which a body lies already; they become lines without contacts,
                behind the others in their order.
        """
        self._free_lines = lines.heading.size
        self._leads = tuple(leads)
        lines = with_leads(lines, leads)
        self.lines = lines
        self.frictions: tuple[float, ...] = (0.0,)
        self.tangent = lines.tangent
        self.end = lines.end
        self._start = lines.start
        self._last = lines.foot + lines.length[:, None] * self.tangent
        self.posts = posts
        self._pitch = robot.link.pitch
        self._radius = robot.link.radius
        self._settings = settings
        self._clearance = clearance
        self._tree = cKDTree(lines.foot[: self._free_lines].reshape(-1, 2))
        self._ways: dict[tuple[int, int], tuple[Pieces, Way] | None] = {}
        self._following: dict[int, tuple[Indices, Array]] = {}
        self.wrenches = self._wrenches(self.frictions)

    def with_frictions(self, frictions: Sequence[float]) -> Self:
        """The same lines, and what was found out about ways, among posts with other frictions."""
        if tuple(frictions) == self.frictions:
            return self
        other = copy(self)
        other.frictions, other.wrenches = tuple(frictions), self._wrenches(frictions)
        return other

    def _wrenches(self, frictions: Sequence[float]) -> Array:
        normal = np.column_stack([-self.tangent[:, 1], self.tangent[:, 0]])
        places = (self.lines.foot, self._last)
        normals = [-side[:, None] * normal for side in self.lines.side.T]
        points = [foot - self._radius * at for foot, at in zip(places, normals, strict=True)]
        pairs = zip(points, normals, strict=True)
        return np.array([rubbing_wrenches(*pair, self.tangent, frictions) for pair in pairs])

    def contacts(self, line: int) -> int:
        """Number of contacts on a line."""
        return int((self.lines.post[line] != NO_POST).sum())

    @property
    def lead_lines(self) -> range:
        """Indices of the lines made of `leads`."""
        return range(self._free_lines, self.lines.heading.size)

    def straight(self, line: int, lead: float) -> Way:
        """The straight piece of a line, and `lead`, m, before it."""
        length = float(lead + 2 * self.lines.half + self.lines.length[line])
        heading = float(self.lines.heading[line])
        start = self._start[line] - lead * self.tangent[line]
        return sample(start, heading, ((length, 0.0),), COARSE)

    def following(self, line: int) -> tuple[Indices, Array]:
        """Lines that can follow, and the length of the shortest way there, m, if it is free."""
        if line not in self._following:
            around = self._tree.query_ball_point(self._last[line], REACH)
            near = np.array(around, dtype=np.intp)
            near = near[near != line]
            start = Pose(self.end[line], self.lines.heading[line])
            ends = Pose(self._start[near], self.lines.heading[near])
            length = np.fmin(
                corner_lengths(start, ends, self._settings),
                swerve_lengths(start, ends, self._settings),
            )
            possible = length < REACH
            self._following[line] = near[possible], length[possible]
        return self._following[line]

    def free_ahead(self, lines: Indices, length: float) -> Flags:
        """Behind the ends of which of some lines a straight piece of `length`, m, is free."""
        ends = self.end[lines]
        return self._free(lines, ends, ends + length * self.tangent[lines])

    def free_behind(self, lines: Indices, length: float) -> Flags:
        """Before the starts of which of some lines a straight piece of `length`, m, is free."""
        starts = self._start[lines]
        return self._free(lines, starts - length * self.tangent[lines], starts)

    def _free(self, lines: Indices, start: Array, end: Array) -> Flags:
        room = self._radius + self._clearance
        return free_pieces(start, end, self.lines.post[lines], self.posts, room)

    def way(self, before: int, after: int) -> tuple[Pieces, Way] | None:
        """The gentlest free way from line to line: its pieces, and points to the end of the second
        line; None where a chain passes on none.
        """
        key = (before, after)
        if key not in self._ways:
            self._ways[key] = self._free_way(before, after)
        return self._ways[key]

    def _lead(self, line: int) -> Lead:
        """The last link's length of path up to the end of a line."""
        if line in self.lead_lines:
            return self._leads[line - self._free_lines]
        heading, end = float(self.lines.heading[line]), self.end[line]
        behind = end - self._pitch * self.tangent[line]
        straight = ((self._pitch, 0.0),)
        return Lead(behind, heading, straight, end, heading, self.lines.post[line])

    def _free_way(self, before: int, after: int) -> tuple[Pieces, Way] | None:
        lines = self.lines
        start = Pose(self.end[before], lines.heading[before])
        end = Pose(self._start[after], lines.heading[after])
        heading = float(lines.heading[before])
        link = (self._pitch, 0.0)
        lead = self._lead(before)
        touched = np.concatenate([lead.posts, lines.post[after]])
        for segments in joins(start, end, self._settings):
            way = sample(lead.start, lead.heading, (*lead.pieces, *segments, link))
            if passable(
                way, self.posts, self._pitch, self._radius, self._clearance, touched, OWN_OVERLAP
            ):
                straight = (float(2 * lines.half + lines.length[after]), 0.0)
                return segments, sample(start.point, heading, (*segments, straight), COARSE)
        return None
