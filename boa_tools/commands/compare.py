# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa compare SIM REAL`: recorded torques in simulation, and the gap between the two."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from boa_tools.commands.arguments import add_formats, add_trust, argument, file_name, positive

if TYPE_CHECKING:
    from boa_control.experiments.scenario import Scenario


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    argument(parser, "sim SIM", "what is simulated: scenario, YAML file, or results folder")
    argument(parser, "real REAL", "recorded run: results folder, or bag", Path)
    argument(
        parser,
        "--gearbox MODEL",
        "simulate with this gearbox, a name or file, instead of SIM's; may be repeated",
        action="append",
    )
    argument(parser, "--robot FILE", "simulate this robot instead of SIM's")
    add_trust(parser)
    argument(parser, "--window S", "length of a window, s", positive, 0.2)
    argument(parser, "--every S", "from start to start, s", positive, 1.0)
    argument(parser, "--start S", "of the first window, s", positive, 4.0)
    argument(parser, "--out FILE", "page to write", file_name, Path("compare.html"))
    add_formats(parser)


def main(arguments: argparse.Namespace) -> None:
    """Replay, print, write the page."""
    from boa_control.experiments.experiment import prepare
    from boa_description.errors import BoaError
    from boa_sim.factory import plant_from_experiment
    from boa_tools.bags.recorded import find_run
    from boa_tools.bags.ticks import read_run
    from boa_tools.identification import gaps, replay
    from boa_tools.report.style import write_figures
    from boa_tools.runs.results import write_text

    real = find_run(arguments.real)
    simulated = {name: prepare(scenario) for name, scenario in _variants(arguments).items()}
    for experiment in simulated.values():
        (sim, joints), (recorded, others) = (
            (one.scenario.plant.control_rate, one.robot.joints)
            for one in (experiment, real.experiment)
        )
        if joints != others or sim != recorded:
            raise BoaError(
                f"SIM has {joints} joints at {sim:g} Hz, REAL {others} at {recorded:g} Hz; compare "
                "runs of one robot at one rate"
            )
    log = read_run(real.bag, real.experiment)
    plants = {name: plant_from_experiment(experiment) for name, experiment in simulated.items()}
    known = replay.Recorded(log, real.experiment)
    period = real.experiment.control_period
    starts = replay.window_starts(log, arguments.window, arguments.every, arguments.start)
    ticks = max(round(arguments.window / period), 2)
    found = {
        name: replay.replay(log, known, plant, starts, ticks) for name, plant in plants.items()
    }
    print(gaps.table({name: gaps.summary(one) for name, one in found.items()}))
    title = f"{arguments.real} in simulation"
    out, name = arguments.out, f"{arguments.out.stem}_growth"
    chart = {name: gaps.growth(found, period)}
    images = write_figures(out.parent, chart, arguments.format or ())
    write_text(out, gaps.page(title, found, period, images[name]))
    print(out)


def _variants(arguments: argparse.Namespace) -> dict[str, Scenario]:
    """The scenarios to simulate, by name."""
    from boa_control.experiments.change import changed
    from boa_control.experiments.library import load_scenario
    from boa_control.experiments.own_files import require_trust
    from boa_tools.runs.results import SCENARIO

    folder = Path(arguments.sim)
    if folder.is_dir():
        scenario = load_scenario(str(folder / SCENARIO), trusted=True)
        require_trust(scenario, folder, arguments.trust)
    else:
        scenario = load_scenario(arguments.sim, arguments.trust)
    if arguments.robot is not None:
        scenario = changed(scenario, {"robot": {"name": arguments.robot}})
    if arguments.gearbox is None:
        return {arguments.robot or arguments.sim: scenario}
    gears = scenario.plant.effects.gears
    return {
        model: changed(
            scenario, {"plant.effects.gearbox": {"model": model, "backlash": gears.backlash or 0.0}}
        )
        for model in arguments.gearbox
    }
