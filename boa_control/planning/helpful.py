# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which posts would help where no path goes on: places at which one more post lets the search come
nearer to the goal.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from boa_control.planning.lying import LyingBody
from boa_control.planning.quest import Quest
from boa_control.planning.route import HelpfulPost, RouteSettings
from boa_control.planning.search.field import PostField
from boa_control.planning.search.found import FoundPath, path_settings
from boa_control.planning.search.goals import RegionGoal
from boa_control.planning.search.region import Region
from boa_control.planning.search.search import PathSearch
from boa_control.planning.search.way import Way, sample
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.scene import Circle, Obstacle

GRID = 0.07  # m, between places that are tried
AROUND = 0.45  # m from the place that is tried first
AHEAD = 0.25  # m before the end of the nearest path lies the place that is tried first
BACK = 0.5  # m of the nearest path that may change
GAP = 0.03  # m, at least between a post that is added and the others
NEAR = 1.6  # m around the end of the nearest path, in which posts count
STEPS = 60  # of the search with one more post
NEARER = 0.25  # m to the goal at least that a post must help
MOST = 3  # places that are told
APART = 0.15  # m, between these


def helpful_posts(
    obstacles: Sequence[Obstacle],
    robot: Robot,
    nearest: FoundPath,
    goal: Region,
    settings: RouteSettings,
) -> tuple[HelpfulPost, ...]:
    """Places where one more post leads on from the nearest path, the best first; at most `MOST`.

    The new post has the median radius of the others. Takes up to `settings.helping` seconds.
    """
    settings = replace(settings.held(), avoided=frozenset())  # numbers of another map
    until = settings.clock() + settings.helping
    way = sample(nearest.start, nearest.heading, nearest.segments)
    circles = [post for post in obstacles if isinstance(post, Circle)]
    kept = _nearby(obstacles, nearest, circles, way.points[-1])
    lying = LyingBody(path_settings(nearest, circles), nearest.length, nearest.length - BACK)
    radius = float(np.median([post.radius for post in circles]))
    helpful: list[HelpfulPost] = []
    for x, y in _places(way, settings.field(obstacles), goal, radius, robot.link.radius):
        if settings.clock() > until or len(helpful) == MOST:
            break
        if any(math.hypot(one.post.x - x, one.post.y - y) < APART for one in helpful):
            continue
        post = Circle(x=round(float(x), 2), y=round(float(y), 2), radius=radius)
        to_go = _reached((*kept, post), robot, lying, goal, settings)
        if to_go < nearest.to_go - min(NEARER, 0.5 * nearest.to_go):
            helpful.append(HelpfulPost(post, to_go))
    return tuple(sorted(helpful, key=lambda one: one.to_go))


def _nearby(
    obstacles: Sequence[Obstacle], nearest: FoundPath, circles: Sequence[Circle], end: Array
) -> list[Obstacle]:
    """Posts that carry the body or stand around the end of the path, and all walls and boxes."""
    carrying = {id(circles[contact.post]) for contact in nearest.contacts}
    return [
        one
        for one in obstacles
        if not isinstance(one, Circle)
        or id(one) in carrying
        or math.hypot(one.x - end[0], one.y - end[1]) < NEAR
    ]


def _places(
    way: Way, field: PostField, goal: Region, radius: float, body_radius: float
) -> Iterator[Array]:
    """Free places around the end of a path towards the goal, the middle one first."""
    angles = np.linspace(-np.pi, np.pi, 24, endpoint=False)
    around = np.column_stack([np.cos(angles), np.sin(angles)])
    end = way.points[-1]
    centre = end + AHEAD * around[goal.distance(end + AHEAD * around, angles).argmin()]
    steps = np.arange(-AROUND, AROUND + 1e-9, GRID)
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    apart = np.hypot(*grid.T)
    body = way.points[way.s < way.s[-1] - BACK]
    for place in centre + grid[np.argsort(apart, kind="stable")][: (apart < AROUND).sum()]:
        posts = np.hypot(*(field.centres - place).T) - field.radii - radius
        path = np.hypot(*(body - place).T) - body_radius - radius
        blocked = (field.block_gaps(place[None]) < radius).any()
        if posts.min() > GAP and path.min(initial=np.inf) > GAP and not blocked:
            yield place


def _reached(
    obstacles: Sequence[Obstacle],
    robot: Robot,
    lying: LyingBody,
    goal: Region,
    settings: RouteSettings,
) -> float:
    """How near to a goal, m, a short search comes that goes on from a lying body."""
    quest = Quest(obstacles, robot, lying, [goal], settings)
    graph = quest.graph(settings.lines).with_frictions(settings.frictions)
    body, aim = settings.body(robot), RegionGoal(graph, goal)
    search = PathSearch(graph, body, quest.roots(graph, body), aim, settings.demands)
    search.first(settings.helping, settings.clock, STEPS)
    return math.inf if search.nearest is None else float(aim.to_go[search.nearest.line])
