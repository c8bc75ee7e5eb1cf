# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa explore FIELD`: a robot without a map finds its way by touch, then travels it at speed."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from boa_tools.commands.arguments import argument, describe_runs, positive
from boa_tools.commands.plan_field import write_map
from boa_tools.commands.plan_path import place

if TYPE_CHECKING:
    from boa_control.controller import Controller
    from boa_control.experiments.scenario import Scenario
    from boa_control.paths.corrected_map import CorrectedMap
    from boa_control.planning.post_map import PostMap
    from boa_description.robot import Robot

NOT_DONE = 1
FIRST, SECOND = "first", "second"  # folders of the passes


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    argument(
        parser,
        "field FIELD",
        "posts that stand in the simulation: YAML or CSV file; the robot does not get them",
        Path,
    )
    argument(
        parser,
        "--from X,Y[,HEADING]",
        "where the robot's tail is laid down, m and rad",
        place,
        "0.4,1.5,0",
        dest="start",
    )
    argument(parser, "--distance M", "that the head shall come ahead, m", positive, 2.5)
    argument(parser, "--speed M/S", "of the second pass, m/s", positive, 0.1)
    describe_runs(parser, "explore")


def main(arguments: argparse.Namespace) -> int:
    """Explore, write the map, travel on it. Status 1 where one of the passes was not completed."""
    from boa_control.experiments.exploration import LAID_DOWN, NEAR, first_pass
    from boa_control.planning.post_map import LONELY, check_place, load_map
    from boa_control.planning.search.region import Around
    from boa_description.load import load_robot
    from boa_tools.runs import results
    from boa_tools.runs.console import unwind_on_signals

    unwind_on_signals()
    field, robot = load_map(arguments.field), load_robot(arguments.robot)
    directory = results.results_directory(arguments.out, "explore")
    start = Around(arguments.start.x, arguments.start.y, NEAR, arguments.start.heading)
    check_place(field, "start", start.x, start.y, LONELY)
    ahead = LAID_DOWN + arguments.distance
    heading = start.heading or 0.0
    check_place(
        field,
        "the end",
        start.x + ahead * math.cos(heading),
        start.y + ahead * math.sin(heading),
        LONELY,
    )
    first = first_pass("explore", field.circles, robot, start, arguments.distance)
    try:
        return _passes(arguments, first, field, robot, directory)
    except KeyboardInterrupt:
        kept = ", ".join(sorted(path.name for path in directory.glob("*")))
        raise KeyboardInterrupt(kept and f"{directory} has {kept}") from None


def _passes(
    arguments: argparse.Namespace, first: Scenario, field: PostMap, robot: Robot, directory: Path
) -> int:
    """Explore, and unless that was interrupted or there is no map, travel again."""
    from boa_control.experiments.exploration import second_pass
    from boa_control.experiments.journey.exploring import ExploringController
    from boa_control.planning.corrected import corrected_post_map
    from boa_control.safety.ended import Reason
    from boa_tools.commands.one_run import run_into
    from boa_tools.runs.results import MAP

    options = arguments.seed, not arguments.no_report, arguments.bag

    def keep(explorer: Controller) -> None:
        assert isinstance(explorer, ExploringController)
        if explorer.journey.world is not None:
            explored = explorer.journey.world.explored
            write_map(directory / MAP, corrected_post_map(explored))
            print(f"{_quality(explored, field)}\n{directory / MAP}\n")

    result, controller, values = run_into(directory / FIRST, first, *options, keep)
    assert isinstance(controller, ExploringController)
    journey = controller.journey
    if journey.world is None or result.ended.reason is Reason.INTERRUPTED:
        return NOT_DONE
    explored = journey.world.explored
    again = second_pass("explored", explored, journey.way, field.circles, robot, arguments.speed)
    _, _, second = run_into(directory / SECOND, again, *options)
    return 0 if values["completed"] and second["completed"] else NOT_DONE


def _quality(explored: CorrectedMap, field: PostMap) -> str:
    """How far the placed posts are from the true ones, which only a simulation knows."""
    import numpy as np

    from boa_control.planning.search.field import PostField

    placed = [post for post in explored.posts if post.kind == "unexpected"]
    if not placed:
        return "no post was placed"
    true, here = PostField.of(field.circles), np.array([(post.x, post.y) for post in placed])
    std = np.array([post.std for post in placed])
    off = here - true.centres[true.tree.query(here)[1]]
    inside = np.abs(off) <= 2 * std[:, None]
    return (
        f"{len(placed)} posts placed by touch, {1e3 * np.sqrt((off**2).sum(axis=1).mean()):.2f} mm "
        f"off (rms; at most {1e3 * np.hypot(*off.T).max():.2f}), {inside.mean():.0%} of the "
        f"coordinates within two stated deviations"
    )
