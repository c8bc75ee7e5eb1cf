"""From a field of posts, a start and goals to a checked path: search, refine, check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from boa_control.planning.helpful import helpful_posts
from boa_control.planning.lying import LyingBody
from boa_control.planning.quest import Quest
from boa_control.planning.route import HelpfulPost, Route, RouteSettings, Search
from boa_control.planning.search.region import Region
from boa_control.planning.search.search import Demands
from boa_description.robot import Robot
from boa_description.scene import Obstacle

OTHERS = (0.06, 0.10)  # m; other straight pieces find ways where the usual ones find none
FIRST_SHARE = 0.04  # of the time, in which the search with the first margin ends
SHARES = (0.5, 0.8, 1.0)  # of the time, in which the searches with usual and other pieces end
MORE_MARGIN = 0.05  # demanded of the next, better path
ENOUGH_MARGIN = 0.35  # above which no better path is searched


def find_route(
    obstacles: Sequence[Obstacle],
    robot: Robot,
    start: Region | LyingBody,
    goals: Sequence[Region],
    settings: RouteSettings | None = None,
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
    settings = settings or RouteSettings()
    quest = Quest(obstacles, robot, start, goals, settings, progress, closed)
    best: Route | None = None
    try:
        graph = quest.graph(settings.lines)
        best = quest.search(graph, _first(settings), FIRST_SHARE * settings.seconds)
        for half, share in zip((settings.lines.half, *OTHERS), SHARES, strict=True):
            if best is not None:
                break
            if half != graph.lines.half:
                graph = quest.graph(replace(settings.lines, half=half))
            best = quest.search(graph, settings.demands, share * settings.seconds)
        end = min(settings.seconds, quest.elapsed + settings.refine)
        while best is not None and best.found.margin < ENOUGH_MARGIN and quest.elapsed < end:
            demands = replace(settings.demands, margin=best.found.margin + MORE_MARGIN)
            better = quest.search(quest.graph_around(best.found, graph), demands, end)
            if better is None:
                better = quest.search(graph, demands, end)
            if better is None:
                break
            best = better
    except KeyboardInterrupt:
        quest.interrupted = True
    if best is not None:
        return Search(best, quest.nearest, "", quest.steps)
    helpful: tuple[HelpfulPost, ...] = ()
    if quest.nearest is not None and quest.goal is not None and not quest.interrupted:
        helpful = helpful_posts(obstacles, robot, quest.nearest, quest.goal, settings)
    return Search(None, quest.nearest, quest.reason(), quest.steps, helpful)


def _first(settings: RouteSettings) -> Demands:
    """The demands of the first search."""
    margin = max(settings.demands.margin, settings.first_margin)
    return replace(settings.demands, margin=margin)
