# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The unit of the benchmarks: one `mj_step` of the robot under way among its posts."""

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_description.arrays import Array
from boa_sim.engines.mujoco.timing import State, state_of, step_times
from boa_sim.engines.mujoco.world import MujocoWorld
from boa_sim.factory import plant_from_experiment
from boa_tools.bench.engines import SIMULATED
from boa_tools.runs.drive import drive
from boa_tools.runs.loop import Tick

SCENARIO = "boa_circle"
EVERY = 5  # ticks between two states that are kept


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
