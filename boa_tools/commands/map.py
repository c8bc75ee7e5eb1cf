# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa map measure DISTANCES`: a map of posts from distances measured with a tape."""

import argparse
from pathlib import Path

from boa_tools.commands.arguments import argument, flag, positive, yaml_file
from boa_tools.commands.plan_field import require_no_map, write_map


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(",") if name.strip())


def _pair(text: str) -> tuple[str, str]:
    one, comma, other = (part.strip() for part in text.partition(","))
    if not comma or not one or not other or one == other or "," in other:
        raise argparse.ArgumentTypeError(f"'{text}' is no pair of names; write e.g. A,B")
    return one, other


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    measure = actions.add_parser(
        "measure",
        help="posts from distances measured with a tape",
        description="Work out where posts stand from distances between them and marks on the "
        "floor, with their standard deviations, and write a map for `boa plan path`. A reading "
        "that contradicts the others is named.",
    )
    argument(measure, "distances FILE", "CSV with the columns from, to, distance (m)", Path)
    argument(
        measure,
        "--baseline A,B",
        "the points that make the frame: origin, and a point on the x axis",
        _pair,
        required=True,
    )
    argument(measure, "--radius M", "of the posts, m", positive, required=True)
    argument(
        measure, "--marks A,B,...", "points that are marks on the floor, not posts", _names, ""
    )
    argument(
        measure,
        "--right P,...",
        "points on the right of the line from A to B (default: all are on its left)",
        _names,
        "",
    )
    flag(
        measure,
        "--surfaces",
        "distances go from surface to surface (default: from centre to centre)",
    )
    argument(measure, "--std M", "standard deviation of a reading, m", positive, 0.002)
    argument(measure, "--out FILE", "map", yaml_file, Path("map.yaml"))


def main(arguments: argparse.Namespace) -> int:
    """Write the map."""
    from boa_tools.survey.tape import Survey, survey_map

    require_no_map(arguments.out)
    survey = Survey(
        arguments.baseline,
        arguments.marks,
        arguments.right,
        arguments.radius,
        arguments.std,
        arguments.surfaces,
    )
    surveyed = survey_map(arguments.distances, survey)
    write_map(arguments.out, surveyed.map)
    for post in surveyed.map.posts:
        print(f"{post.id:<8} {post.x:8.3f} {post.y:8.3f} m   +- {1e3 * (post.std or 0):.1f} mm")
    for name in surveyed.unchecked:
        print(f"{name}: a wrong reading would not be seen; measure one more distance to it")
    print(f"{len(surveyed.map.posts)} posts    {arguments.out}")
    return 0
