# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A scenario as an environment of gymnasium: the closed loop of `boa run` with a learner in place
of the controller. Plant, sensors, effects, gate and metrics are the same objects. Rewards from
metrics.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from boa_control.controller import ControlOutput
from boa_control.controllers.policy.interface import PolicyInterface, Translator
from boa_control.experiments.build import briefing, relief_of, without_plan
from boa_control.experiments.change import changed, is_whole_number, known_keys
from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.plant import PlantError, SensorFrame
from boa_control.safety.ended import Ended, Reason
from boa_control.safety.faults import plant_fault
from boa_control.safety.frame_guard import FrameGuard
from boa_description.errors import BoaError, unknown_name
from boa_sim.factory import plant_from_experiment
from boa_sim.plant import SimulatedPlant
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric import Metric
from boa_tools.evaluation.metric_table import FURTHER, METRICS
from boa_tools.runs.block import Gathering
from boa_tools.runs.loop import ClosedLoop, Tick
from boa_tools.runs.recording import Recording

Values = NDArray[np.float32]
Ranges = Mapping[str, tuple[float, float]]
PLANT_SEED = "plant_seed"  # option of `reset`


class Reward:
    """Sum of weights times metrics of the ticks of a step; one that is unknown adds nothing.

    Ways and energies of steps add up to those of the run; a peak is that of each step.
    """

    def __init__(self, weights: Mapping[str, float], scenario: Scenario) -> None:
        """`weights` by the key of the metric, per its SI unit.

        Raises:
            BoaError: no such metric, or one that needs `evaluation.heading`.
        """
        known = METRICS | FURTHER
        for key in weights:
            if key not in known:
                raise unknown_name("metric", key, known)
            if key.startswith("advance") and scenario.evaluation.heading is None:
                raise BoaError(
                    f"reward {key}: scenario {scenario.name} says not where to; give "
                    "evaluation: {heading: ...}"
                )
        self._terms: list[tuple[Metric[Any], float]] = [
            (known[key], weight) for key, weight in weights.items()
        ]

    def of(self, ticks: Sequence[Tick], experiment: Experiment) -> float:
        """The reward of consecutive ticks; the first is the last one of the step before."""
        recording = Recording(experiment.robot)
        gathering = Gathering((recording,))
        for tick in ticks:
            gathering.add(tick)
        gathering.flush()
        run = Analysis(recording.log(), experiment)
        values = [(metric.compute(run), weight) for metric, weight in self._terms]
        return sum(weight * float(value) for value, weight in values if value is not None)


class Learner:
    """The controller that an environment puts into the loop: its actions come from outside."""

    def __init__(self, translator: Translator) -> None:
        self._translator = translator

    def reset(self) -> None:
        """The next frame is the first of a new run."""
        self._translator.reset()

    def step(self, frame: SensorFrame) -> ControlOutput:
        """Torques of the last action."""
        return ControlOutput(self._translator.torque(frame))


class BoaEnv(gymnasium.Env[Values, Values]):
    """One scenario. Observations are made of `SensorFrame` alone, in SI units, as `interface` says;
    actions, one for each joint, lie in -1 to 1. A step is the time between two decisions.

    An episode is terminated by the torque gate, a limit of `evaluation.stop`, a standstill, or the
    end of the way; truncated by the scenario's duration. `info["ended"]` says which.
    """

    def __init__(
        self,
        scenario: Scenario | str,
        interface: PolicyInterface | None = None,
        reward: Mapping[str, float] | None = None,
        randomise: Ranges | None = None,
    ) -> None:
        """Check everything that can be wrong; the first world is built by `reset`.

        Args:
            scenario: or its name, or its file.
            reward: weight of each metric; None: 1 per metre of `advance_m`.
            randomise: least and largest value of keys of the scenario, e.g.
                {"scene.ground.mu": (0.01, 0.05)}; every episode draws each anew, evenly.

        Raises:
            BoaError: no such scenario, key or metric; a value that the scenario refuses.
        """
        self._scenario = load_scenario(scenario) if isinstance(scenario, str) else scenario
        self._interface = interface or PolicyInterface()
        self._reward = Reward({"advance_m": 1.0} if reward is None else reward, self._scenario)
        self._ranges = dict(randomise or {})
        for key, ends in self._ranges.items():
            if len(ends) != 2 or not ends[0] <= ends[1]:
                raise BoaError(f"randomise {key}: {ends!r}; (least, largest) is wanted")
        width, joints = self._sizes(self._scenario)
        for end in (0, 1):
            values = {key: ends[end] for key, ends in self._ranges.items()}
            if self._sizes(changed(self._scenario, values)) != (width, joints):
                raise BoaError(
                    f"randomise: {values} changes the {joints} joints or the {width} numbers that "
                    "are observed, of which an environment has always as many; leave it out"
                )
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (width,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (joints,), np.float32)
        self._plant: SimulatedPlant | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Values, dict[str, Any]]:
        """Begin an episode with new draws of ranges and disturbances; `options={"plant_seed": k}`
        takes the disturbances of `boa run --seed k`.
        """
        super().reset(seed=seed)
        drawn = {key: self._draw(key, *ends) for key, ends in self._ranges.items()}
        plant_seed = int(self.np_random.integers(2**31))
        if options is not None:
            plant_seed = int(options.get(PLANT_SEED, plant_seed))
        self.close()
        self._experiment = self._prepared(changed(self._scenario, drawn))
        self._translator = Translator(self._interface, briefing(self._experiment))
        self._plant = plant_from_experiment(self._experiment, plant_seed)
        names, relief = self._experiment.robot.joint_names, relief_of(self._experiment)
        learner = FrameGuard(Learner(self._translator), names, relief)
        self._loop = ClosedLoop(self._experiment, self._plant, learner)
        self._last: tuple[Tick, ...] = ()
        return self._observe(self._plant), {PLANT_SEED: plant_seed, "randomised": drawn}

    def step(self, action: Values) -> tuple[Values, float, bool, bool, dict[str, Any]]:
        """Let the action act until the next decision.

        Raises:
            BoaError: before `reset`, or after the end of the episode; an action of another shape.
        """
        plant = self._plant
        if plant is None or self._loop.ended is not None:
            raise BoaError("BoaEnv: step without an episode that goes on; call reset first")
        given, wanted = np.asarray(action, float), self.action_space.shape
        if given.shape != wanted:
            raise BoaError(f"BoaEnv: an action of shape {given.shape}; {wanted} is wanted")
        self._translator.decide(given)
        ticks = list(self._last)
        ended = self._run(ticks)
        reward = self._reward.of(ticks, self._experiment) if ticks else 0.0
        self._last = tuple(ticks[-1:])
        info = {} if ended is None else {"ended": f"{ended}"}
        truncated = ended is not None and ended.reason is Reason.DURATION
        terminated = ended is not None and not truncated
        return self._observe(plant), reward, terminated, truncated, info

    @property
    def physics_steps(self) -> int:
        """Physics steps in one step."""
        return self._translator.every * self._scenario.plant.substeps

    def close(self) -> None:
        """Give the world back."""
        if self._plant is not None:
            self._plant.close()
            self._plant = None

    def _run(self, ticks: list[Tick]) -> Ended | None:
        """Add the ticks of a step; why the run ended with them."""
        loop = self._loop
        try:
            for _ in range(self._translator.every):
                ticks.append(loop.step())
                if loop.ended is not None:
                    break
        except PlantError as error:
            loop.ended = Ended.by(plant_fault(str(error)))
        return loop.ended

    def _observe(self, plant: SimulatedPlant) -> Values:
        return self._translator.observe(plant.read()).astype(np.float32)

    def _sizes(self, scenario: Scenario) -> tuple[int, int]:
        """Numbers of an observation, and joints."""
        experiment = self._prepared(scenario)
        return Translator(self._interface, briefing(experiment)).width, experiment.robot.joints

    def _prepared(self, scenario: Scenario) -> Experiment:
        """The experiment as a learner meets it; metrics of a step know no start-up."""
        evaluation = scenario.evaluation.model_copy(update={"settle": 0.0})
        return without_plan(prepare(scenario.model_copy(update={"evaluation": evaluation})))

    def _draw(self, key: str, least: float, most: float) -> float | int:
        if self._is_whole(key, least, most):
            return int(self.np_random.integers(int(least), int(most), endpoint=True))
        return float(self.np_random.uniform(least, most))

    def _is_whole(self, key: str, *ends: float) -> bool:
        """By its declaration; entries of lists, which have none, by their ends."""
        if key in known_keys(self._scenario):
            return is_whole_number(self._scenario, key)
        return all(isinstance(end, int) for end in ends)
