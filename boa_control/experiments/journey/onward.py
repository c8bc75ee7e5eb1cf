# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A new path for a robot that lies on one: to the next goal, or round a post that is not there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.controllers.new_path import NewPath
from boa_control.experiments.planned import TravelSettings, planned_scenario
from boa_control.model.reference import ReferenceTable
from boa_control.paths.named import end_point, segment_curve
from boa_control.paths.settings import SegmentPath
from boa_control.planning.find import find_route
from boa_control.planning.lying import LyingBody, last_place, progress_of
from boa_control.planning.route import Route, RouteSettings
from boa_control.planning.search.region import Region
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_description.scene import Obstacle

NEAR_START = 0.03  # m before the start of a path, where the robot can still brake
RETREAT = 0.1  # m that a robot which got no further goes back before another try
SAME_COURSE = 0.01  # m that points of a path may lie beside it
BACK = 0.8  # m that the robot may go back along its path before the new one begins


@dataclass(frozen=True, slots=True)
class Onward:
    """A way on for a robot at rest.

    Attributes:
        new: the path, as the controller takes it.
        end: arc length of the middle joint where it ends, m.
        back: how far the robot goes back before, m.
        summary: for people.
    """

    new: NewPath
    end: float
    back: float
    summary: str

    @property
    def length(self) -> float:
        """Of the whole way, back and on, m."""
        return self.back + self.end - self.new.progress


def plan_onward(
    path: SegmentPath,
    progress: float,
    obstacles: Sequence[Obstacle],
    robot: Robot,
    goal: Region,
    travel: TravelSettings,
    search: RouteSettings,
    *,
    back: float = BACK,
    report: Callable[[float], None] = lambda _: None,
) -> Onward:
    """Plan from where the robot lies. Takes seconds.

    Args:
        path, progress: on which it lies, and where its middle joint is, m.
        obstacles: of the map as it is believed to be by now.
        back: how far the robot may go back along its path, m.
        report: gets the distance to the goal of what has been searched, m.

    Raises:
        BoaError: there is no way, with the reason; or the robot does not lie on the path.
    """
    lying = lying_at(path, progress, robot, back)
    found = find_route(obstacles, robot, lying, [goal], search, report)
    route = found.route
    if route is None:
        raise BoaError(f"no path to the goal: {found.reason}")
    return onward_on(route, lying, progress, robot, travel)


def onward_on(
    route: Route, lying: LyingBody, progress: float, robot: Robot, travel: TravelSettings
) -> Onward:
    """A route that was found from where the robot lies, with its middle joint at `progress`, m.

    Raises:
        BoaError: the servos carry no speed that makes sense.
    """
    path = lying.path
    assert route.branch is not None
    assert route.leaves is not None
    begins = progress_of(route.settings, robot, route.branch)
    goes_back = max(lying.head - route.leaves, 0.0)
    leaves = progress if goes_back < 1e-6 else progress_of(path, robot, route.leaves)
    limits = planned_scenario("onward", "", route, robot, travel).controller.parameters
    new = NewPath(
        path=route.settings,
        leaves=leaves,
        progress=begins,
        speed=limits["speed"],
        force=limits["force"],
        force_floor=limits["force_floor"],
    )
    end = last_place(new.path, robot)
    return Onward(new, end, goes_back, _summary(route, end - begins, goes_back))


def lying_at(path: SegmentPath, progress: float, robot: Robot, back: float) -> LyingBody:
    """The robot as it lies on its path; on an open one it may go back by `back`, m, at most."""
    may = 0.0 if path.closed else _possible(path, progress, robot, back)
    return LyingBody.at_progress(path, robot, progress, may)


def stay_on(path: SegmentPath, progress: float, robot: Robot, speed: float) -> Onward:
    """The path on which the robot lies, to its end, at `speed`, m/s."""
    end = last_place(path, robot)
    new = NewPath(path=path, leaves=progress, progress=progress, speed=speed)
    return Onward(new, end, 0.0, f"{end - progress:.2f} m on, as planned before")


def once_more(path: SegmentPath, progress: float, robot: Robot, speed: float | None) -> Onward:
    """The path on which the robot lies, for another try, slowly, from a little further back; no
    faster than it was travelled with `speed`, m/s.
    """
    back = _possible(path, progress, robot, RETREAT)
    slow = SHIPPED.steering.slow_speed
    slowly = slow if speed is None else min(slow, speed)
    on = stay_on(path, progress - back, robot, slowly)
    return replace(on, back=back, summary=f"{back:.2f} m back, then once more at {slowly} m/s")


def end_of(path: SegmentPath) -> tuple[float, float]:
    """Where a path ends, x and y, m. Raises BoaError for a closed one."""
    if path.closed:
        raise BoaError("tour: without targets it needs a path with an end; give targets")
    return end_point(path)


def is_course(points: Array, path: SegmentPath) -> bool:
    """Whether points, shape (m, 2), m, run along a path to its end."""
    curve = segment_curve(path)
    s = np.linspace(0.0, curve.length, 2 + round(curve.length / SAME_COURSE))
    course = curve.position(s)
    if not len(points) or not np.isfinite(points).all():
        return False
    apart = np.array([np.hypot(*(course - point).T).min() for point in points])
    return bool(apart.max() < SAME_COURSE and np.hypot(*(points[-1] - course[-1])) < SAME_COURSE)


def _possible(path: SegmentPath, progress: float, robot: Robot, back: float) -> float:
    """How far the robot can go back before its tail leaves an open path, at most `back`, m."""
    table = ReferenceTable(segment_curve(path), robot.links, robot.link.pitch)
    return min(back, max(progress - table.start - NEAR_START, 0.0))


def _summary(route: Route, way: float, back: float) -> str:
    first = f"{back:.2f} m back, then " if back > 0.0 else ""
    return (
        f"{first}{way:.2f} m on, {len(route.settings.contacts)} contacts, "
        f"margin {route.found.margin:.2f}"
    )
