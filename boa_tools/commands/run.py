# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa run SCENARIO`: simulate a scenario, its distribution over seeds, or a set of scenarios;
write the results.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boa_tools.commands.arguments import (
    add_end,
    add_formats,
    add_trust,
    address,
    argument,
    flag,
    positive_int,
    seeds,
    whole_number,
)

if TYPE_CHECKING:
    from boa_control.controller import Controller
    from boa_control.experiments.experiment import Experiment
    from boa_control.experiments.scenario import Scenario
    from boa_control.experiments.scenario_set import Member, ScenarioSet
    from boa_control.plant import Plant
    from boa_tools.runs.block import Sink
    from boa_tools.runs.drive import RunResult
    from boa_tools.sweeps.set_seeds import Loader
    from boa_tools.view.live_run import LiveRun


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from boa_tools.view.address import LISTEN

    argument(parser, "scenario SCENARIO", "name of a shipped scenario or set, or a YAML file")
    argument(parser, "--out DIR", "results folder (default: results/<scenario>-<date>-<time>)")
    add_end(parser)
    argument(parser, "--seed N", "seed of everything random (default: 0)", whole_number)
    argument(parser, "--seeds N|A-B", "run seeds 0 to N-1, or A to B, and report the spread", seeds)
    argument(
        parser, "--jobs N", "with --seeds or a set: runs side by side (default: 1)", positive_int
    )
    flag(parser, "--datasheet", "with the sensors and servos of the data sheets, at 200 Hz")
    argument(
        parser,
        "--identified FILE",
        "begin with the gearboxes that another run has learnt, its identified.yaml",
    )
    add_trust(parser)
    flag(parser, "--video", "also write video.mp4")
    add_formats(parser)
    flag(
        parser,
        "--view",
        "show the run in the browser while it happens, in real time, and steer it there",
    )
    argument(
        parser,
        "--listen HOST:PORT",
        f"with --view: where the page is (default: {LISTEN}); other machines need a token",
        address,
    )
    flag(parser, "--no-bag", "write no bag (the run takes about half the time)")
    flag(parser, "--no-report", "write no plots, picture and page")


def main(arguments: argparse.Namespace) -> int:
    """Run, write, and print where things are. Status 1 when the scenario was not completed."""
    from boa_tools.runs.quick_start import quick_start

    quick_start()
    from boa_control.experiments.library import is_set
    from boa_tools.runs.results import results_directory

    # as Ctrl-C: what has been started ends, too
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if is_set(arguments.scenario):
        return _run_set(arguments)
    experiment = load_experiment(
        arguments.scenario,
        arguments.duration,
        arguments.distance,
        arguments.datasheet,
        arguments.identified,
        arguments.trust,
    )
    directory = results_directory(arguments.out, experiment.scenario.name)
    if arguments.seeds is not None:
        from boa_tools.sweeps.seeds import run_seeds

        _refuse(arguments, ("seed", "video", "view", "listen", "format"), "a run with --seeds")
        return run_seeds(experiment, arguments.seeds, arguments.jobs or 1, directory)
    _refuse(arguments, ("jobs",), "a single run")
    if not arguments.view:
        _refuse(arguments, ("listen",), "a run without --view")
    if arguments.no_report:
        _refuse(arguments, ("format",), "a run with --no-report")
    return _run_once(experiment, arguments, directory)


def _refuse(arguments: argparse.Namespace, options: tuple[str, ...], what: str) -> None:
    """Refuse options that would have no effect. Raises BoaError."""
    from boa_description.errors import BoaError

    for option in options:
        if getattr(arguments, option) not in (None, False):
            raise BoaError(f"--{option} means nothing for {what}; leave it out")


def _run_set(arguments: argparse.Namespace) -> int:
    from boa_control.experiments.library import load_members
    from boa_tools.runs.results import results_directory
    from boa_tools.sweeps.compare import run_set

    _refuse(
        arguments,
        ("identified", "video", "view", "listen"),
        f"a set of scenarios as {arguments.scenario}",
    )
    choice = arguments.duration, arguments.distance, arguments.datasheet

    def load(seed: int) -> tuple[ScenarioSet, tuple[Member, ...]]:
        chosen, members = load_members(arguments.scenario, seed, arguments.trust)
        return chosen, tuple(
            replace(member, scenario=as_chosen(member.scenario, *choice)) for member in members
        )

    if arguments.seeds is not None:
        _refuse(arguments, ("seed",), "a run with --seeds")
    chosen, members = load(arguments.seed or 0)
    if arguments.seeds is not None or chosen.set.show or chosen.set.refused:
        return _run_set_seeds(arguments, load, chosen.name)
    return run_set(
        chosen,
        members,
        arguments.seed or 0,
        arguments.jobs or 1,
        results_directory(arguments.out, chosen.name),
        arguments.format or (),
    )


def _run_set_seeds(arguments: argparse.Namespace, load: Loader, name: str) -> int:
    from boa_tools.runs.results import results_directory
    from boa_tools.sweeps.set_seeds import run_set_seeds

    first = arguments.seed or 0
    seeds = range(first, first + 1) if arguments.seeds is None else arguments.seeds
    directory = Path(arguments.out) if arguments.out else results_directory(None, name)
    return run_set_seeds(load, seeds, arguments.jobs or 1, directory, arguments.format or ())


def as_chosen(
    scenario: Scenario, duration: float | None, distance: float | None, datasheet: bool
) -> Scenario:
    """The scenario with another end where given, a duration alone replaces the distance, and with
    the effects of the data sheets where chosen.
    """
    changes: dict[str, Any] = {}
    if duration is not None:
        changes |= {"duration": duration, "distance": None}
    if distance is not None:
        changes["distance"] = distance
    changed = scenario.model_copy(update=changes)
    if datasheet:
        from boa_control.experiments.datasheet import with_datasheet

        changed = with_datasheet(changed)
    return changed


def load_experiment(
    scenario: str,
    duration: float | None,
    distance: float | None,
    datasheet: bool = False,
    identified: str | None = None,
    trusted: bool = False,
) -> Experiment:
    """Load a scenario, with another end where given, with the effects of the data sheets where
    chosen, and with the gearboxes that the file `identified` knows, and work it out. `trusted`:
    code that it names elsewhere than beside it may be run.

    Raises:
        BoaError: anything wrong with it.
    """
    from boa_control.experiments.experiment import prepare
    from boa_control.experiments.library import load_scenario
    from boa_description.errors import BoaError

    loaded = load_scenario(scenario, trusted)
    if distance is not None and loaded.path is None:
        raise BoaError(
            f"scenario {loaded.name} has no path, so --distance means nothing; use --duration"
        )
    chosen = as_chosen(loaded, duration, distance, datasheet)
    if identified is not None:
        from boa_control.experiments.identified import with_identified

        chosen = with_identified(chosen, Path(identified))
    return prepare(chosen)


def _run_once(experiment: Experiment, arguments: argparse.Namespace, directory: Path) -> int:
    from boa_control.controllers import controller_class
    from boa_control.experiments.forewarning import forewarnings
    from boa_tools.runs import results
    from boa_tools.runs.console import when_interrupted
    from boa_tools.runs.results import write_record, write_scenario

    seed = arguments.seed or 0
    for warning in forewarnings(experiment):
        print(f"warning: {warning}", file=sys.stderr)
    controller_class(experiment.scenario.controller.name)  # before its file is copied
    with results.staged(directory) as scratch:
        write_scenario(scratch, experiment.scenario)
        bag = None if arguments.no_bag else scratch / results.BAG
        result = (
            _simulate_viewed(experiment, seed, bag, arguments.listen)
            if arguments.view
            else _simulate(experiment, seed, bag)
        )
        result.require_ticks()
        write_record(scratch, experiment.scenario.name, seed, result.ended, result.trace)
    with when_interrupted(f"'{directory}' has the run, without a report"):
        if result.cut_short:
            print(result.cut_short)
        from boa_tools.report.finish import finish  # only now: it would delay the first tick

        values = finish(
            result.log,
            experiment,
            directory,
            report=not arguments.no_report,
            video=arguments.video,
            formats=arguments.format or (),
        )
    return 0 if values["completed"] else 1


@contextmanager
def open_run(
    experiment: Experiment, seed: int, bag: Path | None
) -> Iterator[tuple[Plant, Controller, Sequence[Sink]]]:
    """Everything that drives a run: plant, controller, and the sink of its bag where one is
    given.
    """
    from boa_control.experiments.build import build_controller
    from boa_sim.factory import plant_from_experiment
    from boa_tools.bags.ticks import bag_sink

    controller = build_controller(experiment)
    with (
        closing(plant_from_experiment(experiment, seed)) as plant,
        bag_sink(bag, experiment) as sinks,
    ):
        yield plant, controller, sinks


def _simulate_viewed(
    experiment: Experiment, seed: int, bag: Path | None, listen: tuple[str, int] | None
) -> RunResult:
    """Run with the live view; from the beginning again when a page wants that."""
    import shutil

    from boa_tools.view.address import LISTEN, open_page, split_address
    from boa_tools.view.live_run import LiveRun

    with closing(LiveRun(experiment, listen or split_address(LISTEN))) as live:
        print(f"live view: {live.address}", flush=True)
        if listen is None:  # else it is for another machine
            open_page(live.address)
        result = _simulate(experiment, seed, bag, live)
        while live.restart:
            if bag is not None:
                shutil.rmtree(bag, ignore_errors=True)
            result = _simulate(experiment, seed, bag, live)
        return result


def _simulate(
    experiment: Experiment, seed: int, bag: Path | None, live: LiveRun | None = None
) -> RunResult:
    """Run with a progress bar, into a bag where one is given."""
    from boa_control.priority import freeze_memory, search_seldom
    from boa_tools.runs.console import progress_bar, stop_on_interrupt
    from boa_tools.runs.drive import drive

    scenario = experiment.scenario
    with (
        open_run(experiment, seed, bag) as (plant, controller, sinks),
        stop_on_interrupt() as stop,  # from here on; before, Ctrl-C ends the program at once
        progress_bar(scenario.name, scenario.duration) as progress,
    ):
        freeze_memory(search=False)  # a search would delay the first tick
        search_seldom()
        if live is None:
            return drive(experiment, plant, controller, progress, sinks, stop)
        live.begin(controller, stop)
        return drive(
            experiment,
            plant,
            controller,
            progress,
            sinks,
            lambda: stop() or live.restart,
            live.before_tick,
            watchers=(live,),
        )
