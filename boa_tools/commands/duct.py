# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa duct`: gaits of a snake robot between two walls, in the closed form of a paper."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from boa_tools.commands.arguments import add_formats, argument, number, positive_int, whole_number

if TYPE_CHECKING:
    from boa_tools.duct.task import DuctTask
    from boa_tools.optimisers.sampler import Sampler

OF_A_GAIT = {
    "amplitude": "of the joints, rad (1)",
    "delay": "of the wave from joint to joint headwards, rad (1)",
    "frequency": "rad/s (1.2566)",
    "stiffness": "kp, 1/s2 (100)",
    "damping": "kd, 1/s (25)",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    drive = actions.add_parser(
        "run", help="one gait for 20 s", description="Run one gait for 20 s."
    )
    search = actions.add_parser(
        "optimise",
        help="search the best gait",
        description="Search the best gait. The same command again goes on with the search.",
    )
    grid = actions.add_parser(
        "map",
        help="a criterion over two variables",
        description="Evaluate a criterion over two variables of the gait on a grid.",
    )
    atlas = actions.add_parser(
        "maps",
        help="the best gaits of both ducts, in both readings, by both criteria",
        description="Map amplitude and delay for both ducts, both readings and both criteria, and "
        "search on around the best gait of each map.",
    )
    for each in (drive, search, grid):
        _describe_gait(each)
    for each in (search, grid):
        _describe_question(each)
    _describe_search(search)
    for each in (grid, atlas):
        _describe_grid(each)
    for each in (drive, search, grid, atlas):
        argument(each, "--out DIR", "folder for the results (results/duct-...)", Path)
        add_formats(each)


def _describe_gait(parser: argparse.ArgumentParser) -> None:
    argument(parser, "--width", "duct", default="wide", choices=("wide", "narrow"))
    argument(
        parser,
        "--reading",
        "of what the paper prints",
        default="resolved",
        choices=("resolved", "printed"),
    )
    for name, text in OF_A_GAIT.items():
        parser.add_argument(f"--{name}", type=number, metavar="X", help=text)


def _describe_question(parser: argparse.ArgumentParser) -> None:
    argument(
        parser,
        "--over NAME[=LOW:HIGH]",
        f"variable and its range: {', '.join(OF_A_GAIT)}; again for further ones "
        "(amplitude, delay)",
        action="append",
    )
    argument(
        parser,
        "--criterion",
        "distance in 20 s, or distance per energy",
        default="distance",
        choices=("distance", "thrift"),
    )


def _describe_search(parser: argparse.ArgumentParser) -> None:
    argument(parser, "--evaluations N", "gaits to try in each search", positive_int, 100)
    argument(
        parser,
        "--searches N",
        "from scratch, one after the other, with other seeds",
        positive_int,
        1,
    )
    argument(
        parser,
        "--sampler",
        "way of searching",
        default="radial",
        choices=("radial", "random", "cmaes"),
    )
    argument(parser, "--seed N", "of it", whole_number, 0)


def _describe_grid(parser: argparse.ArgumentParser) -> None:
    argument(parser, "--points N", "along each variable", positive_int, 31)


def main(arguments: argparse.Namespace) -> int:
    """Run, search or map."""
    actions = {"run": _run, "optimise": _optimise, "map": _map, "maps": _maps}
    return actions[arguments.action](arguments)


def _run(arguments: argparse.Namespace) -> int:
    from boa_tools.duct.pictures import draw_run
    from boa_tools.report.style import write_figures

    task = _task(arguments)
    run = task.run({})
    stopped = "" if run.end == "ran" else f", stopped by a {run.end} beyond its limit"
    print(
        f"{run.distance:.3f} m in {run.time:.2f} s{stopped}; {run.energy:.2f} J; walls press with "
        f"at most {run.force_peak:.1f} N"
    )
    directory = _directory(arguments, task)
    write_figures(directory, {"run": draw_run(task, run)}, arguments.format or ())
    print(directory / "run.png")
    return 0


def _optimise(arguments: argparse.Namespace) -> int:
    from tqdm import tqdm

    from boa_tools.duct.pictures import draw_run
    from boa_tools.duct.search import Evaluation, finalists, search
    from boa_tools.duct.task import CRITERIA
    from boa_tools.report.style import write_figures

    task = _task(arguments)
    directory = _directory(arguments, task)
    evaluations = arguments.searches * arguments.evaluations
    with tqdm(total=evaluations, unit="gait", disable=None) as bar:

        def told(number: int, _: Evaluation) -> None:
            bar.update(number - bar.n)

        known = search(task, _sampler(arguments), evaluations, directory, told)
    ranked = finalists(task, known, arguments.seed)
    for one in ranked:
        values = ", ".join(f"{name} {value:g}" for name, value in one.evaluation.values.items())
        print(
            f"{one.evaluation.score:.4g} {CRITERIA[task.criterion]}, median with neighbours "
            f"{one.median:.4g}: {values}"
        )
    best = draw_run(task, task.run(ranked[0].evaluation.values))
    write_figures(directory, {"best": best}, arguments.format or ())
    print(directory)
    return 0


def _map(arguments: argparse.Namespace) -> int:
    from tqdm import tqdm

    from boa_description.errors import BoaError
    from boa_tools.duct.chart import charts
    from boa_tools.duct.pictures import draw_chart
    from boa_tools.duct.task import CRITERIA
    from boa_tools.report.style import write_figures
    from boa_tools.runs.results import write_text

    task = _task(arguments)
    if task.space.size != 2:
        raise BoaError(f"a map has two variables, not {task.space.size}; say --over twice")
    directory = _directory(arguments, task)
    with tqdm(total=arguments.points**2, unit="gait", disable=None) as bar:

        def told(number: int) -> None:
            bar.update(number - bar.n)

        charted = charts(task, arguments.points, told)[task.criterion]
    directory.mkdir(parents=True, exist_ok=True)
    write_text(directory / "map.csv", charted.csv)
    write_figures(directory, {"map": draw_chart(charted)}, arguments.format or ())
    best = charted.best
    print(
        f"best of {arguments.points**2}: {best.score:.4g} {CRITERIA[task.criterion]} at "
        + ", ".join(f"{name} {value:.4g}" for name, value in best.values.items())
    )
    print(directory)
    return 0


def _maps(arguments: argparse.Namespace) -> int:
    from tqdm import tqdm

    from boa_tools.duct.atlas import MAPS, sheets, table
    from boa_tools.duct.pictures import draw_sheets
    from boa_tools.report.style import write_figures
    from boa_tools.runs.results import write_text

    directory = arguments.out or Path("results") / "duct-maps"
    with tqdm(total=MAPS, unit="map", disable=None) as bar:

        def told(which: str) -> None:
            bar.set_postfix_str(which)
            bar.update()

        found = sheets(arguments.points, told)
    directory.mkdir(parents=True, exist_ok=True)
    for sheet in found:
        task = sheet.chart.task
        write_text(directory / f"{task.width}-{task.reading}-{task.criterion}.csv", sheet.chart.csv)
    write_figures(directory, {"maps": draw_sheets(found)}, arguments.format or ())
    write_text(directory / "maps.md", table(found))
    print(table(found), end="")
    print(directory)
    return 0


def _task(arguments: argparse.Namespace) -> DuctTask:
    from boa_sim.duct.model import DuctGait
    from boa_tools.duct.task import DuctTask, variable
    from boa_tools.optimisers.space import Space

    given = {name: getattr(arguments, name) for name in OF_A_GAIT}
    gait = replace(DuctGait(), **{k: value for k, value in given.items() if value is not None})
    over = getattr(arguments, "over", None) or ("amplitude", "delay")
    space = Space(tuple(variable(text) for text in over))
    criterion = getattr(arguments, "criterion", "distance")
    return DuctTask(arguments.width, arguments.reading, criterion, space, gait)


def _sampler(arguments: argparse.Namespace) -> Sampler:
    from boa_tools.optimisers.restarts import RestartedSampler
    from boa_tools.sweeps.study import SAMPLERS

    make = SAMPLERS[arguments.sampler]
    if arguments.searches == 1:  # may go on with more evaluations than it began with
        return make(arguments.seed)
    return RestartedSampler(make, arguments.seed, arguments.evaluations)


def _directory(arguments: argparse.Namespace, task: DuctTask) -> Path:
    if arguments.out:
        return Path(arguments.out)
    return Path("results") / f"duct-{arguments.action}-{task.width}-{task.reading}-{task.criterion}"
