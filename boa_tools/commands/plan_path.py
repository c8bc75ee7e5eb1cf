"""`boa plan path MAP --from X,Y --to X,Y`: search, check, scenario, picture."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from boa_tools.commands.arguments import positive

if TYPE_CHECKING:
    from boa_control.experiments.scenario import Scenario
    from boa_control.planning.post_map import PostMap
    from boa_control.planning.route import Route, Search
    from boa_control.planning.search.region import Around
    from boa_description.robot import Robot

NOT_FOUND = 1
REACH = 0.6  # m from a post, up to which a start or a goal makes sense
SLACK = 1.5  # the scenario's duration as a multiple of the time at full speed
STOP = 0.05  # m before the end of the path, where the run has arrived
FORCE = 5.0  # N, desired on every contact
FLOOR = 2.0  # N, kept on every contact, where the servos carry it
CARRIED = 0.9  # share of what the servos carry that the scenario asks for
START_UP = 10.0  # s, to take hold of the posts


class Place(NamedTuple):
    """A point, m, with or without a heading, rad."""

    x: float
    y: float
    heading: float | None = None


def place(text: str) -> Place:
    """X,Y or X,Y,HEADING."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) not in (2, 3) or not all(map(math.isfinite, values)):
        raise argparse.ArgumentTypeError(
            f"'{text}' is no place; write X,Y or X,Y,HEADING in m and rad, e.g. 0.2,1.5"
        )
    return Place(*values)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("map", metavar="MAP", type=Path, help="posts: YAML or CSV file")
    parser.add_argument(
        "--from",
        dest="start",
        metavar="X,Y[,HEADING]",
        type=place,
        required=True,
        help="where the robot's tail is laid down, m and rad",
    )
    parser.add_argument(
        "--to",
        dest="goal",
        metavar="X,Y[,HEADING]",
        type=place,
        required=True,
        help="where its head shall arrive, m and rad",
    )
    parser.add_argument("--robot", metavar="NAME", default="boa13", help="robot (boa13)")
    parser.add_argument(
        "--within", metavar="M", type=positive, default=0.3, help="of both places, m (0.3)"
    )
    parser.add_argument(
        "--clearance",
        metavar="M",
        type=positive,
        default=0.01,
        help="between the body and posts that do not carry it, m (0.01)",
    )
    parser.add_argument(
        "--seconds", metavar="S", type=positive, default=20.0, help="to search at most, s (20)"
    )
    parser.add_argument(
        "--speed", metavar="M/S", type=positive, default=0.1, help="of the scenario, m/s (0.1)"
    )
    parser.add_argument(
        "--out", metavar="FILE", type=Path, default=None, help="scenario (MAP with _path.yaml)"
    )
    parser.add_argument(
        "--picture", metavar="FILE", type=Path, default=None, help="picture (--out with .png)"
    )


def main(arguments: argparse.Namespace) -> int:
    """Search, and write what came of it."""
    from boa_control.planning.post_map import check_place, load_map
    from boa_control.planning.route import RouteSettings, find_route
    from boa_control.planning.search.lines import LineSettings
    from boa_description.errors import BoaError
    from boa_description.load import load_robot
    from boa_tools.runs.results import write_text
    from boa_tools.runs.scenario_file import scenario_text

    posts = load_map(arguments.map)
    out = arguments.out or arguments.map.with_name(f"{arguments.map.stem}_path.yaml")
    picture = arguments.picture or out.with_suffix(".png")
    files = [file.resolve() for file in (arguments.map, out, picture)]
    if len(set(files)) < len(files):
        raise BoaError(
            f"the map '{arguments.map}', --out '{out}' and --picture '{picture}' must be three "
            "files; choose other names"
        )
    robot = load_robot(arguments.robot)
    for what, where in (("start", arguments.start), ("goal", arguments.goal)):
        check_place(posts, what, where.x, where.y, REACH)
    clearance = arguments.clearance + 2 * posts.largest_std
    settings = RouteSettings(seconds=arguments.seconds, lines=LineSettings(clearance=clearance))
    start = _around(arguments.start, arguments.within)
    goal = _around(arguments.goal, arguments.within)
    with _searching(arguments) as progress:
        search = find_route(posts.obstacles, robot, start, goal, settings, progress)
    _draw(picture, posts, robot, search, arguments)
    if search.route is None:
        print(f"no path: {search.reason} (picture: {picture})")
        return NOT_FOUND
    scenario = _scenario(out, posts, search.route, robot, arguments)
    write_text(out, scenario_text(scenario))
    print("\n".join(_told(search.route, posts)))
    asked = ", ".join(f"{name} {value:g}" for name, value in scenario.controller.parameters.items())
    print(f"asked for       {asked} (m/s, N; as the servos carry it)")
    print(f"scenario        {out}\npicture         {picture}")
    return 0


def _around(where: Place, within: float) -> Around:
    from boa_control.planning.search.region import Around

    return Around(where.x, where.y, within, where.heading)


def _told(route: Route, posts: PostMap) -> list[str]:
    """Report of a route, for people."""
    found, closure = route.found, route.report.closure
    names = ", ".join(posts.name(contact.post).removeprefix("post ") for contact in found.contacts)
    return [
        f"found           after {route.seconds:.1f} s; {len(found.contacts)} posts carry: {names}",
        f"margin          at least {closure.margin.min():.2f} (1: all contacts press alike, "
        "0: closure just lost)",
        f"push mass       up to {found.push_mass:.0f} kg",
        *route.report.lines(),
    ]


def _scenario(
    out: Path, posts: PostMap, route: Route, robot: Robot, arguments: argparse.Namespace
) -> Scenario:
    """A scenario that travels the whole path."""
    from boa_control.experiments.scenario import Scenario
    from boa_control.model.reference import ReferenceTable
    from boa_control.paths.construct import build_path

    limits, curve = route.report.limits, build_path(route.settings, robot).curve
    end = ReferenceTable(curve, robot.links, robot.link.pitch).extent[1]
    distance = end - (robot.links // 2 + 1) * robot.link.pitch - STOP
    speed = min(arguments.speed, CARRIED * float(limits.speed.min()))
    floor = min(FLOOR, CARRIED * float(limits.preload.min()))
    parameters = {
        "speed": round(speed, 4),
        "force": FORCE,
        "force_floor": round(floor, 2),
    }
    if posts.largest_std > 0:
        parameters["map_error"] = posts.largest_std
    return Scenario.model_validate(
        {
            "name": out.stem,
            "summary": f"{robot.name} through {arguments.map.name}, planned",
            "robot": {"name": _robot_name(arguments.robot)},
            "path": route.settings.model_dump(),
            "scene": {"obstacles": [block.model_dump() for block in (*posts.boxes, *posts.walls)]},
            "controller": {"name": "hoal", "parameters": parameters},
            "distance": round(distance, 3),
            "duration": round(SLACK * distance / speed + START_UP, 1),
        }
    )


def _robot_name(name_or_file: str) -> str:
    """As a scenario names it, wherever that is run: a file by its whole path."""
    file = Path(name_or_file)
    return str(file.resolve()) if file.is_file() else name_or_file


def _draw(
    picture: Path, posts: PostMap, robot: Robot, search: Search, arguments: argparse.Namespace
) -> None:
    from boa_tools.report.route_picture import draw_route

    drawn = search.route.found if search.route is not None else search.nearest
    ends = ((arguments.start.x, arguments.start.y), (arguments.goal.x, arguments.goal.y))
    draw_route(picture, posts, robot, drawn, *ends, within=arguments.within)


@contextmanager
def _searching(arguments: argparse.Namespace) -> Iterator[Callable[[float], None]]:
    """Show how near the search has come, while it goes on."""
    from tqdm import tqdm

    from boa_tools.runs.console import refresh_interval

    whole = math.hypot(arguments.goal.x - arguments.start.x, arguments.goal.y - arguments.start.y)
    form = "{l_bar}{bar}| {n:.2f} of {total:.2f} m, {elapsed}"
    nearest = whole
    with tqdm(
        total=whole, desc="search", bar_format=form, mininterval=refresh_interval(), leave=False
    ) as bar:

        def progress(to_go: float) -> None:
            nonlocal nearest
            if to_go < nearest:
                bar.update(nearest - to_go)
                nearest = to_go

        yield progress
