# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of whole control ticks: controllers, plant, gate."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from boa_control.controllers import CONTROLLERS
from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario, scenario_names
from boa_control.experiments.scenario import Scenario
from boa_control.priority import freeze_memory, search_seldom
from boa_control.safety.command import Command
from boa_control.safety.gate import GateSettings, arm, gate, initial_state
from boa_sim.factory import plant_from_experiment
from boa_tools.bags.ticks import bag_sink
from boa_tools.bench.physics import StepClock
from boa_tools.bench.result import Result, from_times, time_calls
from boa_tools.bench.turns import in_turns
from boa_tools.runs.block import BLOCK

DEFAULT_SCENARIO = "boa_circle"
CONTROL_TARGET = 200.0  # us, median, 13 links
SIMULATED = 4.0  # s, per controller, after its start-up
STEPS = 100  # of a controller whose median is compared with the units
DISPLACED = "boa_offset_15mm"
PITCHES = 0.08  # m of path per link behind the middle of the chain: half a pitch and some more
WINDOW = 2 * BLOCK  # ticks over which the time of one is averaged
WINDOWS = 20  # the median of fewer was once twice what it should be: a busy host for two seconds


def controllers() -> Iterator[Result]:
    """Step time of every controller in the first shipped scenario with it; 13 links preferred."""
    clock = StepClock()
    for name in CONTROLLERS:
        scenario = _scenario_for(name)
        if scenario is None:
            continue
        experiment, settled = _under_way(load_scenario(scenario))
        target = CONTROL_TARGET if experiment.robot.links == 13 else None
        what = f"step of controller {name}, {experiment.robot.links} links"
        turns = in_turns(experiment, clock, settled, STEPS)
        yield turns.step_result(f"control_step/{name}", what, target)


def chains() -> Iterator[Result]:
    """Step time of hoal over the number of links, with the exact map and with displaced posts."""
    clock = StepClock()
    for scenario, links in (
        (DEFAULT_SCENARIO, 13),
        ("boa20_circle", 20),
        ("boa_straight", 50),
        ("boa_straight", 100),
        (DISPLACED, 13),
    ):
        loaded = load_scenario(scenario)
        if links > 20:  # a longer chain on a path for a shorter one begins further along it
            robot = loaded.robot.model_copy(update={"links": links})
            initial = loaded.initial.model_copy(update={"progress": PITCHES * links})
            loaded = loaded.model_copy(update={"robot": robot, "initial": initial})
        experiment, settled = _under_way(loaded)
        name = "displaced" if scenario == DISPLACED else f"{links}_links"
        what = f"step of hoal, {links} links on {scenario}"
        turns = in_turns(experiment, clock, settled, STEPS)
        yield turns.step_result(f"control_step/{name}", what)


def whole_run() -> Iterator[Result]:
    """One control tick of a run with everything: plant, controller, gate, log; then a bag, too."""
    clock = StepClock()
    for name, what, in_bag in (
        ("tick/boa_circle", "one control tick of boa run, log, no bag", False),
        ("tick/boa_circle_bag", "the same with a bag", True),
    ):
        loaded = load_scenario(DEFAULT_SCENARIO)
        experiment, settled = _under_way(loaded, WINDOWS * WINDOW / loaded.plant.control_rate)
        with (
            tempfile.TemporaryDirectory() as scratch,
            bag_sink(Path(scratch) / "bag" if in_bag else None, experiment) as sinks,
        ):
            freeze_memory()  # as `boa run` does
            search_seldom()
            # log and bag are written in blocks: single ticks would hide them
            yield in_turns(experiment, clock, settled, WINDOW, sinks).tick_result(name, what)


def _under_way(loaded: Scenario, seconds: float = SIMULATED) -> tuple[Experiment, int]:
    """An experiment that lasts so long after its start-up, and how many ticks that takes."""
    settle = loaded.evaluation.settle
    changes = {"duration": settle + seconds, "distance": None}
    experiment = prepare(loaded.model_copy(update=changes))
    return experiment, round(settle / experiment.control_period)


def physics() -> Iterator[Result]:
    """The world alone, and the simulated plant around it."""
    experiment = _experiment()
    plant = plant_from_experiment(experiment)
    torque = np.zeros(experiment.robot.joints)
    yield from_times(
        "physics_step/boa_circle",
        "one physics step, 13 links",
        time_calls(lambda: plant.world.advance(torque), 2000),
    )
    plant.reset()
    frame = plant.read()

    def tick() -> None:
        plant.read()
        plant.write(torque)

    yield from_times(
        "plant_tick/boa_circle", "read and write of the simulated plant", time_calls(tick, 1000)
    )
    plant.close()

    settings = GateSettings.of(experiment.robot, plant.control_period_ns)
    state = arm(initial_state(settings), frame, frame.stamp_ns, settings)
    command = Command(torque + 0.5, frame.stamp_ns)
    calls = time_calls(lambda: gate(state, frame, command, frame.stamp_ns, settings), 2000)
    yield from_times("gate", "the torque gate, 12 joints", calls)


def _scenario_for(controller: str) -> str | None:
    names = [name for name in scenario_names() if load_scenario(name).controller.name == controller]
    if DEFAULT_SCENARIO in names:
        return DEFAULT_SCENARIO
    full = [name for name in names if load_scenario(name).robot.name == "boa13"]
    return next(iter(full or names), None)


def _experiment() -> Experiment:
    scenario = load_scenario(DEFAULT_SCENARIO).model_copy(
        update={"duration": SIMULATED, "distance": None}
    )
    return prepare(scenario)
