# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa plan bench`: paths across fields of posts, how many are found and how fast."""

from __future__ import annotations

import argparse
import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from boa_tools.commands import plan_field, plan_path
from boa_tools.commands.arguments import argument, flag, positive, seeds, yaml_file

if TYPE_CHECKING:
    from boa_description.robot import Robot
    from boa_tools.bench.planning import Crossing


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    plan_field.describe(parser)
    argument(
        parser,
        "--seeds N|A-B|KIND[:N]",
        "of random fields: the first N, A to B, or of a kind: tuning, judging",
        field_seeds,
        "1",
    )
    argument(parser, "--seconds S", "of the processor, per field at most", positive, 60.0)
    argument(parser, "--robot NAME", "robot", default="boa13")
    plan_path.describe_demands(parser)
    argument(
        parser,
        "--map-error M",
        "standard deviation of the posts' places, m: twice it is kept clear, too",
        positive,
        0.0,
    )
    argument(
        parser,
        "--posts-off M",
        "every post of the simulation stands so far off the map, m; sets --map-error",
        positive,
        0.0,
    )
    argument(parser, "--out FILE", "set of scenarios that travel the found paths", yaml_file)
    flag(
        parser,
        "--datasheet",
        "in that set: sensors and servos of the data sheets, and gains for their noise",
    )
    flag(parser, "--travel", "run that set, too: travel the found paths")


def field_seeds(text: str) -> Sequence[int]:
    """Seeds, or a kind of those of fields: `judging:20`."""
    from boa_description.errors import BoaError
    from boa_tools.ensembles.division import FIELDS, division

    if not text[:1].isalpha():
        return seeds(text)
    try:
        return division(FIELDS).seeds(text)
    except BoaError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def main(arguments: argparse.Namespace) -> int:
    """Cross one field after the other; Ctrl-C keeps those until then."""
    from boa_description.errors import BoaError
    from boa_description.load import load_robot
    from boa_tools.bench.planning import summary

    if arguments.out is None and (arguments.travel or arguments.datasheet):
        raise BoaError("--travel and --datasheet are of a set of scenarios; name one with --out")
    if arguments.posts_off >= arguments.least_distance / 2:
        raise BoaError(
            f"--posts-off {arguments.posts_off:g}: two posts could change places; give less than "
            f"half of --least-distance, {arguments.least_distance:g} m"
        )
    robot = load_robot(arguments.robot)
    crossings = dict(_crossings(arguments, robot))
    if crossings:
        print(summary(list(crossings.values())))
    written = arguments.out is not None and any(one.search.route for one in crossings.values())
    if written:
        _write(arguments, robot, crossings)
    if len(crossings) < len(arguments.seeds):
        raise KeyboardInterrupt(f"'{arguments.out}' has the fields until then" if written else "")
    if written and arguments.travel:
        return _travel(arguments.out)
    if written:
        print(f"travel them with: boa run {shlex.quote(str(arguments.out))}")
    return 0


def _crossings(arguments: argparse.Namespace, robot: Robot) -> Iterator[tuple[int, Crossing]]:
    """Of all seeds; after Ctrl-C the field that was searched for less time does not count."""
    from boa_tools.bench.planning import cross

    settings = replace(plan_path.settings_of(arguments), map_error=_map_error(arguments))
    for seed in arguments.seeds:
        crossing = cross(plan_field.field_of(arguments, seed), robot, settings)
        if crossing.search.interrupted:
            return
        print(f"seed {seed}: {crossing.text}", flush=True)
        yield seed, crossing


def _map_error(arguments: argparse.Namespace) -> float:
    """Standard deviation of the posts' places on each axis, m."""
    return arguments.map_error or round(arguments.posts_off / math.sqrt(2.0), 4)


def _write(arguments: argparse.Namespace, robot: Robot, crossings: dict[int, Crossing]) -> None:
    """The set, and beside it the scenario that it changes."""
    import yaml

    from boa_control.experiments.planned import TravelSettings
    from boa_tools.bench.planning import DATASHEET, travel_set
    from boa_tools.runs.results import scenario_text, write_text

    settings = TravelSettings(
        robot=arguments.robot,
        map_error=_map_error(arguments),
        posts_off=arguments.posts_off,
        ground=plan_path.floor_of(arguments),
        contact_friction=arguments.post_friction.least,
    )
    out: Path = arguments.out
    change = DATASHEET if arguments.datasheet else None
    base, chosen = travel_set(out.stem, crossings, robot, settings, change)
    write_text(out.with_name(f"{out.stem}_base.yaml"), scenario_text(base))
    write_text(out, yaml.safe_dump(chosen, sort_keys=False, default_flow_style=None))


def _travel(out: Path) -> int:
    """Run the set."""
    from boa_control.experiments.library import load_members
    from boa_tools.runs.results import results_directory
    from boa_tools.sweeps.compare import run_set

    chosen, members = load_members(str(out))
    return run_set(chosen, members, 0, 1, results_directory(None, chosen.name))
