# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run an experiment in one process, without ROS, as fast as it goes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from boa_control.controller import Controller
from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import Experiment
from boa_control.plant import Plant, PlantError
from boa_control.safety.controller_error import ControllerError
from boa_control.safety.ended import Ended, Reason
from boa_control.safety.faults import plant_fault
from boa_control.safety.supervisor import Supervisor
from boa_tools.runs.block import Gathering, Sink
from boa_tools.runs.loop import ClosedLoop, Watcher
from boa_tools.runs.recording import Recording
from boa_tools.runs.runlog import RunLog

Progress = Callable[[float], None]
"""Called now and then with the time simulated so far, s."""

PROGRESS_EVERY = 10  # ticks between two reports of progress


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run log, and why the run ended.

    Attributes:
        trace: last lines of the traceback of a controller that raised; else empty.
    """

    log: RunLog
    ended: Ended
    trace: str = ""

    def require_ticks(self) -> None:
        """There is something to keep.

        Raises:
            KeyboardInterrupt: it was stopped before the first tick.
            PlantError: a fault was there before.
        """
        if self.log.ticks:
            return
        if self.ended.fault is None:
            raise KeyboardInterrupt
        raise PlantError(str(self.ended))

    @property
    def cut_short(self) -> str:
        """For people: what ended the run before its time; empty where nothing did."""
        passed = f"after {self.log.time[-1]:.2f} s of simulated time"
        if self.ended.reason is Reason.INTERRUPTED:
            return f"interrupted {passed}; keeping the results so far"
        return f"ended {passed} by a {self.ended}" if self.ended.fault is not None else ""


def run_experiment(experiment: Experiment, seed: int = 0, sinks: Sequence[Sink] = ()) -> RunResult:
    """Simulate an experiment from its start to its end.

    Args:
        seed: of everything random in the plant; the same seed gives the same run, bit for bit.
        sinks: what else takes the ticks, e.g. a bag.

    Raises:
        BoaError: the scenario's controller or plant cannot be built.
    """
    from boa_sim.factory import plant_from_experiment

    controller = build_controller(experiment)
    plant = plant_from_experiment(experiment, seed)
    try:
        return drive(experiment, plant, controller, sinks=sinks)
    finally:
        plant.close()


def drive(
    experiment: Experiment,
    plant: Plant,
    controller: Controller,
    progress: Progress | None = None,
    sinks: Sequence[Sink] = (),
    stop: Callable[[], bool] = lambda: False,
    before_tick: Callable[[Supervisor], None] = lambda _: None,
    watchers: Sequence[Watcher] = (),
) -> RunResult:
    """Arm the plant and let the controller drive it until its end, a fault or `stop`.

    Args:
        progress: called now and then with the time simulated so far, s.
        sinks: what else takes the ticks, in blocks, e.g. a bag.
        stop: called before every tick; whether to end the run.
        before_tick: called before that; may disarm or arm, wait, steer the controller.
        watchers: what sees every tick at once, e.g. a live view.
    """
    recording = Recording(experiment.robot)
    gathering = Gathering((recording, *sinks))
    loop = ClosedLoop(experiment, plant, controller)

    def run() -> Ended:
        while loop.ended is None:
            before_tick(loop.supervisor)
            if stop():
                return Ended(Reason.INTERRUPTED)
            tick = loop.step()
            gathering.add(tick)
            for watcher in watchers:
                watcher.add(tick)
            if progress is not None and loop.ticks % PROGRESS_EVERY == 0:
                progress(loop.ticks * experiment.control_period)
        return loop.ended

    trace = ""
    try:
        ended = run()
    except PlantError as error:
        ended = Ended.by(plant_fault(str(error)))
    except ControllerError as failure:
        ended, trace = Ended.by(failure.fault()), failure.trace
    finally:
        loop.supervisor.disarm()
        gathering.flush()
    if progress is not None and ended.reason is Reason.DURATION:
        progress(experiment.scenario.duration)
    return RunResult(recording.log(), ended, trace)
