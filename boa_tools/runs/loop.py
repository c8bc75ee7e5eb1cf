# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop of a run, one tick at a time. One control tick of a run: what was measured,
answered, applied and true.
"""

from time import perf_counter, perf_counter_ns
from typing import NamedTuple, Protocol

from boa_control.controller import Controller, ControlOutput
from boa_control.experiments.ending import Ending
from boa_control.experiments.experiment import Experiment
from boa_control.plant import GroundTruth, Plant, SensorFrame, truth_of
from boa_control.safety.command import Command
from boa_control.safety.ended import Ended, Reason
from boa_control.safety.faults import Fault
from boa_control.safety.supervisor import Supervisor
from boa_control.safety.trips import Trip, trips_of
from boa_description.arrays import Array

CHECK_EVERY = 10  # ticks between two checks of the distance


class Tick(NamedTuple):
    """One control tick.

    Attributes:
        frame: what the robot measured.
        output: the controller's answer to it.
        applied: shape (n_joints,), torque that passed the gate, N m.
        truth: of the time of `frame`; None on a robot.
        trips: protective events of the gate that began at this tick.
        control_step_us: duration of the controller's step; NaN where unknown.
        wall_s: wall-clock time since the first tick; NaN where unknown.
    """

    frame: SensorFrame
    output: ControlOutput
    applied: Array
    truth: GroundTruth | None = None
    trips: tuple[Trip, ...] = ()
    control_step_us: float = float("nan")
    wall_s: float = float("nan")


class Watcher(Protocol):
    """Sees every tick of a run as soon as it is over: a live view."""

    def add(self, tick: Tick) -> None:
        """See one tick."""


class ClosedLoop:
    """Plant, gate and controller of an experiment; whoever steps it decides what else is done
    between two ticks.

    Attributes:
        supervisor: of the plant; may be armed and disarmed in between.
        ticks: so far.
        ended: why the run is over; None while it goes on.
    """

    def __init__(self, experiment: Experiment, plant: Plant, controller: Controller) -> None:
        """Nothing has happened yet; the plant is disarmed."""
        self.supervisor = Supervisor(plant)
        self.ticks = 0
        self.ended: Ended | None = None
        self._controller = controller
        self._ending = Ending(experiment)
        self._most = round(experiment.scenario.duration / experiment.control_period)
        self._start = perf_counter()

    def step(self) -> Tick:
        """One tick; arms at the first.

        Raises:
            PlantError: the plant is gone; it has been disarmed.
            ControllerError: the controller raised, or gave no answer.
        """
        tick, fault = self._tick()
        self.ended = self._end(tick, fault)
        self.ticks += 1
        if self.ended is None and self.ticks == self._most:
            self.ended = Ended(Reason.DURATION)
        return tick

    def _tick(self) -> tuple[Tick, Fault | None]:
        supervisor = self.supervisor
        frame = supervisor.read()
        if self.ticks == 0:
            supervisor.arm()
        truth = truth_of(supervisor.plant)
        before = perf_counter_ns()
        output = self._controller.step(frame)
        spent_us = (perf_counter_ns() - before) * 1e-3
        decision = supervisor.apply(Command(output.torque, frame.stamp_ns))
        wall = perf_counter() - self._start
        tick = Tick(frame, output, decision.torque, truth, trips_of(decision), spent_us, wall)
        return tick, decision.faults[0] if decision.faults else None

    def _end(self, tick: Tick, fault: Fault | None) -> Ended | None:
        """Why the run ends with this tick, before its duration is over."""
        if fault is not None:
            return Ended.by(fault)
        if tick.output.events:
            self._ending.take(tick.output.events)
        reason = None if tick.truth is None else self._ending.exceeded(tick.truth)
        if reason is None and self.ticks % CHECK_EVERY == 0:
            reason = self._ending.reached(tick.truth)
        return None if reason is None else Ended(reason)
