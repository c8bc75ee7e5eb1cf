# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa report DIR|BAG`: metrics, plots and page of a run that was recorded."""

import argparse
from pathlib import Path

from boa_tools.commands.arguments import add_formats, argument, flag


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    argument(parser, "source DIR|BAG", "results folder of a run, or a bag")
    argument(parser, "--scenario NAME", "scenario of a bag that was recorded without one")
    argument(parser, "--out DIR", "where to write (default: the results folder, or BAG-report)")
    add_formats(parser)
    flag(parser, "--video", "also write video.mp4")


def main(arguments: argparse.Namespace) -> None:
    """Read the run and write its results."""
    from boa_tools.bags.recorded import find_run
    from boa_tools.bags.ticks import read_run
    from boa_tools.report.finish import finish
    from boa_tools.runs import results

    run = find_run(Path(arguments.source), arguments.scenario)
    directory = run.directory
    if arguments.out is None and arguments.scenario is not None:
        _require_no_other(directory / results.SCENARIO)
    if arguments.out is not None:
        directory = results.results_directory(arguments.out, run.experiment.scenario.name)
    log = read_run(run.bag, run.experiment)
    directory.mkdir(parents=True, exist_ok=True)
    finish(log, run.experiment, directory, video=arguments.video, formats=arguments.format or ())


def _require_no_other(scenario: Path) -> None:
    """Keep a results folder from being judged by another scenario than its own. Raises BoaError."""
    from boa_description.errors import BoaError

    if scenario.is_file():
        raise BoaError(
            f"'{scenario.parent}' has its own {scenario.name}, and results of it, which --scenario "
            "would replace; give --out DIR, too, or leave --scenario out"
        )
