# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa sweep SCENARIO --vary KEY=VALUES`: all combinations of values, each with many seeds."""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

from boa_tools.commands.arguments import add_formats, argument, positive_int, whole_number
from boa_tools.commands.study import Study, add_runs, add_source, run_study

OF_A_SWEEP = ("vary", "seeds", "first_seed", "out", "duration", "distance")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_source(parser)
    argument(
        parser,
        "--vary KEY=VALUES",
        "key of the scenario with dots, and first:last:count[:log] or value,value,...; again "
        "for further keys",
        action="append",
    )
    argument(parser, "--seeds N", "seeds of each combination (default: 1)", positive_int)
    argument(parser, "--first-seed N", "first of the seeds (default: 0)", whole_number)
    add_runs(parser, "sweep")
    argument(parser, "--show KEY,...", "with report: metrics to show instead of the usual columns")

    add_formats(parser, "with report: ")


def main(arguments: argparse.Namespace) -> int:
    """Run, resume or report. Status 1 unless every run left a result."""
    from boa_tools.sweeps.goal import columns_of
    from boa_tools.sweeps.sweep import report_sweep, run_sweep

    def report(directory: Path) -> int:
        columns = columns_of(arguments.show.split(",")) if arguments.show else ()
        return report_sweep(directory, columns, arguments.format or ())

    return run_study(Study(_begin, run_sweep, report, OF_A_SWEEP, ("show", "format")), arguments)


def _begin(arguments: argparse.Namespace) -> tuple[str, Callable[[Path], None]]:
    from boa_control.experiments.library import is_set
    from boa_description.errors import BoaError
    from boa_tools.commands.run import load_experiment
    from boa_tools.sweeps.plan import Plan, parse_axis
    from boa_tools.sweeps.sweep import prepare_sweep

    if not arguments.vary:
        raise BoaError(
            "nothing is varied; say --vary KEY=VALUES, or use boa run SCENARIO --seeds N"
        )
    if is_set(arguments.scenario):
        raise BoaError(
            f"{arguments.scenario} is a set of scenarios; boa run {arguments.scenario} runs it, a "
            "sweep takes a single one"
        )
    axes = tuple(parse_axis(text) for text in arguments.vary)
    for end in ("duration", "distance"):
        if getattr(arguments, end) is not None and any(axis.key == end for axis in axes):
            raise BoaError(f"--{end} and --vary {end}=... both set it; leave one out")
    base = load_experiment(arguments.scenario, arguments.duration, arguments.distance).scenario
    first = arguments.first_seed or 0
    plan = Plan(base, axes, tuple(range(first, first + (arguments.seeds or 1))))
    return base.name, partial(prepare_sweep, plan)
