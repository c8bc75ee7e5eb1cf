"""From a field of posts, a start and goals to a checked path: search, refine, check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from boa_control.planning.lying import LyingBody
from boa_control.planning.quest import Quest
from boa_control.planning.route import Obstacle, Route, RouteSettings, Search
from boa_control.planning.search.region import Region
from boa_description.robot import Robot

SHORTER = (0.08, 0.06)  # m; shorter straight pieces find ways where the usual ones find none
SHARES = (0.15, 0.5, 1.0)  # of the time, in which the searches with usual and shorter pieces end
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
        for half, share in zip((settings.lines.half, *SHORTER), SHARES, strict=True):
            if half > settings.lines.half:
                continue
            graph = quest.graph(replace(settings.lines, half=half))
            best = quest.search(graph, settings.demands, share * settings.seconds)
            if best is not None:
                break
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
    return Search(best, quest.nearest, "" if best else quest.reason(), quest.steps)
