"""`boa plan bench`: paths across fields of posts, how many are found and how fast."""

from __future__ import annotations

import argparse

from boa_tools.commands import plan_field
from boa_tools.commands.arguments import positive


def seeds(text: str) -> range:
    """FIRST-LAST, both included, or one number."""
    first, _, last = text.partition("-")
    try:
        chosen = range(int(first), int(last or first) + 1)
    except ValueError:
        chosen = range(0)
    if not chosen:
        raise argparse.ArgumentTypeError(f"'{text}' names no seeds; write FIRST-LAST, e.g. 200-229")
    return chosen


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    plan_field.describe(parser)
    parser.add_argument(
        "--seeds", metavar="A-B", type=seeds, default=range(1), help="of random fields (0)"
    )
    parser.add_argument(
        "--seconds", metavar="S", type=positive, default=60.0, help="per field at most, s (60)"
    )
    parser.add_argument("--robot", metavar="NAME", default="boa13", help="robot (boa13)")


def main(arguments: argparse.Namespace) -> int:
    """Cross one field after the other."""
    from boa_description.load import load_robot
    from boa_tools.bench.planning import cross, summary

    robot = load_robot(arguments.robot)
    crossings = []
    for seed in arguments.seeds:
        field = plan_field.field_of(arguments, seed)
        crossings.append(cross(field, robot, arguments.seconds))
        print(f"seed {seed}: {crossings[-1].text}", flush=True)
    print(summary(crossings))
    return 0
