# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals without posts: targets to reach one after the other, or a guide to follow."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from boa_control.events import Event, EventKind
from boa_control.paths.guide import Guide, circle, figure_eight
from boa_control.paths.settings import Coordinate
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Block, Metre, Radian

FAR = 20.0  # m that are drawn of a line without an end
END = 0.05  # m before the end of a course at which it counts as finished
Point = tuple[Coordinate, Coordinate]


class TargetGoal(Block):
    """Targets for the centre of mass, to be reached in order."""

    kind: Literal["targets"]
    points: tuple[Point, ...] = Field(min_length=1, description="x and y, m")
    acceptance: Metre = Field(
        default=0.1, gt=0, le=10, description="distance at which the controller turns to the next"
    )
    tolerance: Metre | None = Field(
        default=None,
        gt=0,
        le=10,
        description="true distance that counts as reached; None: the acceptance",
    )


class LineGoal(Block):
    """A straight line to follow."""

    kind: Literal["line"]
    start: Point | None = Field(
        default=(0.0, 0.0), description="None: where the centre of mass is at the start"
    )
    heading: Radian = 0.0
    length: Metre | None = Field(default=None, gt=0, le=1000, description="None: without an end")


class WaypointGoal(Block):
    """Straight lines through way-points, to follow to the last one."""

    kind: Literal["waypoints"]
    points: tuple[Point, ...] = Field(min_length=2, description="x and y, m")


class LoopGoal(Block):
    """A closed curve of a given size (`circle`, or `figure_eight`: Gerono's lemniscate)."""

    kind: Literal["circle", "figure_eight"]
    radius: Metre = Field(gt=0, le=100)
    start: Point = (0.0, 0.0)
    heading: Radian = Field(default=0.0, description="by which the curve is turned about its start")
    laps: float = Field(default=1.0, gt=0, le=1000)


GoalSettings = Annotated[
    TargetGoal | LineGoal | WaypointGoal | LoopGoal, Field(discriminator="kind")
]


@dataclass(frozen=True, slots=True)
class Targets:
    """Targets for the centre of mass.

    Attributes:
        points: shape (k, 2), m.
        acceptance: distance at which a controller turns to the next one, m.
        tolerance: true distance that counts as reached, m.
        guide: straight lines from the start through all of them, to draw.
    """

    points: Array
    acceptance: float
    tolerance: float
    guide: Guide


@dataclass(frozen=True, slots=True)
class Course:
    """A guide that the centre of mass shall follow.

    Attributes:
        guide: the line.
        distance: along it, after which the goal is reached, m; None: it has no end.
    """

    guide: Guide
    distance: float | None


Goal = Targets | Course
ARRIVALS = EventKind.TARGET_REACHED, EventKind.GUIDE_ENDED


def require_course(goal: Goal | None, who: str) -> Course:
    """The guide of a controller that needs one. Raises BoaError: the goal is none."""
    if not isinstance(goal, Course):
        raise BoaError(
            f"{who}: it follows a guide; add goal: {{kind: line}}, or waypoints, circle or "
            "figure_eight"
        )
    return goal


def tells_arrival(event: Event, goal: Goal) -> bool:
    """Whether a controller tells by an event that it has reached its goal."""
    if isinstance(goal, Targets):
        return event.kind is EventKind.TARGET_REACHED and event.count == len(goal.points)
    return event.kind is EventKind.GUIDE_ENDED


def build_goal(settings: GoalSettings, start: Array) -> Goal:
    """The goal of a scenario.

    Args:
        start: centre of mass at the start, shape (2,), m.

    Raises:
        BoaError: it leads nowhere.
    """
    if isinstance(settings, TargetGoal):
        points = np.array(settings.points, float)
        tolerance = settings.acceptance if settings.tolerance is None else settings.tolerance
        return Targets(points, settings.acceptance, tolerance, Guide(np.vstack((start, points))))
    if isinstance(settings, WaypointGoal):
        guide = Guide(np.array(settings.points, float))
        return Course(guide, guide.length)
    if isinstance(settings, LineGoal):
        length = FAR if settings.length is None else settings.length
        ends = np.array([[0.0, 0.0], [length, 0.0]])
        begin = start if settings.start is None else np.array(settings.start)
        return Course(Guide(_moved(ends, begin, settings.heading)), settings.length)
    shape = circle if settings.kind == "circle" else figure_eight
    loop = shape(settings.radius)
    guide = Guide(_moved(loop.points, np.array(settings.start), settings.heading), closed=True)
    return Course(guide, settings.laps * guide.length)


def _moved(points: Array, start: Array, heading: float) -> Array:
    cos, sin = np.cos(heading), np.sin(heading)
    turned: Array = points @ np.array([[cos, sin], [-sin, cos]])
    return turned + start


class Pursuit:
    """How far a moving centre of mass has come towards a goal: the one rule for controllers, ends
    of runs and metrics.

    Attributes:
        reached: number of targets reached; on a course 1 when its distance has been made.
        progress: along the guide, m; on a course counted on over laps, from the start.
        s: arc length of the foot point on a course, m.
        offset: to the left of the course, m; NaN with targets.
    """

    def __init__(self, goal: Goal, radius: float | None = None) -> None:
        """`radius` is the distance at which a target, or the end of a course, counts as reached, m;
        None: the target's tolerance, or END.
        """
        self._goal = goal
        widest = goal.tolerance if isinstance(goal, Targets) else END
        self._radius = widest if radius is None else radius
        self.reset()

    def reset(self) -> None:
        """Start anew."""
        self.reached = 0
        self.s = 0.0
        self.offset = float("nan")
        self.progress = 0.0
        self._first: float | None = None

    @property
    def done(self) -> bool:
        """Whether the goal has been reached."""
        goal = self._goal
        return self.reached >= (len(goal.points) if isinstance(goal, Targets) else 1)

    def update(self, centre: Array) -> bool:
        """Take the present centre of mass (2,), m; whether a target was reached, or the course is
        finished, just now. Call at least every 0.2 m of travel.
        """
        if self.done:
            return False
        before = self.reached
        goal = self._goal
        if isinstance(goal, Targets):
            away = goal.points[self.reached] - centre
            self.reached += bool(np.hypot(away[0], away[1]) <= self._radius)
            return self.reached > before
        guide = goal.guide
        # a loop begins at its start, even where it crosses itself there
        near = self.s if guide.closed or self._first is not None else None
        self.s, self.offset = guide.nearest(centre, near)
        if self._first is None:
            self._first = self.s
        self.progress = self.s - self._first
        made = self.progress if guide.closed else self.s
        if goal.distance is not None and made >= goal.distance - self._radius:
            self.reached = 1
        return self.reached > before
