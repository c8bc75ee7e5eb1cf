# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa again RUN`: the way of a run by touch once more, fast."""

import argparse
from pathlib import Path

from boa_tools.commands.arguments import argument, flag, positive, whole_number

NOT_DONE = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    argument(parser, "run RUN", "of the controller feeling: results folder, or bag", Path)
    argument(parser, "--speed M/S", "of the head on its trail, m/s", positive, 0.07)
    argument(parser, "--seed N", "of everything random", whole_number, 0)
    argument(parser, "--out DIR", "results folder (results/again-DATE-TIME)")
    flag(parser, "--no-report", "write no plots and pages")
    flag(parser, "--no-bag", "record no bag, about 1 MB for each second of the run")


def main(arguments: argparse.Namespace) -> int:
    """Read trail and map, run. Status 1 where the run does not come to its end."""
    from boa_control.controllers.feeling.trail import kept
    from boa_control.experiments.once_more import once_more
    from boa_control.planning.corrected import corrected_post_map
    from boa_control.planning.post_map import PostMap
    from boa_description.errors import BoaError
    from boa_tools.bags.recorded import find_run
    from boa_tools.bags.ticks import read_run
    from boa_tools.commands.one_run import run_into
    from boa_tools.runs.results import results_directory

    first = find_run(arguments.run)
    directory = results_directory(arguments.out, "again")
    log = read_run(first.bag, first.experiment)
    columns = [log.debug.get(name) for name in ("track_m", "head_m", "head_rad", "bend_per_m")]
    if any(column is None for column in columns):
        raise BoaError(
            f"'{arguments.run}' has no trail of the head; give a run of the controller feeling"
        )
    track, head, link, bend = (column for column in columns if column is not None)
    trail = kept(track, head, link, bend, first.experiment.robot.link.pitch)
    names = first.experiment.post_names
    explored = corrected_post_map(log.maps[-1].corrected, names) if log.maps else PostMap(posts=())
    scenario = once_more(first.experiment.scenario, trail, explored, arguments.speed)
    options = arguments.seed, not arguments.no_report, not arguments.no_bag
    _, _, values = run_into(directory, scenario, *options)
    return 0 if values["completed"] else NOT_DONE
