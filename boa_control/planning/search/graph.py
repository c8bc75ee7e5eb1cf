"""Contact lines and the ways between them on which a chain of links passes all posts."""

from __future__ import annotations

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
from boa_control.planning.search.lines import NO_POST, ContactLines
from boa_control.planning.search.way import Way, passable, sample
from boa_control.planning.search.windows import contact_wrenches
from boa_description.arrays import Array, Indices
from boa_description.robot import Robot

OWN_OVERLAP = 1e-3  # m; a link may lie this deep in its own post while it turns onto its line
COARSE = 0.03  # m, between the points of a way that is only looked back on


class LineGraph:
    """Lines of one field, and what was found out about the ways between them.

    Attributes:
        lines: all of them.
        end: where their straight pieces end, shape (n, 2), m.
        tangent: unit vectors along them, shape (n, 2).
        wrenches: of unit forces at the first and at the second contact, shape (2, n, 3), about the
            origin of the map.
    """

    def __init__(
        self,
        lines: ContactLines,
        posts: PostField,
        robot: Robot,
        settings: JoinSettings,
        clearance: float,
        reach: float,
    ) -> None:
        """Keep the lines; ways are worked out when they are asked for.

        Args:
            clearance: between the body and posts that are not contacts, m.
            reach: of the next line's first contact from the last contact, m.
        """
        self.lines = lines
        self.tangent = lines.tangent
        self.end = lines.end
        self._start = lines.start
        self._last = lines.foot + lines.length[:, None] * self.tangent
        self._posts = posts
        self._pitch = robot.link.pitch
        self._radius = robot.link.radius
        self._settings = settings
        self._clearance = clearance
        self._reach = reach
        self._tree = cKDTree(lines.foot.reshape(-1, 2))
        self._ways: dict[tuple[int, int], tuple[Pieces, Way] | None] = {}
        self._following: dict[int, tuple[Indices, Array]] = {}
        normal = np.column_stack([-self.tangent[:, 1], self.tangent[:, 0]])
        places = (lines.foot, self._last)
        self.wrenches = np.array(
            [
                contact_wrenches(
                    foot + side[:, None] * normal * self._radius, -side[:, None] * normal
                )
                for foot, side in zip(places, lines.side.T, strict=True)
            ]
        )

    def contacts(self, line: int) -> int:
        """Number of contacts on a line."""
        return 1 if self.lines.post[line, 1] == NO_POST else 2

    def straight(self, line: int) -> Way:
        """The straight piece of a line."""
        length = float(2 * self.lines.half + self.lines.length[line])
        heading = float(self.lines.heading[line])
        return sample(self._start[line], heading, ((length, 0.0),), COARSE)

    def following(self, line: int) -> tuple[Indices, Array]:
        """Lines that can follow, and the length of the shortest way there, m, if it is free."""
        if line not in self._following:
            around = self._tree.query_ball_point(self._last[line], self._reach)
            near = np.array(around, dtype=np.intp)
            near = near[near != line]
            start = Pose(self.end[line], self.lines.heading[line])
            ends = Pose(self._start[near], self.lines.heading[near])
            length = np.fmin(
                corner_lengths(start, ends, self._settings),
                swerve_lengths(start, ends, self._settings),
            )
            possible = length < self._reach
            self._following[line] = near[possible], length[possible]
        return self._following[line]

    def way(self, before: int, after: int) -> tuple[Pieces, Way] | None:
        """The gentlest free way from line to line: its pieces, and points to the end of the second
        line; None where a chain passes on none.
        """
        key = (before, after)
        if key not in self._ways:
            self._ways[key] = self._free_way(before, after)
        return self._ways[key]

    def _free_way(self, before: int, after: int) -> tuple[Pieces, Way] | None:
        lines = self.lines
        start = Pose(self.end[before], lines.heading[before])
        end = Pose(self._start[after], lines.heading[after])
        heading = float(lines.heading[before])
        touched = np.concatenate([lines.post[before], lines.post[after]])
        behind = start.point - self._pitch * self.tangent[before]
        for segments in joins(start, end, self._settings):
            link = (self._pitch, 0.0)
            way = sample(behind, heading, (link, *segments, link))
            if passable(
                way, self._posts, self._pitch, self._radius, self._clearance, touched, OWN_OVERLAP
            ):
                straight = (float(2 * lines.half + lines.length[after]), 0.0)
                return segments, sample(start.point, heading, (*segments, straight), COARSE)
        return None
