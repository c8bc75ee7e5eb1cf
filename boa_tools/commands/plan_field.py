# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa plan field`: a field of posts, as a map to plan in."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from boa_tools.commands.arguments import argument, positive, whole_number, yaml_file

if TYPE_CHECKING:
    from boa_control.planning.post_map import PostMap

GRIDS = ("random", "square", "hexagonal")


def angle(text: str) -> float:
    """An angle in degrees."""
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"'{text}' is no angle; write degrees")
    return value


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    describe(parser)
    argument(parser, "--seed N", "of a random field", whole_number, 0)
    argument(parser, "--out FILE", "map", yaml_file, Path("field.yaml"))


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that describe a field."""
    argument(parser, "--kind", "thrown with a seed, or a grid", default="random", choices=GRIDS)
    argument(
        parser,
        "--least-distance M",
        "between the centres of posts; the pitch of a grid, m",
        positive,
        0.28,
    )
    argument(parser, "--turn DEG", "of the rows of a grid, deg", angle, 0.0)
    argument(parser, "--width M", "along x, m", positive, 5.0)
    argument(parser, "--height M", "along y, m", positive, 3.0)
    argument(parser, "--radius M", "of the posts, m", positive, 0.05)


def main(arguments: argparse.Namespace) -> int:
    """Write the map."""
    require_no_map(arguments.out)
    posts = field_of(arguments, arguments.seed)
    write_map(arguments.out, posts)
    print(f"{len(posts.posts)} posts    {arguments.out}")
    return 0


def require_no_map(out: Path) -> None:
    """Refuse to write over a map: it may be one that somebody measured. Raises BoaError."""
    from boa_description.errors import BoaError

    if out.exists():
        raise BoaError(f"the map '{out}' exists; give another --out, or remove it")


def write_map(out: Path, posts: PostMap) -> None:
    """Write a map as a file that `load_map` reads."""
    from boa_control.planning.corrected import map_text
    from boa_tools.runs.results import write_text

    write_text(out, map_text(posts))


def field_of(arguments: argparse.Namespace, seed: int) -> PostMap:
    """The field that the arguments describe; `seed` of a random one.

    Raises:
        BoaError: posts would stand in each other, or there would be too many, or one only.
    """
    from boa_control.planning.fields import grid_field, random_field

    size = arguments.width, arguments.height, arguments.radius
    if arguments.kind == "random":
        return random_field(arguments.least_distance, seed, *size)
    turn = math.radians(arguments.turn)
    return grid_field(arguments.kind, arguments.least_distance, turn, *size)
