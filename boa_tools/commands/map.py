# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa map measure DISTANCES`: a map of posts from distances measured with a tape."""

from __future__ import annotations

import argparse
from pathlib import Path

from boa_tools.commands.arguments import positive, yaml_file
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
    measure.add_argument(
        "distances", metavar="FILE", type=Path, help="CSV with the columns from, to, distance (m)"
    )
    measure.add_argument(
        "--baseline",
        metavar="A,B",
        type=_pair,
        required=True,
        help="the points that make the frame: origin, and a point on the x axis",
    )
    measure.add_argument(
        "--radius", metavar="M", type=positive, required=True, help="of the posts, m"
    )
    measure.add_argument(
        "--marks",
        metavar="A,B,...",
        type=_names,
        default=frozenset(),
        help="points that are marks on the floor, not posts",
    )
    measure.add_argument(
        "--right",
        metavar="P,...",
        type=_names,
        default=frozenset(),
        help="points on the right of the line from A to B (default: all are on its left)",
    )
    measure.add_argument(
        "--surfaces",
        action="store_true",
        help="distances go from surface to surface (default: from centre to centre)",
    )
    measure.add_argument(
        "--std",
        metavar="M",
        type=positive,
        default=0.002,
        help="standard deviation of a reading, m (default %(default)s)",
    )
    measure.add_argument(
        "--out", metavar="FILE", type=yaml_file, default=Path("map.yaml"), help="map (map.yaml)"
    )


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
