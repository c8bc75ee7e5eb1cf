# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A path to new ground for a robot that lies among posts of which it knows a few.

Behind a last contact the head goes on, straight or on an arc, as far as the contacts that are then
still on the body close it. It may do so from every place of its present path to which it may go
back, and past all known posts, as far as a search with them comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from boa_control.planning.lying import LyingBody, OldPath
from boa_control.planning.quest import Quest
from boa_control.planning.route import Route, RouteSettings
from boa_control.planning.search.body import Body
from boa_control.planning.search.field import PostField
from boa_control.planning.search.found import FoundPath, merged, open_path
from boa_control.planning.search.goals import LEAD
from boa_control.planning.search.graph import LineGraph
from boa_control.planning.search.joins import Pieces
from boa_control.planning.search.region import Region
from boa_control.planning.search.search import PathSearch
from boa_control.planning.search.tree import Reached
from boa_control.planning.search.way import sample
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.scene import Obstacle

HALVES = (0.10, 0.08, 0.06)  # m, straight path before and behind contacts, as in `find.STAGES`
LENGTHS = (0.40, 0.32, 0.24, 0.16, 0.10)  # m, of leads behind the last line
BENDS = (0.0, 2.0, -2.0, 4.0, -4.0, 7.0, -7.0)  # 1/m, of leads
STRAIGHT = 0.01  # m, with which a path ends
STEPS = 400  # of a search on one set of lines
CHECKS = 12  # paths at most
BACK_PRICE = 0.6  # per metre that the robot goes back first, and then forward again
NEW = 0.6  # of the length of a short lead, by which its end must be away from known ground
FAR = 1e3  # m, further than any goal


@dataclass(frozen=True, slots=True)
class Frontier:
    """The edge of what the body has touched.

    Attributes:
        region: where the head shall come at last.
        tracks: points where the head has been, shape (k, 2), m; the body has followed it.
        apart: m from all of these, from which the end of a long lead is new.
    """

    region: Region
    tracks: Array
    apart: float


class _EveryLine:
    """A goal that every path reaches, those nearest to the region first; it keeps them."""

    closes = False

    def __init__(self, graph: LineGraph, region: Region) -> None:
        self.to_go = region.distance(graph.end, graph.lines.heading) - FAR
        self.reached: list[Reached] = []

    def lead(self, line: int) -> float:  # noqa: ARG002
        return LEAD

    def accepts(self, node: Reached, verify: Callable[[Reached], bool]) -> bool:  # noqa: ARG002
        self.reached.append(node)
        return False


def explore_route(
    obstacles: Sequence[Obstacle],
    robot: Robot,
    lying: LyingBody,
    frontier: Frontier,
    settings: RouteSettings,
) -> Route | None:
    """The path on which known posts hold the body all along, and whose end is new ground as near
    as can be to the goal, or the goal; None where there is no such path.

    Args:
        obstacles: that are known. settings: `seconds` are shared among all searches.

    Raises:
        BoaError: the robot does not lie on its path.
    """
    settings = settings.on_map(obstacles).held()
    quest = Quest(obstacles, robot, lying, [frontier.region], settings)
    posts, body = settings.field(obstacles), settings.body(robot)
    old = OldPath(lying, posts, robot)
    leads = _Leads(posts, robot.link.radius + settings.lines.clearance, frontier)
    found = [
        path
        for half in HALVES
        for path in _paths(
            quest.graph(replace(settings.lines, half=half)), body, old, leads, settings
        )
    ]
    found.sort(key=lambda path: path.to_go + path.price)
    for path in found[:CHECKS]:
        route = quest.checked(path, settings.demands.margin)
        if route is not None:
            return route
    return None


def _paths(
    graph: LineGraph, body: Body, old: OldPath, leads: _Leads, settings: RouteSettings
) -> Iterator[FoundPath]:
    """The best lead from every body that known posts hold on the lines of a graph."""
    graph = graph.with_frictions(settings.frictions)
    goal, roots = _EveryLine(graph, leads.frontier.region), old.roots(graph, body)
    search = PathSearch(graph, body, roots, goal, settings.demands)
    search.first(settings.seconds / len(HALVES), settings.clock, STEPS)
    for node in goal.reached:
        lead = leads.best(graph, node, body, settings.demands.margin)
        if lead is not None:
            to_go, pieces = lead
            path = open_path(graph, node, 0.0, to_go, old.beginning(graph, node))
            price = BACK_PRICE * (old.head - old.branch(graph, node))
            whole = [piece for piece in (*path.segments, *pieces) if piece[0] > 0.0]
            yield replace(path, segments=merged(whole), price=price)


class _Leads:
    """Ways over ground that is not known, beyond the `frontier`."""

    def __init__(self, posts: PostField, room: float, frontier: Frontier) -> None:
        """`room`: from the middle of the path to known posts, m."""
        self._posts = posts
        self._room = room + posts.largest_room
        self.frontier = frontier
        self._tracks = cKDTree(frontier.tracks)

    def best(
        self, graph: LineGraph, node: Reached, body: Body, margin: float
    ) -> tuple[float, Pieces] | None:
        """Way to go from its end, m, and pieces of the one behind a node that comes nearest to the
        goal, as long as the body is closed with this `margin`; None where none comes to new ground.
        """
        begin, heading = graph.end[node.line], float(graph.lines.heading[node.line])
        half = graph.lines.half
        behind, track = node.s + half, body.track_behind(node, half)
        own = set(graph.lines.post[node.line].tolist()) | set(node.posts[-1:].tolist())
        others = np.array([k not in own for k in range(len(self._posts.radii))])
        found: tuple[float, Pieces] | None = None
        for length in LENGTHS:
            if body.margin_before(node, behind + length) < margin:
                continue
            if not body.held_to_end(node, track, length, self._posts):
                continue
            apart = min(self.frontier.apart, NEW * length)
            for bend in BENDS:
                pieces = ((length - STRAIGHT, bend), (STRAIGHT, 0.0))
                points = sample(begin, heading, pieces, 0.02).points
                if self._tracks.query(points[-1])[0] < apart:
                    continue
                to_go = float(self.frontier.region.distance(points[-1], np.zeros(())))
                if (found is None or to_go < found[0]) and self._free(points, others):
                    found = to_go, pieces
            if found is not None:
                break
        return found

    def _free(self, points: Array, others: Array) -> bool:
        """Whether a way keeps clear of posts but for the one that it leaves."""
        apart = np.hypot(*(self._posts.centres[:, None] - points).T).T
        least = np.where(others, self._room, self._room - 0.012)
        return bool((apart.min(axis=1) - self._posts.radii >= least).all())
