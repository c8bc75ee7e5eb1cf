"""Benchmarks of whole control ticks: controllers, plant, gate."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boa_control.controllers import CONTROLLERS
from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario, scenario_names
from boa_control.safety.command import Command
from boa_control.safety.gate import GateSettings, arm, gate, initial_state
from boa_sim.factory import plant_from_experiment
from boa_tools.bench.result import Result, from_times, time_calls
from boa_tools.runs.drive import run_experiment

DEFAULT_SCENARIO = "boa_circle"
CONTROL_TARGET = 200.0  # us, median, 13 links
SIMULATED = 2.0  # s, per controller, after its start-up


def controllers() -> Iterator[Result]:
    """Step time of every controller in the first shipped scenario with it; 13 links preferred."""
    for name in CONTROLLERS:
        scenario = _scenario_for(name)
        if scenario is None:
            continue
        loaded = load_scenario(scenario)
        settle = loaded.evaluation.settle
        experiment = prepare(
            loaded.model_copy(update={"duration": settle + SIMULATED, "distance": None})
        )
        log = run_experiment(experiment).log
        started = round(settle / experiment.control_period)
        target = CONTROL_TARGET if experiment.robot.links == 13 else None
        what = f"step of controller {name}, {experiment.robot.links} links"
        yield from_times(f"control_step/{name}", what, log.control_step_us[started:], target)


def whole_run() -> Iterator[Result]:
    """One control tick of a run with everything: plant, controller, gate, log."""
    experiment = _experiment()
    log = run_experiment(experiment).log
    ticks = np.diff(log.wall_s) * 1e6
    yield from_times("tick/boa_circle", "one control tick of boa run, without bag", ticks)


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
