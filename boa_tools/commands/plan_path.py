# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa plan path MAP --from X,Y --to X,Y`: search, check, scenario, picture."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from boa_tools.commands.arguments import add_formats, argument, flag, number, positive, yaml_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from boa_control.experiments.experiment import Experiment
    from boa_control.experiments.scenario import Scenario
    from boa_control.planning.checks.friction import FrictionRange, Interval
    from boa_control.planning.checks.plan import PlanReport
    from boa_control.planning.post_map import PostMap
    from boa_control.planning.route import Route, RouteSettings, Search
    from boa_control.planning.search.region import Around
    from boa_description.robot import Robot
    from boa_description.scene import GroundFriction

NOT_FOUND = 1
REACH = 0.6  # m from a post, up to which a start or a goal makes sense
LITTLE = 0.05  # m of travel, as good as none


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


def friction(text: str) -> Interval:
    """Between which coefficients of friction, or one that is known."""
    from boa_control.planning.checks.friction import Interval

    values = [number(part) for part in text.split(",")]
    if len(values) > 2 or not 0.0 <= values[0] <= values[-1] <= 2.0:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no friction; write the least and the most that it may be, e.g. 0,0.3, or "
            "one coefficient that is known, each from 0 to 2"
        )
    return Interval(values[0], values[-1])


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    argument(parser, "map MAP", "posts: YAML or CSV file", Path)
    argument(
        parser,
        "--from X,Y[,HEADING]",
        "where the robot's tail is laid down, m and rad",
        place,
        dest="start",
        required=True,
    )
    argument(
        parser,
        "--to X,Y[,HEADING]",
        "where its head shall arrive, m and rad; several of them are visited in turn",
        place,
        dest="goals",
        required=True,
        action="append",
    )
    flag(parser, "--close", "lead the path back into itself, so that it is a lap")
    argument(parser, "--robot NAME", "robot", default="boa13")
    argument(parser, "--within M", "of all places, m", positive, 0.3)
    describe_demands(parser)
    argument(parser, "--seconds S", "to search at most, s", positive, 60.0)
    argument(
        parser,
        "--speed M/S",
        "of the scenario, m/s (0.1, or 0.06 where the map gives a std)",
        positive,
    )
    argument(parser, "--out FILE", "scenario (MAP with _path.yaml)", yaml_file)
    argument(parser, "--picture FILE", "picture (--out with .png)", Path)
    add_formats(parser)


def describe_demands(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say what a path must cope with."""
    argument(
        parser,
        "--clearance M",
        "between the body and posts that do not carry it, m",
        positive,
        0.01,
    )
    describe_friction(parser)


def describe_friction(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say how much floor and posts may rub."""
    argument(
        parser,
        "--floor LEAST,MOST",
        "between which friction of the floor lies, or one that is known",
        friction,
        "0,0.05",
    )
    argument(
        parser,
        "--post-friction LEAST,MOST",
        "the same between the body and the posts",
        friction,
        "0,0.3",
    )


def friction_of(arguments: argparse.Namespace) -> FrictionRange:
    """What `describe_friction` asked for."""
    from boa_control.planning.checks.friction import FrictionRange

    return FrictionRange(arguments.post_friction, arguments.floor)


def main(arguments: argparse.Namespace) -> int:
    """Search, and write what came of it."""
    from boa_control.experiments.experiment import prepare
    from boa_control.planning.find import find_route
    from boa_control.planning.post_map import check_place, load_map
    from boa_description.errors import BoaError
    from boa_description.load import load_robot
    from boa_tools.report.style import write_figures
    from boa_tools.runs.results import scenario_text, write_text

    posts = load_map(arguments.map)
    out = arguments.out or arguments.map.with_name(f"{arguments.map.stem}_path.yaml")
    picture = arguments.picture or out.with_suffix(".png")
    if picture.suffix != ".png":
        raise BoaError(f"--picture {picture} must end in .png; other forms are of --format")
    files = [file.resolve() for file in (arguments.map, out, picture)]
    if len(set(files)) < len(files):
        raise BoaError(
            f"the map '{arguments.map}', --out '{out}' and --picture '{picture}' must be three "
            "files; choose other names"
        )
    robot = load_robot(arguments.robot)
    for what, where in _places(arguments):
        check_place(posts, what, where.x, where.y, REACH)
    start = _around(arguments.start, arguments.within)
    goals = [_around(goal, arguments.within) for goal in arguments.goals]
    with _searching() as progress:
        search = find_route(
            posts.obstacles,
            robot,
            start,
            goals,
            settings_of(arguments),
            progress,
            closed=arguments.close,
        )
    route = _draw(posts, robot, search, arguments)
    write_figures(picture.parent, {picture.stem: route}, arguments.format or ())
    if search.route is None:
        print(f"no path: {search.reason}{_advice(search)} (picture: {picture})")
        return NOT_FOUND
    scenario = _scenario(out, posts, search.route, robot, arguments)
    write_text(out, scenario_text(scenario))
    experiment = prepare(scenario)
    report = checked(experiment, friction_of(arguments))  # denser than in the search
    print("\n".join(_told(search.route, report, search.first, posts, experiment)))
    parameters = ", ".join(
        f"{name} {value:g}" for name, value in scenario.controller.parameters.items()
    )
    print(f"travelled with  {parameters} (m/s, N; as the servos carry it)")
    print(f"scenario        {out}\npicture         {picture}")
    return 0


def _advice(search: Search) -> str:
    """Which post would help."""
    if not search.helpful:
        return ""
    best, *others = search.helpful
    also = "".join(f", or ({one.post.x:g}, {one.post.y:g})" for one in others)
    return (
        f"; one more post at ({best.post.x:g}, {best.post.y:g}){also} would lead on, to "
        f"{best.to_go:.2f} m before it"
        if best.to_go > 0
        else f"; one more post at ({best.post.x:g}, {best.post.y:g}){also} would help, with the "
        "first of them the goal is reached"
    )


def _places(arguments: argparse.Namespace) -> list[tuple[str, Place]]:
    """Start and goals with their names."""
    goals = arguments.goals
    names = ["goal"] if len(goals) == 1 else [f"goal {k + 1}" for k in range(len(goals))]
    return [("start", arguments.start), *zip(names, goals, strict=True)]


def _around(where: Place, within: float) -> Around:
    from boa_control.planning.search.region import Around

    return Around(where.x, where.y, within, where.heading)


def settings_of(arguments: argparse.Namespace) -> RouteSettings:
    """Settings of a search, with what `describe_demands` added."""
    from boa_control.planning.route import RouteSettings
    from boa_control.planning.search.lines import LineSettings

    rubs = friction_of(arguments)
    return RouteSettings(
        seconds=arguments.seconds,
        lines=LineSettings(clearance=arguments.clearance),
        ground=floor_of(arguments),
        contact_friction=arguments.post_friction.least,
        most=rubs.most,
    )


def floor_of(arguments: argparse.Namespace) -> GroundFriction:
    """The smoothest floor that `describe_friction` asked for."""
    from boa_description.scene import SMOOTH, GroundFriction

    mu = arguments.floor.least
    return GroundFriction(model="coulomb", mu=mu) if mu else SMOOTH


def checked(experiment: Experiment, friction: FrictionRange) -> PlanReport:
    """What the check of paths says of a scenario that has one, where it may rub so."""
    from boa_control.experiments.forewarning import references
    from boa_control.planning.checks.plan import check

    assert experiment.path is not None
    scene, told = experiment.scenario.scene, references(experiment.scenario.controller)
    return check(
        experiment.path,
        experiment.robot,
        scene.ground,
        scene.contact.friction,
        experiment.obstacles[len(experiment.path.posts) :],
        desired_speed=told.speed,
        desired_force=told.force,
        friction=friction,
        map_error=told.map_error,
    )


def tail_at(base: Iterable[float]) -> str:
    """Where the robot is laid down, for people. `base`: x, y, m, and heading of its tail, rad."""
    x, y, heading = base
    return (
        f"lay down        the tail at ({x:.3f}, {y:.3f}) m, heading {math.degrees(heading):.0f} deg"
    )


def _told(
    route: Route, report: PlanReport, first: float, posts: PostMap, experiment: Experiment
) -> list[str]:
    """Report of a route, for people; `first`: after which a path was found, s. `experiment`: that
    travels it.
    """
    from boa_control.experiments.planned import STOP

    found, closure, robot = route.found, report.closure, experiment.robot
    names = ", ".join(posts.name(contact.post).removeprefix("post ") for contact in found.contacts)
    carrying = len({contact.post for contact in found.contacts})
    spare = max(0.0, found.length - robot.links * robot.link.pitch - STOP)
    if found.closed:
        further = "anywhere"
    elif spare < LITTLE:
        further = (
            "nowhere else: the path is hardly longer than the body, so there is nothing to travel; "
            "give a goal further from the start"
        )
    else:
        further = f"up to {spare:.2f} m further on"
    return [
        f"found           after {first:.1f} s"
        + (f", better ones until {route.seconds:.1f} s" if route.seconds > first else "")
        + f"; {carrying} posts carry: {names}",
        f"{tail_at(experiment.start_base)}, the body along the path; or {further}, with "
        "initial.progress and what is left of distance in the scenario",
        f"margin          at least {closure.margin.min():.2f} (1: all contacts press alike, "
        "0: closure just lost)",
        f"effective mass  up to {found.effective_mass:.0f} kg",
        # notes say how to draw a path otherwise, and this one was searched
        *report.lines(notes=False),
    ]


def _scenario(
    out: Path, posts: PostMap, route: Route, robot: Robot, arguments: argparse.Namespace
) -> Scenario:
    """A scenario that travels the whole path."""
    from boa_control.experiments.planned import TravelSettings, planned_scenario, timed
    from boa_description.errors import BoaError

    settings = TravelSettings(
        robot=_robot_name(arguments.robot),
        speed=arguments.speed,
        map_error=route.std,
        blocks=(*posts.boxes, *posts.walls),
        ground=floor_of(arguments),
        contact_friction=arguments.post_friction.least,
    )
    summary = f"{robot.name} through {arguments.map.name}, planned"
    scenario = planned_scenario(out.stem, summary, route, robot, settings)
    try:
        return timed(scenario)
    except BoaError as error:
        print(f"warning: {error}", file=sys.stderr)
        return scenario


def _robot_name(name_or_file: str) -> str:
    """As a scenario names it, wherever that is run: a file by its whole path."""
    file = Path(name_or_file)
    return str(file.resolve()) if file.is_file() else name_or_file


def _draw(posts: PostMap, robot: Robot, search: Search, arguments: argparse.Namespace) -> Figure:
    from boa_tools.report.route_picture import draw_route

    drawn = search.route.found if search.route is not None else search.nearest
    places = [(name, (where.x, where.y)) for name, where in _places(arguments)]
    missing = [one.post for one in search.helpful]
    return draw_route(posts, robot, drawn, places, arguments.within, missing)


@contextmanager
def _searching() -> Iterator[Callable[[float], None]]:
    """Show how near the search has come, while it goes on."""
    from tqdm import tqdm

    from boa_tools.runs.console import refresh_interval

    form = "search: {desc}{elapsed}"
    with tqdm(total=None, bar_format=form, mininterval=refresh_interval(), leave=False) as bar:
        nearest = math.inf

        def progress(to_go: float) -> None:
            nonlocal nearest
            if to_go < nearest or to_go > nearest + 1.0:  # the next goal
                nearest = to_go
                bar.set_description_str(f"{to_go:.2f} m before the goal, ", refresh=False)
                bar.update()

        yield progress
