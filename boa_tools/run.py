"""Run an experiment in one process, without ROS, as fast as it goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter, perf_counter_ns

import numpy as np
from numpy.typing import NDArray

from boa_control.controller import Controller
from boa_control.experiment import Experiment, build_controller
from boa_control.gate import GateDecision
from boa_control.plant import GroundTruth, Plant, PlantError
from boa_control.supervisor import Supervisor
from boa_tools.path_projection import PathTracker
from boa_tools.recording import Recording
from boa_tools.runlog import RunLog

Array = NDArray[np.float64]
Progress = Callable[[float], None]
"""Called now and then with the time simulated so far, s."""

LOOK_EVERY = 10  # ticks between looks at progress and distance


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run log, and why the run ended: "duration", "distance", "fault: ..." or "interrupted"."""

    log: RunLog
    ended: str


def run_experiment(experiment: Experiment, seed: int = 0, progress: Progress | None = None) -> RunResult:
    """Simulate an experiment.

    Args:
        seed: of everything random in the plant; the same seed gives the same run, bit for bit.

    Raises:
        BoaError: the scenario's controller or plant cannot be built.
    """
    from boa_sim.build import plant_from_experiment

    controller = build_controller(experiment)
    plant = plant_from_experiment(experiment, seed)
    try:
        return drive(experiment, plant, controller, progress)
    finally:
        plant.close()


def drive(experiment: Experiment, plant: Plant, controller: Controller, progress: Progress | None = None) -> RunResult:
    """Arm the plant and let the controller drive it until the duration, the distance, a fault or Ctrl-C."""
    scenario = experiment.scenario
    ticks = round(scenario.duration / experiment.control_period)
    recording = Recording(experiment.robot.joints, ticks)
    supervisor = Supervisor(plant)
    arrived = _arrival(experiment)
    start = perf_counter()
    try:
        for k in range(ticks):
            frame = supervisor.read()
            if k == 0:
                supervisor.arm()
            truth = _truth(plant)
            before = perf_counter_ns()
            output = controller.step(frame)
            spent_us = (perf_counter_ns() - before) * 1e-3
            decision = supervisor.apply(output.torque, frame.stamp_ns, frame.stamp_ns)
            recording.tick(frame, output, decision.torque, truth, spent_us, perf_counter() - start)
            for text in _trips(decision):
                recording.trip(frame.stamp_ns, text)
            if decision.faults:
                return RunResult(recording.log(), f"fault: {decision.faults[0]}")
            if k % LOOK_EVERY == 0:
                if progress is not None:
                    progress(k * experiment.control_period)
                if arrived(truth):
                    return RunResult(recording.log(), "distance")
    except KeyboardInterrupt:
        return RunResult(recording.log(), "interrupted")
    except PlantError as error:
        return RunResult(recording.log(), f"fault: {error}")
    return RunResult(recording.log(), "duration")


def _trips(decision: GateDecision) -> list[str]:
    """Names of the protective events of this tick, faults with their whole message."""
    messages = {str(fault.name): str(fault) for fault in decision.faults}
    return [messages.get(name, name) for name in decision.trips]


def _truth(plant: Plant) -> GroundTruth | None:
    truth = getattr(plant, "truth", None)
    return None if truth is None else truth()


def _arrival(experiment: Experiment) -> Callable[[GroundTruth | None], bool]:
    """Return the test whether the wanted distance has been travelled (by the middle joint, along the path)."""
    distance, path = experiment.scenario.distance, experiment.path
    if distance is None or path is None or experiment.start_progress is None:
        return lambda _: False
    goal = experiment.start_progress + distance
    tracker = PathTracker(path.curve, experiment.start_progress)
    pitch, middle = experiment.robot.link.pitch, experiment.robot.links // 2

    def arrived(truth: GroundTruth | None) -> bool:
        if truth is None:
            return False
        theta = truth.base[2] + np.concatenate(([0.0], np.cumsum(truth.joint_position[: middle - 1])))
        point = truth.base[:2] + pitch * np.array([np.cos(theta).sum(), np.sin(theta).sum()])
        return tracker.update(point) >= goal

    return arrived
