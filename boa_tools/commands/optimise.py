# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa optimise SCENARIO --over KEY=low:high --objective METRIC`: search the best values."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from boa_tools.commands.arguments import add_formats, argument, flag, positive_int, whole_number
from boa_tools.commands.study import Study, add_runs, add_source, run_study

if TYPE_CHECKING:
    from boa_control.experiments.scenario import Scenario
    from boa_tools.optimisers.space import Variable

SAMPLERS = ("radial", "random", "cmaes")
OF_A_STUDY = (
    *("over", "objective", "minimise", "maximise", "limit", "least", "evaluations", "seeds"),
    *("checks", "sampler", "seed", "out", "duration", "distance"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_source(parser)
    argument(
        parser,
        "--over KEY=LOW:HIGH",
        "key of the scenario with dots and its range; :log for equal ratios, :whole for whole "
        "numbers; again for further keys",
        action="append",
    )
    argument(parser, "--objective METRIC", "metric to bring down or up")
    way = parser.add_mutually_exclusive_group()
    flag(way, "--minimise", "the smaller the better", default=None)
    flag(way, "--maximise", "the larger the better", default=None)
    argument(parser, "--limit METRIC=X", "metric that must be at most X, SI", action="append")
    argument(parser, "--least METRIC=X", "metric that must be at least X, SI", action="append")
    argument(parser, "--evaluations N", "points to try (default: 60)", positive_int)
    argument(parser, "--seeds N", "runs of each point (default: 1)", positive_int)
    argument(
        parser,
        "--checks N",
        "runs of each of the three best, with new seeds and neighbouring values (default: 5)",
        positive_int,
    )
    argument(parser, "--sampler", "way of searching (default: radial)", choices=SAMPLERS)
    argument(parser, "--seed N", "seed of the search (default: 0)", whole_number)
    add_runs(parser, "optimise")
    add_formats(parser, "with report: ")


def main(arguments: argparse.Namespace) -> int:
    """Search, resume or report. Status 1 where nothing keeps the limits."""
    from boa_tools.sweeps.optimise import report_optimisation, run_optimisation

    def report(directory: Path) -> int:
        return report_optimisation(directory, arguments.format or ())

    study = Study(_begin, run_optimisation, report, OF_A_STUDY, ("format",))
    return run_study(study, arguments)


def _begin(arguments: argparse.Namespace) -> tuple[str, Callable[[Path], None]]:
    from boa_control.experiments.library import is_set
    from boa_description.errors import BoaError
    from boa_tools.commands.run import load_experiment
    from boa_tools.optimisers.space import Space
    from boa_tools.sweeps.goal import Goal, metric_key, parse_limit
    from boa_tools.sweeps.optimise import prepare_optimisation
    from boa_tools.sweeps.study import Optimisation

    if is_set(arguments.scenario):
        raise BoaError(f"{arguments.scenario} is a set of scenarios; an optimisation takes one")
    if not arguments.over:
        raise BoaError("nothing may change; say --over KEY=LOW:HIGH")
    if arguments.objective is None:
        raise BoaError("nothing is sought; say --objective METRIC (docs/metrics.md lists them)")
    if not (arguments.minimise or arguments.maximise):
        raise BoaError(f"--objective {arguments.objective}: say --minimise or --maximise")
    base = load_experiment(arguments.scenario, arguments.duration, arguments.distance).scenario
    settle = base.evaluation.settle
    if base.duration <= settle:
        raise BoaError(
            f"runs of {base.duration:g} s: {settle:g} s of each are not judged; raise --duration"
        )
    limits = [parse_limit(text, "--limit") for text in arguments.limit or ()]
    limits += [parse_limit(text, "--least") for text in arguments.least or ()]
    optimisation = Optimisation(
        base,
        Space(tuple(_variable(text, base) for text in arguments.over)),
        Goal(metric_key(arguments.objective), bool(arguments.maximise), tuple(limits)),
        arguments.evaluations or 60,
        arguments.seeds or 1,
        arguments.checks or 5,
        arguments.sampler or SAMPLERS[0],
        arguments.seed or 0,
    )
    return base.name, partial(prepare_optimisation, optimisation)


def _variable(text: str, base: Scenario) -> Variable:
    from boa_control.experiments.change import is_whole_number
    from boa_description.errors import BoaError
    from boa_tools.optimisers.space import Variable
    from boa_tools.sweeps.plan import NUMBER

    match = re.fullmatch(rf"([\w.]+)=({NUMBER}):({NUMBER})((?::log|:whole)*)", text)
    if match is None:
        raise BoaError(f"--over {text}: write KEY=low:high, KEY=low:high:log or KEY=low:high:whole")
    key, low, high, words = match[1], float(match[2]), float(match[3]), match[4]
    whole = "whole" in words or is_whole_number(base, key)
    try:
        return Variable(key, low, high, whole=whole, log="log" in words)
    except ValueError as error:
        raise BoaError(f"--over {error}; give two different ends, the lower one first") from error
