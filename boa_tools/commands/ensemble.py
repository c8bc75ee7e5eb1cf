# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa ensemble SCENARIO --seeds tuning`: many seeds with perturbed values, by which a rule is
judged.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from boa_tools.commands.arguments import argument, flag, positive_int
from boa_tools.commands.study import (
    OF_RUNS,
    Study,
    add_runs,
    refuse,
    run_study,
    unexpected,
)

if TYPE_CHECKING:
    from boa_control.experiments.scenario import Scenario
    from boa_tools.ensembles.division import Division
    from boa_tools.ensembles.ensemble import Ensemble

COMPARE = "compare"
OF_THE_RESULT = ("seeds", "repeats", "perturb", "set", "against", "goal", "duration", "distance")
OF_AN_ENSEMBLE = (*OF_THE_RESULT, "datasheet", "out")
REPEATS = 3


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    argument(
        parser,
        "scenario SCENARIO",
        "name of a shipped scenario, or a YAML file, also a set that boa plan bench wrote; or "
        "'resume' or 'report' with DIR, or 'compare' with two of them",
    )
    argument(parser, "directory DIR", "with resume, report and compare: its folder", nargs="?")
    argument(parser, "other DIR", "with compare: the second folder", nargs="?")
    argument(
        parser,
        "--seeds A-B|KIND[:N]",
        "seeds A to B, or of a kind: tuning, judging (the first N); of a set of planned "
        "fields: which of them (default: all)",
    )
    argument(parser, "--repeats N", f"members per seed ({REPEATS})", positive_int)
    for option, form, meaning in (
        ("--perturb", "KEY=SHARE", "number that every member has another of, within this share"),
        ("--set", "KEY=VALUE", "another value of the scenario"),
        ("--against", "KEY=VALUE", "run all members also with this value, side by side"),
    ):
        parser.add_argument(
            option, action="append", metavar=form, help=f"{meaning}; again for further keys"
        )
    argument(
        parser,
        "--goal METRIC>=X",
        "what a success has reached, or METRIC<=X (default: the end of the scenario)",
    )
    flag(
        parser,
        "--datasheet",
        "with the sensors and servos of the data sheets, at 200 Hz",
        default=None,
    )
    add_runs(parser, "ensemble")


def main(arguments: argparse.Namespace) -> int:
    """Begin, resume, report or compare. Status 1 unless every run left a result."""
    from boa_tools.ensembles.study import compare_ensembles, report_ensemble, run_ensemble

    if arguments.scenario == COMPARE:
        refuse(arguments, OF_AN_ENSEMBLE + OF_RUNS)
        return compare_ensembles(*_both(arguments))
    if arguments.other is not None:
        raise unexpected(arguments.other)
    return run_study(Study(_begin, run_ensemble, report_ensemble, OF_AN_ENSEMBLE), arguments)


def _both(arguments: argparse.Namespace) -> tuple[Path, Path]:
    """The folders to compare. Raises BoaError."""
    from boa_description.errors import BoaError

    if arguments.other is None:
        raise BoaError("boa ensemble compare needs 2 folders: boa ensemble compare DIR DIR")
    return Path(arguments.directory), Path(arguments.other)


def _begin(arguments: argparse.Namespace) -> tuple[str, Callable[[Path], None]]:
    from boa_tools.ensembles.study import prepare_ensemble

    ensemble = _ensemble(arguments)
    return ensemble.name, partial(prepare_ensemble, ensemble)


def _ensemble(arguments: argparse.Namespace) -> Ensemble:
    from boa_tools.ensembles.ensemble import COMPLETED, Ensemble
    from boa_tools.ensembles.perturbation import parse_perturbation, parse_setting
    from boa_tools.sweeps.goal import parse_bound

    name, division, scenarios = _scenarios(arguments)
    return Ensemble(
        name,
        division.of,
        division.kind(tuple(scenarios)),
        scenarios,
        arguments.repeats or REPEATS,
        tuple(parse_perturbation(text) for text in arguments.perturb or ()),
        dict(parse_setting(text, "--against") for text in arguments.against or ()),
        COMPLETED if arguments.goal is None else parse_bound(arguments.goal, "--goal"),
        _command(arguments),
    )


def _scenarios(arguments: argparse.Namespace) -> tuple[str, Division, dict[int, Scenario]]:
    """Name, division of the seeds, and scenario by seed. Raises BoaError."""
    from boa_control.experiments.change import changed
    from boa_control.experiments.library import is_set
    from boa_description.errors import BoaError
    from boa_tools.commands.run import as_chosen, load_experiment
    from boa_tools.ensembles.division import FIELDS, RUNS, division
    from boa_tools.ensembles.perturbation import parse_setting

    choice = arguments.duration, arguments.distance, bool(arguments.datasheet)
    settings = dict(parse_setting(text, "--set") for text in arguments.set or ())
    if is_set(arguments.scenario):
        name, fields = _fields(arguments, division(FIELDS))
        chosen = {seed: changed(as_chosen(one, *choice), settings) for seed, one in fields.items()}
        return name, division(FIELDS), chosen
    if arguments.seeds is None:
        raise BoaError("an ensemble needs seeds: --seeds tuning, --seeds judging:20, --seeds 0-19")
    scenario = changed(load_experiment(arguments.scenario, *choice).scenario, settings)
    seeds = division(RUNS).seeds(arguments.seeds)
    return scenario.name, division(RUNS), dict.fromkeys(seeds, scenario)


def _fields(arguments: argparse.Namespace, division: Division) -> tuple[str, dict[int, Scenario]]:
    """Name of a set of planned fields, and those that are chosen, by seed. Raises BoaError."""
    from boa_control.experiments.library import load_members
    from boa_description.errors import BoaError
    from boa_tools.bench.planning import planned_fields

    chosen, members = load_members(arguments.scenario)
    fields = planned_fields(chosen, members)
    if arguments.seeds is None:
        return chosen.name, fields
    wanted = {s: fields[s] for s in division.seeds(arguments.seeds) if s in fields}
    if not wanted:
        raise BoaError(
            f"set {chosen.name} has no field of --seeds {arguments.seeds}; it has "
            f"{', '.join(map(str, fields))}"
        )
    return chosen.name, wanted


def _command(arguments: argparse.Namespace) -> str:
    """The command without what does not change a result."""
    words = ["boa", arguments.command, arguments.scenario]
    for option in (*OF_THE_RESULT, "datasheet"):
        value = getattr(arguments, option)
        if value is True:
            words.append(f"--{option}")
        elif value is not None:
            for one in value if isinstance(value, list) else [value]:
                words += [f"--{option}", str(one)]
    return shlex.join(words)
