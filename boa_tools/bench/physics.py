# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The unit of the benchmarks: one `mj_step` of the robot under way among its posts. Steps of the
engines on the way, each in the middle of a run of its scenario, and a whole run in space.
"""

from collections.abc import Iterator
from functools import partial
from time import process_time

import numpy as np

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_description.arrays import Array
from boa_sim.engines.mujoco.timing import State, state_of, step_times
from boa_sim.engines.mujoco.world import MujocoWorld
from boa_sim.factory import plant_from_experiment
from boa_tools.bench.result import Result, from_times, time_calls
from boa_tools.runs.drive import drive, run_experiment
from boa_tools.runs.loop import Tick

STEPS = 400
SPACE = "cobra_vertical"
SPACE_PERIOD = 2000.0  # us, of its control loop
FASTER = 5.0  # than real time a run in space should be
WARM_UP = 0.2  # s of a run before it, which loads what it needs
# scenario, engine, physics step (s), target of the median, us
CASES = (
    ("boa_circle", "moreau", 0.001, None),
    ("cobra_vertical_moreau", "moreau", 0.001, 6000.0),
    ("cobra_vertical_moreau", "moreau_convex", 0.001, 2000.0),
    ("cobra_vertical", "mujoco", 0.001, None),
)
SCENARIO = "boa_circle"
SIMULATED = 5.0  # s; it holds the posts after four
EVERY = 5  # ticks between two states that are kept


def engines() -> Iterator[Result]:
    """One step of the plant's world with the torque of the last tick."""
    for name, engine, physics_step, target in CASES:
        scenario = load_scenario(name)
        settings = scenario.plant.model_copy(
            update={"engine": engine, "physics_step": physics_step}
        )
        update = {"plant": settings, "duration": SIMULATED, "distance": None}
        experiment = prepare(scenario.model_copy(update=update))
        plant = plant_from_experiment(experiment)
        log = drive(experiment, plant, build_controller(experiment)).log
        torque = np.ascontiguousarray(log.applied[-1])
        world = plant.world
        times = time_calls(partial(world.advance, torque), STEPS)
        step = f"{1e3 * world.step:g} ms"
        yield from_times(
            f"engine_step/{engine}/{name}", f"one step of {step} on the way", times, target
        )
    yield _run_in_space()


def _run_in_space() -> Result:
    """Processor time of a tick of `boa run` with everything but a bag: a busy machine does not
    count.
    """
    short, experiment = (
        prepare(load_scenario(SPACE).model_copy(update={"duration": duration}))
        for duration in (WARM_UP, SIMULATED)
    )
    run_experiment(short)
    before = process_time()
    ticks = run_experiment(experiment).log.ticks
    spent = (process_time() - before) * 1e6 / ticks
    what = f"processor time of a tick in space, no bag: {SPACE_PERIOD / spent:.1f} x real time"
    return Result(f"tick/{SPACE}", what, spent, np.nan, SPACE_PERIOD / FASTER)


class StepClock:
    """Measures `mj_step` in states of a run of `boa_circle`."""

    def __init__(self) -> None:
        loaded = load_scenario(SCENARIO)
        experiment = prepare(loaded.model_copy(update={"duration": SIMULATED, "distance": None}))
        plant = plant_from_experiment(experiment)
        assert isinstance(plant.world, MujocoWorld)
        self._world = plant.world
        self._states: list[State] = []
        self._ticks = 0
        drive(experiment, plant, build_controller(experiment), watchers=[self])

    def add(self, _: Tick) -> None:
        """Keep the state of some ticks."""
        if self._ticks % EVERY == 0:
            self._states.append(state_of(self._world))
        self._ticks += 1

    def times(self) -> Array:
        """Of one `mj_step` in the last second of the run, us, three times over."""
        return step_times(self._world, 3 * self._last)

    def one(self) -> float:
        """Of one `mj_step` in the next state of these, us."""
        self._ticks += 1
        return float(step_times(self._world, [self._last[self._ticks % len(self._last)]])[0])

    @property
    def _last(self) -> list[State]:
        return self._states[-round(len(self._states) / SIMULATED) :]
