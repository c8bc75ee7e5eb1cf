"""How often, how fast and how well the planner crosses fields of posts from left to right."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boa_control.planning.find import find_route
from boa_control.planning.post_map import PostMap
from boa_control.planning.route import RouteSettings, Search
from boa_control.planning.search.region import Beyond
from boa_description.robot import Robot

EDGE = 0.45  # m from the left and the right edge, where paths begin and end


@dataclass(frozen=True, slots=True)
class Crossing:
    """One field.

    Attributes:
        posts: in the field.
        seconds: time of the processor until the path was found and checked, s.
        search: its result.
    """

    posts: int
    seconds: float
    search: Search

    @property
    def text(self) -> str:
        """One line for people."""
        route = self.search.route
        if route is None:
            return f"{self.posts} posts, {self.seconds:.1f} s: {self.search.reason}"
        report = route.report
        return (
            f"{self.posts} posts, {self.seconds:.1f} s: {route.found.length:.2f} m, margin "
            f"{report.closure.margin.min():.2f}, closure {np.mean(report.closure.order == 1):.1%}, "
            f"preload {report.limits.preload.min():.1f} N, push mass {route.found.push_mass:.0f} kg"
        )


def cross(posts: PostMap, robot: Robot, seconds: float) -> Crossing:
    """Search a path across a field; the first one that passes the check counts.

    Args:
        seconds: wall-clock time at most.
    """
    right = max(post.x for post in posts.posts) if posts.posts else 0.0
    left = min(post.x for post in posts.posts) if posts.posts else 0.0
    begin = time.process_time()
    search = find_route(
        posts.obstacles,
        robot,
        Beyond((-1.0, 0.0), -(left + EDGE)),
        [Beyond((1.0, 0.0), right - EDGE)],
        RouteSettings(seconds=seconds, refine=0.0),
    )
    return Crossing(len(posts.posts), time.process_time() - begin, search)


def summary(crossings: Sequence[Crossing]) -> str:
    """Number of paths, and times of those, in one line."""
    times = [one.seconds for one in crossings if one.search.route is not None]
    if not times:
        return f"0 of {len(crossings)} found"
    return (
        f"{len(times)} of {len(crossings)} found, {np.median(times):.1f} s median, "
        f"{max(times):.1f} s at most"
    )
