"""From a field of posts, a start and a goal to a checked path: search, refine, check."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from boa_control.paths.construct import build_path
from boa_control.paths.settings import NamedContact, SegmentPath
from boa_control.planning.plan import PlanReport, check
from boa_control.planning.search.body import Body
from boa_control.planning.search.field import PostField
from boa_control.planning.search.found import FoundPath
from boa_control.planning.search.graph import LineGraph
from boa_control.planning.search.joins import JoinSettings
from boa_control.planning.search.lines import (
    ContactLines,
    LineSettings,
    contact_lines,
    free,
    turned,
)
from boa_control.planning.search.region import Region
from boa_control.planning.search.search import Demands, PathSearch
from boa_description.robot import Robot
from boa_description.scene import SMOOTH, Box, Circle, GroundFriction, Wall

REACH = 0.60  # m, of the next contact from the last one
SHORT_HALF = 0.08  # m; shorter straight pieces find ways where the usual ones find none
MORE_MARGIN = 0.05  # demanded of the next, better path
ENOUGH_MARGIN = 0.35  # above which no better path is looked for
TWIST = np.radians([-12.0, -8.0, -4.0, 4.0, 8.0, 12.0])  # of the lines of a refined path
CHECKED_EVERY = 0.01  # m
FIRST_SHARE = 0.6  # of the time for the first try, with the usual straight pieces


@dataclass(frozen=True, slots=True)
class RouteSettings:
    """How a route is looked for.

    Attributes:
        seconds: wall-clock time for everything.
        lines, joins, demands: of the search.
        ground, contact_friction: of floor and posts, for the check.
    """

    seconds: float = 20.0
    lines: LineSettings = field(default_factory=LineSettings)
    joins: JoinSettings = field(default_factory=JoinSettings)
    demands: Demands = field(default_factory=Demands)
    ground: GroundFriction = SMOOTH
    contact_friction: float = 0.0


@dataclass(frozen=True, slots=True)
class Route:
    """A path that was found and checked.

    Attributes:
        found: as the search has it.
        settings: as a scenario has it.
        report: of the check.
        seconds: from the beginning of the search to this path.
    """

    found: FoundPath
    settings: SegmentPath
    report: PlanReport
    seconds: float


@dataclass(frozen=True, slots=True)
class Search:
    """Result of a search.

    Attributes:
        route: the best; None where there is none.
        nearest: what came nearest to the goal; None where no body is held anywhere.
        reason: why there is no route; empty where there is one.
        steps: of the search.
    """

    route: Route | None
    nearest: FoundPath | None
    reason: str
    steps: int


def find_route(
    obstacles: tuple[Circle | Box | Wall, ...],
    robot: Robot,
    start: Region,
    goal: Region,
    settings: RouteSettings | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> Search:
    """Find a way through posts on which they hold the robot all along.

    The first path that passes the check counts; what time is left goes into better ones around it,
    with more margin of closure.

    Args:
        progress: gets the distance to the goal, m.
    """
    settings = settings or RouteSettings()
    quest = _Quest(obstacles, robot, start, goal, settings, progress)
    usual = quest.graph(settings.lines)
    best = quest.search(usual, settings.demands, FIRST_SHARE * settings.seconds)
    if best is None:
        short = replace(settings.lines, half=min(SHORT_HALF, settings.lines.half))
        best = quest.search(quest.graph(short), settings.demands, settings.seconds)
    while best is not None and best.found.margin < ENOUGH_MARGIN and quest.seconds_left > 0:
        demands = replace(settings.demands, margin=best.found.margin + MORE_MARGIN)
        better = quest.search(quest.graph_around(best.found), demands, settings.seconds)
        if better is None:
            better = quest.search(usual, demands, settings.seconds)
        if better is None:
            break
        best = better
    return Search(best, quest.nearest, "" if best else quest.reason(), quest.steps)


class _Quest:
    """One question to the search, asked again with other lines and demands."""

    def __init__(
        self,
        obstacles: tuple[Circle | Box | Wall, ...],
        robot: Robot,
        start: Region,
        goal: Region,
        settings: RouteSettings,
        progress: Callable[[float], None],
    ) -> None:
        self._posts = PostField.of(obstacles)
        self._circles = tuple(post for post in obstacles if isinstance(post, Circle))
        self._robot = robot
        self._start = start
        self._goal = goal
        self._settings = settings
        self._progress = progress
        self._began = time.monotonic()
        self._starts = 0
        self._refused: list[str] = []
        self.nearest: FoundPath | None = None
        self.steps = 0

    @property
    def seconds_left(self) -> float:
        """Of the time for everything, s."""
        return self._began + self._settings.seconds - time.monotonic()

    def graph(self, settings: LineSettings) -> LineGraph:
        """All lines of the field."""
        return self._graph_of(contact_lines(self._posts, self._robot.link.radius, settings))

    def graph_around(self, found: FoundPath) -> LineGraph:
        """Lines past the posts of a path only, with headings near its own."""
        radius = self._robot.link.radius
        lines = contact_lines(self._posts, radius, self._settings.lines)
        named = {(contact.post, contact.side) for contact in found.contacts}
        chosen = [
            line
            for line in range(lines.heading.size)
            if all(
                post < 0 or (post, side) in named
                for post, side in zip(
                    lines.post[line].tolist(), lines.side[line].tolist(), strict=True
                )
            )
        ]
        reach = self._posts.radii[lines.post[:, 0]] + radius
        around = turned(lines, np.array(chosen, dtype=np.intp), TWIST, reach)
        clear = free(around, self._posts, radius + self._settings.lines.clearance)
        return self._graph_of(around.select(clear))

    def search(self, graph: LineGraph, demands: Demands, seconds: float) -> Route | None:
        """The first path to the goal that passes the check."""
        search = PathSearch(graph, Body.of(self._robot), self._start, self._goal)
        self._starts = max(self._starts, search.starts)
        try:
            for found in search.run(demands, min(seconds, self.seconds_left), self._progress):
                route = self._checked(found)
                if route is not None:
                    return route
        finally:
            self.steps += search.steps
            self._remember(search.nearest)
        return None

    def reason(self) -> str:
        """Why no path was found, with what may help."""
        if self._refused:
            return f"a path was found but refused: {self._refused[0]}"
        if self._starts == 0:
            return "no post near the start can be touched with free way before and behind it"
        if self.nearest is None:
            return "no place near the start where posts hold a whole body; begin among more posts"
        return f"the nearest path ends {self.nearest.to_go:.2f} m before the goal"

    def _graph_of(self, lines: ContactLines) -> LineGraph:
        settings = self._settings
        return LineGraph(
            lines, self._posts, self._robot, settings.joins, settings.lines.clearance, REACH
        )

    def _checked(self, found: FoundPath) -> Route | None:
        """The path as a scenario has it, if the check of paths finds nothing wrong."""
        settings = path_settings(found, self._circles)
        path = build_path(settings, self._robot)
        report = check(
            path,
            self._robot,
            self._settings.ground,
            self._settings.contact_friction,
            others=(*path.bystanders, *self._posts.blocks),
            spacing=CHECKED_EVERY,
        )
        if not report.ok:
            self._refused.append(report.findings[0].text)
            return None
        if report.limits.preload.min() <= 0.0:
            where = report.limits.s[int(np.argmin(report.limits.preload))]
            self._refused.append(f"no contact forces balance at s = {where:.2f} m")
            return None
        return Route(found, settings, report, time.monotonic() - self._began)

    def _remember(self, nearest: FoundPath | None) -> None:
        if nearest is not None and (self.nearest is None or nearest.to_go < self.nearest.to_go):
            self.nearest = nearest


def path_settings(found: FoundPath, posts: tuple[Circle, ...]) -> SegmentPath:
    """A found path as a scenario has it; all posts of the map in their order."""
    return SegmentPath(
        kind="segments",
        start=(float(found.start[0]), float(found.start[1])),
        heading=found.heading,
        segments=found.segments,
        posts=posts,
        contacts=tuple(
            NamedContact(post=contact.post, side="L" if contact.side > 0 else "R", s=contact.s)
            for contact in found.contacts
        ),
    )
