# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Back to posts: a path to the goal that begins further on, where posts close the body again, and
the way to it across the floor.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boa_control.paths.named import segment_curve
from boa_control.paths.settings import SegmentPath
from boa_control.planning.find import find_route
from boa_control.planning.floor_way import FloorSearch
from boa_control.planning.lying import last_place, pieces_before
from boa_control.planning.route import Route, RouteSettings
from boa_control.planning.search.joins import Pieces, Pose, total_length
from boa_control.planning.search.region import Around
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.scene import Obstacle

EVERY, AROUND = 0.4, 0.45  # m between places on the line to the goal, and around each
TURNED = np.radians(50)  # from the direction to the goal, a path may begin
SHARE = 0.34  # of the time of a search, for one place
SHORTEST = 0.2  # m of way past posts, below which it is not worth the change
STRAIGHT = 0.005  # m, with which a path ends
SLACK = 0.08  # m of it that a body covers more than its length, for it lies bent


@dataclass(frozen=True, slots=True)
class Guide:
    """A path from posts across the floor to posts.

    Attributes:
        path: without contacts.
        begin, end: place of the middle joint where the robot lies and where it shall come to, m.
    """

    path: SegmentPath
    begin: float
    end: float


@dataclass(frozen=True, slots=True)
class Return:
    """How the robot comes from the floor to posts again.

    Attributes:
        guide: from the path on which the robot lies up to where the whole body lies on the route.
        route: past the posts from there on.
        progress: place of the middle joint on the route at the end of the guide, m.
        covered: length of the route on which the robot lies there, m.
    """

    guide: Guide
    route: Route
    progress: float
    covered: float


def way_back(
    obstacles: Sequence[Obstacle],
    robot: Robot,
    path: SegmentPath,
    goal: Around,
    settings: RouteSettings,
) -> Return | None:
    """The way from the end of a path to the first place towards the goal from where posts close the
    body all along; None where there is none in time.
    """
    here = _pose(path, total_length(path.segments))
    floor = FloorSearch(settings.field(obstacles), robot.link.radius)
    body = robot.links * robot.link.pitch
    over = settings.clock() + settings.seconds
    for region in _regions(here.point, goal):
        seconds = min(SHARE * settings.seconds, over - settings.clock())
        if seconds <= 0.0:
            return None
        asked = replace(settings, seconds=seconds)
        route = find_route(obstacles, robot, region, [goal], asked).route
        if route is None or route.found.length < body + SHORTEST:
            continue
        across = floor.way(here, _pose(route.settings, 0.0))
        if across is not None:
            covered = pieces_before(route.settings.segments, body + SLACK)
            guide = _joined(path, (*across, *covered), robot)
            before = total_length(path.segments) + total_length(across)
            return Return(guide, route, guide.end - before, body + SLACK)
    return None


def _regions(here: Array, goal: Around) -> Iterator[Around]:
    """Where the tail may lie, from here to the goal."""
    way = np.array([goal.x, goal.y]) - here
    length = float(np.hypot(*way))
    heading = float(np.arctan2(way[1], way[0]))
    for far in np.arange(EVERY, length, EVERY):
        x, y = (here + far / length * way).tolist()
        yield Around(x, y, AROUND, heading, float(TURNED))


def _pose(path: SegmentPath, s: float) -> Pose:
    """Place and direction of a path."""
    curve, at = segment_curve(path), np.array(s)
    return Pose(curve.position(at), np.asarray(curve.heading(at)))


def _joined(path: SegmentPath, onward: Pieces, robot: Robot) -> Guide:
    """The path on which the robot lies, with pieces behind it."""
    segments = (*path.segments, *onward, (STRAIGHT, 0.0))
    whole = path.model_copy(update={"segments": segments, "posts": (), "contacts": ()})
    return Guide(whole, last_place(path, robot), last_place(whole, robot))
