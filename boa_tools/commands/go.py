# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa go MAP --from X,Y --to X,Y`: by posts where they hold, by the floor where that grips."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from boa_tools.commands.arguments import argument, describe_runs, flag, number, positive
from boa_tools.commands.plan_path import place

if TYPE_CHECKING:
    from boa_description.scene import GroundFriction
    from boa_tools.runs.runlog import LoggedEvent

NOT_DONE = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    argument(parser, "map MAP", "posts: YAML or CSV file", Path)
    for option, dest, meaning in (
        ("--from", "start", "where the robot's tail is laid down, m and rad"),
        ("--to", "goal", "where it shall arrive, m and rad"),
    ):
        parser.add_argument(
            option, dest=dest, metavar="X,Y[,HEADING]", type=place, required=True, help=meaning
        )
    argument(
        parser,
        "--grip ALONG,ACROSS",
        "friction of the floor along and across the links",
        _grip,
        "0,0",
    )
    argument(parser, "--within M", "of both places, m", positive, 0.3)
    argument(parser, "--seconds S", "to search at most, s", positive, 60.0)
    flag(parser, "--datasheet", "with the effects of the data sheets")
    describe_runs(parser, "go")


def _grip(text: str) -> GroundFriction:
    """Along and across; the same both ways is dry friction."""
    from boa_description.scene import SMOOTH, GroundFriction

    values = [number(part) for part in text.split(",")]
    if len(values) != 2 or not all(0.0 <= value <= 2.0 for value in values):
        raise argparse.ArgumentTypeError(
            f"'{text}' is no grip of a floor; write its friction along and across the links, e.g. "
            "0.05,0.3, each 0 to 2"
        )
    along, across = values
    if along == across:
        return GroundFriction(model="coulomb", mu=along) if along else SMOOTH
    return GroundFriction(model="anisotropic", mu=along, mu_normal=across)


def main(arguments: argparse.Namespace) -> int:
    """Plan the stretches and travel them in one run; status 1 where one is refused or the goal is
    not reached.
    """
    from boa_control.experiments.datasheet import with_datasheet
    from boa_control.experiments.planned import TravelSettings
    from boa_control.experiments.way import way_scenario
    from boa_control.planning.post_map import LONELY, check_place, load_map
    from boa_control.planning.route import RouteSettings
    from boa_control.planning.search.region import Around
    from boa_control.planning.stretches import Means, stretches
    from boa_description.load import load_robot
    from boa_tools.commands.one_run import run_into
    from boa_tools.runs import results
    from boa_tools.runs.console import unwind_on_signals

    unwind_on_signals()
    posts, robot, ground = load_map(arguments.map), load_robot(arguments.robot), arguments.grip
    start, goal = (
        Around(at.x, at.y, arguments.within, at.heading) for at in (arguments.start, arguments.goal)
    )
    settings = RouteSettings(seconds=arguments.seconds, helping=0.0, ground=ground)
    for what, at in ("start", start), ("goal", goal):
        check_place(posts, what, at.x, at.y, LONELY)
    directory = results.results_directory(arguments.out, "go")
    way = stretches(posts.obstacles, robot, start, goal, settings)
    for k, stretch in enumerate(way, 1):
        print(f"stretch {k}   {stretch}")
    if any(stretch.means is Means.NOTHING for stretch in way):
        return NOT_DONE
    std = max((stretch.route.std for stretch in way if stretch.route is not None), default=0.0)
    travel = TravelSettings(arguments.robot, map_error=std, ground=ground)
    scenario = way_scenario("go", way, robot, posts.obstacles, travel, arguments.within)
    if arguments.datasheet:
        scenario = with_datasheet(scenario)
    report = not arguments.no_report
    result, _, values = run_into(directory, scenario, arguments.seed, report, arguments.bag)
    print("\n".join(travelled(result.log.events)))
    return 0 if values["completed"] else NOT_DONE


def travelled(events: Iterable[LoggedEvent]) -> list[str]:
    """When each stretch began, and where the robot stood, or was left by the law of a stretch."""
    from boa_control.events import EventKind

    lines = []
    for one in events:
        if one.event.kind is EventKind.PHASE:
            told = f"stretch {one.event.state}"
        elif one.event.kind is EventKind.STANDSTILL:
            told = one.text
        else:
            continue
        lines.append(f"{one.stamp_ns * 1e-9:7.1f} s   {told}")
    return lines
