# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A way to a goal in stretches, each with what carries the robot on it: posts as long as they close
the body, then the floor, where it grips across the links more than along them, and posts again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from boa_control.paths.named import end_point
from boa_control.planning.checks.displaced import SURELY
from boa_control.planning.find import find_route
from boa_control.planning.quest import Quest
from boa_control.planning.rejoin import SHORTEST, Guide, Return, way_back
from boa_control.planning.route import Route, RouteSettings
from boa_control.planning.search.field import PostField
from boa_control.planning.search.region import Around
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.scene import GroundFriction, Obstacle

GRIP = 3.0  # times the friction along, that friction across must be: a wave slips on less
STEP, POINTS = 0.05, 60  # m between places where it may be laid down; points along it


class Means(Enum):
    """What carries the robot."""

    POSTS = "hoal"
    FLOOR = "undulation"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the way.

    Attributes:
        means: by which it is travelled; nothing: not at all.
        start, end: x and y of the head, m; by undulation the centre of mass comes to the end.
        why: nothing carries the robot; empty where something does.
        route: past the posts; None for other means.
        guide: by the floor back to posts; None where the wave goes straight to the end.
        progress: place of the middle joint on the route where the stretch begins, m; None: where a
            robot is laid down.
        covered: length of the route on which the robot lies already where it comes back to posts,
            m.
        laid: x, y and heading of the tail of the straight robot, m and rad, where it begins with
            this stretch; None where it lies there already, or as the route says.
    """

    means: Means
    start: tuple[float, float]
    end: tuple[float, float]
    why: str = ""
    route: Route | None = None
    guide: Guide | None = None
    progress: float | None = None
    covered: float = 0.0
    laid: tuple[float, float, float] | None = None

    @property
    def length(self) -> float:
        """m, straight on where there is no route."""
        if self.route is not None:
            return self.route.found.length - self.covered
        if self.guide is not None:
            return self.guide.end - self.guide.begin
        return float(np.hypot(self.end[0] - self.start[0], self.end[1] - self.start[1]))

    def __str__(self) -> str:
        (x, y), (to_x, to_y) = self.start, self.end
        line = f"({x:.2f}, {y:.2f}) to ({to_x:.2f}, {to_y:.2f}), {self.length:.2f} m"
        by = self.means.value if self.guide is None else "weaving"
        return f"{line}: refused, {self.why}" if self.why else f"{line}: {by}"


def stretches(
    obstacles: Sequence[Obstacle],
    robot: Robot,
    start: Around,
    goal: Around,
    settings: RouteSettings,
) -> tuple[Stretch, ...]:
    """The stretches from where the tail of the robot is laid down to a goal of its head."""
    search = find_route(obstacles, robot, start, [goal], settings)
    route, tail = search.route, (start.x, start.y)
    if route is None and search.nearest is not None:
        quest = Quest(obstacles, robot, start, [goal], settings)
        shorter = replace(search.nearest, known=0.0)
        route = quest.checked(shorter, settings.demands.margin)
    if route is None or route.found.length < robot.links * robot.link.pitch + SHORTEST:
        only = _beyond(tail, goal, settings.ground, search.reason)
        field = settings.field(obstacles)
        return (_laid_down(only, field, robot, start, settings.lines.clearance),)
    x, y = end_point(route.settings)
    held = Stretch(Means.POSTS, tail, (x, y), route=route)
    if search.route is not None:
        return (held,)
    beyond = _beyond((x, y), goal, settings.ground, search.reason)
    if beyond.means is Means.FLOOR:
        back = way_back(obstacles, robot, route.settings, goal, settings)
        if back is not None:
            return (held, *_returned(beyond, back))
    return (held, beyond)


def _returned(beyond: Stretch, back: Return) -> tuple[Stretch, Stretch]:
    """The stretch across the floor, cut where posts close the body again, and that past them."""
    head = end_point(back.guide.path)
    past = Stretch(
        Means.POSTS,
        head,
        end_point(back.route.settings),
        route=back.route,
        progress=back.progress,
        covered=back.covered,
    )
    return replace(beyond, end=head, guide=back.guide), past


def _beyond(
    here: tuple[float, float], goal: Around, ground: GroundFriction, reason: str
) -> Stretch:
    """The stretch on which posts do not close the body."""
    there = (goal.x, goal.y)
    grips = ground.model == "anisotropic" and ground.mu_normal >= GRIP * ground.mu
    if grips:
        return Stretch(Means.FLOOR, here, there)
    floor = (
        f"the floor grips no more across the links ({ground.mu_normal:g}) than along them "
        f"({ground.mu:g}) times {GRIP:g}"
        if ground.model == "anisotropic"
        else "the floor does not grip across the links"
    )
    return Stretch(
        Means.NOTHING, here, there, f"posts do not close the body ({reason}), and {floor}"
    )


def _laid_down(
    stretch: Stretch, field: PostField, robot: Robot, start: Around, clearance: float
) -> Stretch:
    """The stretch, where the floor carries it, from where the straight robot has most room."""
    if stretch.means is not Means.FLOOR:
        return stretch
    poses = _poses(start, stretch.end)
    along = np.stack((np.cos(poses[:, 2]), np.sin(poses[:, 2])), axis=1)
    heads = poses[:, :2] + robot.links * robot.link.pitch * along
    rooms = [_room(field, ends) for ends in np.stack((poses[:, :2], heads), axis=1)]
    best = int(np.argmax(rooms))
    if rooms[best] < robot.link.radius + clearance:
        why = f"no place within {start.radius:g} m where the straight robot lies clear of posts"
        return replace(stretch, means=Means.NOTHING, why=why)
    x, y, heading = poses[best].tolist()
    return replace(stretch, start=tuple(heads[best].tolist()), laid=(x, y, heading))


def _poses(start: Around, end: tuple[float, float]) -> Array:
    """Places and headings of the tail around the start, shape (n, 3), m and rad; without a heading
    of its own, around that to the end.
    """
    towards = np.arctan2(end[1] - start.y, end[0] - start.x)
    heading = towards if start.heading is None else start.heading
    reach = np.arange(-start.radius, start.radius + STEP, STEP)
    turns = np.linspace(-start.heading_tolerance, start.heading_tolerance, 9)
    around = np.stack(np.meshgrid(reach, reach, turns), axis=-1).reshape(-1, 3)
    inside = np.hypot(around[:, 0], around[:, 1]) <= start.radius
    poses: Array = around[inside] + (start.x, start.y, heading)
    return poses


def _room(field: PostField, ends: Array) -> float:
    """From the line between two ends (2, 2) to what stands in the field, m."""
    posts = np.arange(field.radii.size)
    gaps = field.gaps(ends[:1], ends[1:], posts) - SURELY * field.std
    points = np.linspace(ends[0], ends[1], POINTS)
    return min(float(gaps.min(initial=np.inf)), float(field.block_gaps(points).min()))
