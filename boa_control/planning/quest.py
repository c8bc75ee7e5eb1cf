# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One question to the search, put several times with other lines and demands. Where searches begin:
lines with which a path can begin.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from boa_control.paths.construct import build_path
from boa_control.planning.checks.along_path import ClosureScan, PathScan, closure_scan
from boa_control.planning.checks.limits import load_limits
from boa_control.planning.checks.plan import PlanReport, report_on
from boa_control.planning.lying import LyingBody, OldPath, progress_of
from boa_control.planning.route import Route, RouteSettings
from boa_control.planning.search.body import Body
from boa_control.planning.search.found import FoundPath, closed_path, open_path, path_settings
from boa_control.planning.search.goals import LEAD, Goal, RegionGoal, ReturnGoal
from boa_control.planning.search.graph import LineGraph
from boa_control.planning.search.lines import (
    ContactLines,
    LineSettings,
    contact_lines,
    free,
    turned,
)
from boa_control.planning.search.region import Region
from boa_control.planning.search.search import Demands, PathSearch
from boa_control.planning.search.tree import Reached
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_description.scene import Circle, Obstacle

TWIST = np.radians([-12.0, -8.0, -4.0, 4.0, 8.0, 12.0])  # of the lines of a refined path
CHECKED_EVERY = 0.02  # m; the search has tested bodies more densely
# of the margin demanded of windows, for bodies: where joints pass posts, contacts are turned
MARGIN_SHARE = 0.5
KEPT_SHARE = 0.9  # of the friction for which a path was searched
LEG_SHARE = 0.5  # of the time that is left, for going on from one way to reach a goal in between


def roots_in(graph: LineGraph, region: Region) -> list[Reached]:
    """Lines with which a path can begin whose first point, where the tail is laid down, lies in a
    region.
    """
    lines = graph.lines
    begin = lines.start - LEAD * graph.tangent
    chosen = np.flatnonzero(region.distance(begin, lines.heading) <= 0.0)
    return [
        Reached(line, None, LEAD + lines.half + float(lines.length[line]), 0.0)
        for line in chosen[graph.free_behind(chosen, LEAD)].tolist()
    ]


@dataclass(slots=True)
class Attempt:
    """One search: on which lines, with which demands, until when.

    Attributes:
        end: `elapsed` of the quest at which it gives up, s.
        share: of friction that is not known, as of `RouteSettings.with_share`.
        exhausted: it has tried everything.
    """

    graph: LineGraph
    demands: Demands
    end: float
    share: float = 0.0
    exhausted: bool = True


class Quest:
    """Field, robot, start and goals, with what earlier searches told.

    Attributes:
        nearest: the path that came nearest to the last goal that was tried.
        steps: of all searches.
        exhausted: all searches have tried everything.
        interrupted: by the user.
    """

    def __init__(
        self,
        obstacles: Sequence[Obstacle],
        robot: Robot,
        start: Region | LyingBody,
        goals: Sequence[Region],
        settings: RouteSettings,
        progress: Callable[[float], None] = lambda _: None,
        closed: bool = False,
    ) -> None:
        """Begin; the time counts from here.

        Raises:
            BoaError: the robot does not lie on its path.
        """
        self._posts = settings.field(obstacles)
        self._circles = tuple(post for post in obstacles if isinstance(post, Circle))
        self._robot = robot
        self._region = None if isinstance(start, LyingBody) else start
        self._old = OldPath(start, self._posts, robot) if isinstance(start, LyingBody) else None
        if closed and self._old is not None:
            raise BoaError("a lap cannot begin with a robot that lies on a path; give a start")
        self._goals = tuple(goals)
        self._settings = settings
        self._progress = progress
        self._closed = closed
        self._began = settings.clock()
        self._starts = 0
        self._leg = 0  # number of the goal that `nearest` aims at
        self._refused: list[str] = []
        self._attempts: list[Attempt] = []
        self.interrupted = False
        self.nearest: FoundPath | None = None
        self.steps = 0

    @property
    def goal(self) -> Region | None:
        """That `nearest` aims at; None where it is the start of the lap."""
        return self._goals[self._leg] if self._leg < len(self._goals) else None

    @property
    def elapsed(self) -> float:
        """Since the beginning, s."""
        return self._settings.clock() - self._began

    @property
    def exhausted(self) -> bool:
        """See above; False before the first search."""
        return bool(self._attempts) and all(one.exhausted for one in self._attempts)

    def graph(self, settings: LineSettings) -> LineGraph:
        """All lines of the field."""
        lines = contact_lines(self._posts, self._robot.link.radius, settings)
        if self._settings.avoided:
            avoided = np.isin(lines.post, sorted(self._settings.avoided)).any(axis=1)
            lines = lines.select(np.flatnonzero(~avoided))
        return self._graph_of(lines)

    def graph_around(self, found: FoundPath, graph: LineGraph) -> LineGraph:
        """Lines of a graph past the posts of a path only, with headings near its own."""
        radius = self._robot.link.radius
        lines = graph.lines.select(np.arange(graph.lead_lines.start))
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

    def roots(self, graph: LineGraph, body: Body) -> list[Reached]:
        """Where paths on these lines begin."""
        if self._old is not None:
            return self._old.roots(graph, body)
        assert self._region is not None
        return roots_in(graph, self._region)

    def routes(self, attempt: Attempt) -> Iterator[Route | None]:
        """Paths to the goals that pass the check, as they are found; None now and then, so that
        several attempts can take turns.
        """
        settings = self._settings.with_share(attempt.share)
        attempt.graph = attempt.graph.with_frictions(settings.frictions)
        body = settings.body(self._robot)
        roots = self.roots(attempt.graph, body)
        self._starts = max(self._starts, len(roots))
        self._attempts.append(attempt)
        for way in self._ways(attempt, body, roots, 0, attempt.end):
            margin, share = attempt.demands.margin, attempt.share
            yield None if way is None else self.checked(way, margin, share)

    def search(self, attempt: Attempt) -> Route | None:
        """The first path of one attempt; None where it finds none in time."""
        return next((route for route in self.routes(attempt) if route is not None), None)

    def reason(self) -> str:
        """Why there is no path, with what may help."""
        if self._refused:
            longer = "" if self.exhausted else "; a longer search may find another"
            return f"a path was found but refused: {self._refused[0]}{longer}"
        if self.interrupted:
            return "interrupted"
        if self._starts == 0:
            return "no post near the start can be touched with free way before and behind it"
        if self.nearest is None:
            remedy = "begin among more posts" if self.exhausted else "search longer"
            found = "" if self.exhausted else " was found in time"
            return f"no place near the start{found} where posts hold a whole body; {remedy}"
        which = f"goal {self._leg + 1}" if len(self._goals) > 1 else "the goal"
        if self._leg == len(self._goals):
            which = "where the lap closes"
        longer = "" if self.exhausted else "; a longer search may come nearer"
        return f"the nearest path ends {self.nearest.to_go:.2f} m before {which}{longer}"

    def _ways(
        self, attempt: Attempt, body: Body, roots: Sequence[Reached], leg: int, end: float
    ) -> Iterator[FoundPath | None]:
        """Paths from roots to the goals from number `leg` on, and None now and then."""
        graph = attempt.graph
        goal: Goal
        if leg < len(self._goals):
            goal = RegionGoal(graph, self._goals[leg])
        else:
            goal = ReturnGoal(graph, roots[0].back(), body.length)
        last = leg == len(self._goals) + self._closed - 1
        search = PathSearch(graph, body, roots, goal, attempt.demands)
        try:
            for node in search.run(lambda: self.elapsed > end, self._progress):
                if node is None:
                    self._remember(graph, search.nearest, goal, leg)
                    yield None
                elif not last:
                    share = self.elapsed + LEG_SHARE * (end - self.elapsed)
                    yield from self._ways(attempt, body, [node], leg + 1, share)
                elif isinstance(goal, ReturnGoal):
                    yield closed_path(graph, node, goal.join(node.line))
                else:
                    yield self._open(graph, node, goal)
        finally:
            self.steps += search.steps
            attempt.exhausted = attempt.exhausted and search.exhausted
            self._remember(graph, search.nearest, goal, leg)

    def _open(self, graph: LineGraph, node: Reached, goal: Goal) -> FoundPath:
        beginning = None if self._old is None else self._old.beginning(graph, node)
        to_go = float(goal.to_go[node.line])
        return open_path(graph, node, goal.lead(node.line), to_go, beginning)

    def _remember(self, graph: LineGraph, nearest: Reached | None, goal: Goal, leg: int) -> None:
        if nearest is None or leg < self._leg:
            return
        to_go = float(goal.to_go[nearest.line])
        if self.nearest is None or leg > self._leg or to_go < self.nearest.to_go:
            self._leg = leg
            self.nearest = self._open(graph, nearest, goal)

    def _graph_of(self, lines: ContactLines) -> LineGraph:
        settings = self._settings
        return LineGraph(
            lines,
            self._posts,
            self._robot,
            settings.joins,
            settings.lines.clearance,
            () if self._old is None else self._old.leads(),
        )

    def checked(self, found: FoundPath, margin: float, share: float = 0.0) -> Route | None:
        """The path as a scenario has it, if the check of paths finds nothing wrong, and enough of
        the margin of closure that the search demanded.
        """
        settings = path_settings(found, self._circles)
        path = build_path(settings, self._robot)
        known = progress_of(settings, self._robot, found.known) if found.known else None
        asked = self._settings
        scan = PathScan(
            path, self._robot, asked.ground, asked.contact_friction, CHECKED_EVERY, known
        )
        closure = closure_scan(scan)  # a tenth of the work, and most refusals
        why = too_little_closure(closure, MARGIN_SHARE * margin)
        if not why:
            others = (*path.bystanders, *self._posts.blocks)
            report = report_on(scan, closure, others, study=load_limits, friction=asked.friction)
            why = refusal(report, KEPT_SHARE * share)
        if why:
            self._refused.append(why)
            return None
        if self._old is None:
            return Route(found, settings, report, self.elapsed, share=share)
        leaves = self._old.on_old_path(found.known)
        return Route(found, settings, report, self.elapsed, found.known, leaves, share)


def too_little_closure(closure: ClosureScan, margin: float) -> str:
    """Where there is less than this margin of closure; empty where there is nowhere."""
    k = int(np.argmin(closure.margin))
    if closure.margin[k] >= margin:
        return ""
    return (
        f"a margin of closure of {closure.margin[k]:.2f} at s = {closure.s[k]:.2f} m, where "
        f"{margin:.2f} is demanded"
    )


def refusal(report: PlanReport, share: float = 0.0) -> str:
    """Why a path is not taken: errors that the check found, or less than this share of friction
    that it withstands; empty where it is.
    """
    if not report.ok:
        return report.findings[0].text
    preload = report.limits.preload
    k = int(np.argmin(preload))
    if preload[k] <= 0.0:
        return f"no contact forces balance at s = {report.limits.s[k]:.2f} m"
    k = int(np.argmin(report.withstood))
    if report.withstood[k] < share:
        posts = report.friction.at(float(report.withstood[k])).posts
        return (
            f"friction above {posts:.2f} at the posts stops the robot at s = "
            f"{report.limits.s[k]:.2f} m"
        )
    return ""
