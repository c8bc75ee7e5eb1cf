# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a field of posts, a start and goals to a checked path: search, refine, check."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from boa_control.planning.helpful import helpful_posts
from boa_control.planning.lying import LyingBody
from boa_control.planning.quest import Attempt, Quest
from boa_control.planning.route import HelpfulPost, Route, RouteSettings, Search
from boa_control.planning.search.graph import LineGraph
from boa_control.planning.search.region import Region
from boa_control.planning.search.search import Demands
from boa_description.robot import Robot
from boa_description.scene import Obstacle


class Stage(NamedTuple):
    """A search with its own demands.

    Attributes:
        half: straight path before and behind contacts, m. The shorter, the more ways there are, and
            the more a joint is bent while it passes a post.
        first_margin: whether the margin is demanded that `RouteSettings` demands at first.
        weight: share of the time that it gets where all are under way.
        start_margin: whether the margin is demanded at the start that `Demands` demands there.
    """

    half: float
    first_margin: bool
    weight: float
    start_margin: bool = True


# Margin goes before gentle passings: noise makes contacts of little margin let go.
STAGES = (
    Stage(0.10, first_margin=True, weight=0.04),
    Stage(0.08, first_margin=True, weight=0.04),
    Stage(0.10, first_margin=False, weight=0.06),
    Stage(0.08, first_margin=False, weight=0.36),
    Stage(0.06, first_margin=False, weight=0.30),
    Stage(0.10, first_margin=False, weight=0.20, start_margin=False),
)
# s. The order of searches does not depend on the time that is given, so a smaller limit finds what
# a larger one has found by then.
HEAD_START = 3.0  # that a search has before the next one begins
TURN = 0.5  # that it runs before another one has its turn
MORE_MARGIN = 0.05  # demanded of the next, better path
ENOUGH_MARGIN = 0.35  # above which no better path is searched
# of what posts and floor may rub more than is known: a path is searched on which they may rub so
# much, as soon as there is one at all
SHARES = (0.5, 1.0)
# contacts with friction leave less margin, and paths bend more, so they seem longer than they are
FRICTION_HALF = 0.08  # m, straight path before and behind contacts
FRICTION_MARGIN, FRICTION_GREED = 0.05, 5.0


def find_route(
    obstacles: Sequence[Obstacle],
    robot: Robot,
    start: Region | LyingBody,
    goals: Sequence[Region],
    settings: RouteSettings,
    progress: Callable[[float], None] = lambda _: None,
    closed: bool = False,
) -> Search:
    """Find a way through posts on which they hold the robot all along.

    The first path that passes the check counts; for some time more better ones are searched around
    it, with more margin of closure. A keyboard interrupt ends the search with the best so far.

    Args:
        start: where the tail of the robot is laid down, or the robot as it lies on a path.
        goals: regions to which the head comes in turn; the robot passes all but the last.
        progress: gets the distance to the next goal, m.
        closed: come back to the start, so that the path is a lap.

    Raises:
        BoaError: the robot does not lie on its path, or shall close a lap that it lies on.
    """
    settings = settings.on_map(obstacles)
    if isinstance(start, LyingBody):
        settings = settings.held()
    quest = Quest(obstacles, robot, start, goals, settings, progress, closed)
    best, begun = None, 0.0
    try:
        first = _first(quest, settings)
        if first is not None:
            best, graph = first
            begun = best.seconds
            for better in _less_bound(quest, settings, best):
                best = better
            for better in _better(quest, settings, best, graph):
                best = better
    except KeyboardInterrupt:
        quest.interrupted = True
    if best is not None:
        return Search(
            best, quest.nearest, "", quest.steps, first=begun, interrupted=quest.interrupted
        )
    helpful: tuple[HelpfulPost, ...] = ()
    if quest.nearest is not None and quest.goal is not None and not quest.interrupted:
        helpful = helpful_posts(obstacles, robot, quest.nearest, quest.goal, settings)
    reason = quest.reason()
    return Search(None, quest.nearest, reason, quest.steps, helpful, interrupted=quest.interrupted)


class _Running:
    """A search that takes turns with others.

    Attributes:
        spent: time that it has had, s, over its weight.
        over: it has tried everything, or its time is over.
    """

    def __init__(self, quest: Quest, attempt: Attempt, weight: float) -> None:
        self._quest, self._weight = quest, weight
        self._routes = quest.routes(attempt)
        self.attempt = attempt
        self.spent = 0.0
        self.over = False

    def run(self, seconds: float) -> Route | None:
        """Search for so long; the first path that is found."""
        began = self._quest.elapsed
        try:
            for route in self._routes:
                if route is not None:
                    return route
                if self._quest.elapsed - began > seconds:
                    return None
            self.over = True
            return None
        finally:
            self.spent += (self._quest.elapsed - began) / self._weight


def _first(quest: Quest, settings: RouteSettings) -> tuple[Route, LineGraph] | None:
    """The first path that passes the check, and the lines on which it was found. Searches begin one
    after the other, and then take turns.
    """
    running: list[_Running] = []
    for attempt, weight in _attempts(quest, settings):
        search = _Running(quest, attempt, weight)
        running.append(search)
        route = search.run(HEAD_START)
        if route is not None:
            return route, attempt.graph
        if quest.elapsed > settings.seconds:
            break
    while running := [search for search in running if not search.over]:
        search = min(running, key=lambda one: one.spent)
        route = search.run(TURN)
        if route is not None:
            return route, search.attempt.graph
    return None


def _attempts(quest: Quest, settings: RouteSettings) -> Iterator[tuple[Attempt, float]]:
    """The stages as searches with their weights; none twice."""
    graphs: dict[float, LineGraph] = {}
    made: set[tuple[float, Demands]] = set()
    usual = settings.demands
    for stage in STAGES:
        if stage.first_margin and settings.first_margin <= settings.demands.margin:
            continue
        if not stage.start_margin or (not stage.first_margin and quest.nearest is None):
            usual = replace(usual, start_margin=0.0)  # no start has it, or none that leads on
        demands = replace(usual, margin=settings.first_margin) if stage.first_margin else usual
        if (stage.half, demands) in made:
            continue
        made.add((stage.half, demands))
        if stage.half not in graphs:
            graphs[stage.half] = quest.graph(replace(settings.lines, half=stage.half))
        yield Attempt(graphs[stage.half], demands, settings.seconds), stage.weight


def _less_bound(quest: Quest, settings: RouteSettings, best: Route) -> Iterator[Route]:
    """Paths on which posts and floor may rub more, each better than the one before, as time
    permits.
    """
    if not settings.rubs_more:
        return
    end = min(settings.seconds, quest.elapsed + settings.friction_seconds)
    graph = quest.graph(replace(settings.lines, half=FRICTION_HALF))
    demands = replace(settings.demands, margin=FRICTION_MARGIN, greed=FRICTION_GREED)
    kept = min(best.margin, settings.friction_margin)
    for share in SHARES:
        if best.report.withstood.min() >= share:
            continue
        better = quest.search(Attempt(graph, demands, end, share))
        if better is None or better.margin < kept:
            return
        best = better
        yield best


def _better(
    quest: Quest, settings: RouteSettings, best: Route, graph: LineGraph
) -> Iterator[Route]:
    """Paths with more margin of closure, each better than the one before, as time permits."""
    end = min(settings.seconds, quest.elapsed + settings.refine)
    while best.found.margin < ENOUGH_MARGIN and quest.elapsed < end:
        demands = replace(settings.demands, margin=best.found.margin + MORE_MARGIN)
        share = best.share
        around = quest.graph_around(best.found, graph)
        better = quest.search(Attempt(around, demands, end, share))
        if better is None:
            better = quest.search(Attempt(graph, demands, end, share))
        if better is None:
            return
        best = better
        yield best
