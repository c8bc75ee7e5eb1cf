# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One run of a command that makes several, each of which begins with what the last one gave."""

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
    directory: Path, scenario: Scenario, seed: int, report: bool, bag: bool
) -> tuple[RunResult, Controller, dict[str, Any]]:
    """Run a scenario into a results folder, with or without a bag; its end, controller and metrics.

    Raises:
        BoaError: anything wrong with the scenario, or the folder is taken.
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
        write_record(scratch, scenario.name, seed, result.ended, result.trace)
    return result, controller, finish(result.log, experiment, directory, report=report)
