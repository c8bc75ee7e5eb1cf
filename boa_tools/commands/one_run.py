# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One run of a command that makes several, each of which begins with what the last one gave."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from boa_control.controller import Controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.scenario import Scenario
from boa_tools.commands.run import open_run
from boa_tools.report.finish import finish
from boa_tools.runs import results
from boa_tools.runs.console import progress_bar, stop_on_interrupt
from boa_tools.runs.drive import RunResult, drive
from boa_tools.runs.results import write_record, write_scenario


def run_into(
    directory: Path,
    scenario: Scenario,
    seed: int,
    report: bool,
    bag: bool,
    keep: Callable[[Controller], None] = lambda _: None,
) -> tuple[RunResult, Controller, dict[str, Any]]:
    """Run a scenario into a results folder, with or without a bag; its end, controller and metrics.
    One that is interrupted keeps what there is.

    Args:
        keep: writes what the controller has learnt, before the report takes its time.

    Raises:
        BoaError: anything wrong with the scenario, or the folder is taken.
        KeyboardInterrupt: interrupted before the first tick.
        PlantError: a fault before the first tick.
    """
    experiment = prepare(scenario)
    with results.staged(directory) as scratch:
        write_scenario(scratch, scenario)
        with (
            open_run(experiment, seed, scratch / results.BAG if bag else None) as made,
            stop_on_interrupt() as stop,
            progress_bar(scenario.name, scenario.duration) as progress,
        ):
            plant, controller, sinks = made
            result = drive(experiment, plant, controller, progress, sinks, stop)
        result.require_ticks()
        write_record(scratch, scenario.name, seed, result.ended, result.trace)
    keep(controller)
    if result.cut_short:
        print(result.cut_short)
    return result, controller, finish(result.log, experiment, directory, report=report)
