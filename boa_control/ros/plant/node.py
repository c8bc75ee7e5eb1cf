# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Node /boa/plant: any plant, the simulation or the robot, behind the same topics and services.

One tick: read the plant, publish what it measured, wait for the torque command, pass it through the
torque gate to the plant. In lockstep the wait ends only with the command that answers this very
tick, so a run does not depend on the speed of the machine; otherwise it ends with the tick, and the
newest command counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from time import perf_counter

from rclpy.node import Node

from boa_control.event_text import text_of
from boa_control.events import Event, EventKind, PlantState
from boa_control.experiments.ending import Ending
from boa_control.experiments.experiment import Experiment
from boa_control.messages.cdr import MessageError
from boa_control.messages.events import CONTROLLER, decode_events
from boa_control.messages.topics import EVENT_STATUS
from boa_control.plant import GroundTruth, Plant, PlantError, SensorFrame, truth_of
from boa_control.ros.endpoints import Mailbox
from boa_control.ros.plant.inbox import CommandInbox
from boa_control.ros.plant.intervention import SimulationInputs
from boa_control.ros.plant.lifecycle import PlantLifecycle
from boa_control.ros.plant.options import PlantOptions
from boa_control.ros.plant.pacing import Pacer
from boa_control.ros.plant.partners import Partners
from boa_control.ros.plant.report import PARTNER_PATIENCE, PlantReport
from boa_control.ros.plant.services import offer_services
from boa_control.ros.plant.topics import PlantTopics
from boa_control.ros.plant.torque_cap import offer_torque_cap
from boa_control.ros.plant.transforms import plant_transforms
from boa_control.ros.runtime import FAILED, Spin
from boa_control.safety.command import Command
from boa_control.safety.ended import Ended, Reason
from boa_control.safety.faults import Fault, plant_fault
from boa_control.safety.gate import GateDecision
from boa_control.safety.lifecycle import State, state_of
from boa_control.safety.supervisor import Supervisor

ANSWER_SHARE = 0.8  # of the control period that a robot's tick waits for its answer
DISTANCE_EVERY = 10  # ticks between checks of what the controller tells, and of the distance
# ticks that a run may be ahead of its recorder: below the depth of every topic. With 100, two of
# four runs at 1000 Hz on a busy machine lost messages; they are then 0.9 MB, and the shared memory
# of a DDS participant holds 0.5 MB, which may be why
RECORDER_WINDOW = 40
PAUSED_PERIOD = 0.05  # s between two clock messages of the same time, for those who start then


class PlantNode:
    """One plant behind ROS. A `Program` for `boa_control.ros.runtime.run`; implements
    `PlantVerbs`.
    """

    def __init__(
        self, node: Node, plant: Plant, experiment: Experiment, options: PlantOptions
    ) -> None:
        self.node = node
        self.nodes = (node,)
        self._plant = plant
        self._experiment = experiment
        self._options = options
        self._period_s = plant.control_period_ns * 1e-9
        simulated = plant.simulation is not None
        self._supervisor = Supervisor(plant)
        self._supervisor.cap_torque(options.torque_cap)
        offer_torque_cap(node, self._supervisor)
        transforms = plant_transforms(node, plant.robot, options.publish_tf, options.base_link)
        self._topics = PlantTopics(node, experiment, simulated, options, transforms)
        self._report = PlantReport(
            node, self._topics, plant.robot, options.duration, options.diagnostics_rate
        )
        self._inbox = CommandInbox(plant.robot)
        self._partners = Partners(node, self._topics, self._report, options, self._on_command)
        # of the controller: whether it starts, and its new paths, over which a distance counts on
        self._events = Mailbox(node, EVENT_STATUS)
        self._pacer = Pacer(self._period_s / options.speed if options.speed else None)
        self._paused = False
        self._configured = True
        self._finalized = False
        self._steps = 0
        self._resets = 0
        self._begin()
        offer_services(node, self, simulated)
        self._inputs = self._offer_inputs(node)
        self._lifecycle = PlantLifecycle(node, self, lambda: self._stamp)
        self._follow()

    def _offer_inputs(self, node: Node) -> SimulationInputs | None:
        """Requests that only a simulation can serve."""
        simulation = self._plant.simulation
        if simulation is None:
            return None
        return SimulationInputs(
            node,
            self._plant.robot,
            simulation,
            lambda event: self._report.say(self._stamp, event),
            self._report.refused,
        )

    def _begin(self) -> None:
        """A run from its first tick."""
        self._frame: SensorFrame | None = None
        self._first_ns = self._read_ns = self._ticks = 0
        self._ends_by_fault = self._options.arm
        self._wants_arming = self._options.arm and self._configured
        self._ending = Ending(self._experiment)
        self._events.take()  # those that waited are of the run before

    # the run

    def run(self, spin: Spin, told_to_stop: Callable[[], bool]) -> int:
        """Tick until the end of the run or until told to stop."""

        def stopped() -> bool:
            return told_to_stop() or self._finalized

        self._partners.wait_until_they_listen(spin, stopped)
        self._pacer.restart()
        ended: Ended | None = None
        while ended is None and not stopped():
            if self._paused and not self._steps:
                self._topics.flush()
                if self._frame is not None:
                    self._topics.clock(self._stamp)
                spin(PAUSED_PERIOD)
                self._pacer.restart()
                continue
            self._steps = max(0, self._steps - 1)
            try:
                ended = self._tick(spin, stopped)
            except PlantError as error:
                ended = Ended.by(plant_fault(str(error)))
        self._supervisor.disarm()
        self._topics.flush()
        ended = ended or Ended(Reason.STOPPED)
        self._report.ended(self._stamp, ended, self._supervisor.status)
        self._partners.wait_for_recorder(self._stamp, spin, told_to_stop, PARTNER_PATIENCE)
        return FAILED if ended.fault is not None else 0

    def _tick(self, spin: Spin, stopped: Callable[[], bool]) -> Ended | None:
        """One control tick; returns why the run ended, if it did."""
        begin = perf_counter()
        frame = self._supervisor.read()
        self._read_ns = self._plant.now_ns()
        self._first_ns = frame.stamp_ns if self._frame is None else self._first_ns
        self._frame = frame
        self._topics.frame(frame)
        truth = truth_of(self._plant)
        if truth is not None:
            self._topics.truth(truth)
        self._topics.views(frame, truth)
        spent = perf_counter() - begin

        resets = self._resets
        command = self._wait_for_command(frame, spin, stopped)
        if stopped() or resets != self._resets:
            return None
        begin = perf_counter()
        decision = self._apply(frame, command)
        self._ticks += 1
        loop_us = (spent + perf_counter() - begin) * 1e6
        self._report.tick(
            frame, self._supervisor.status, loop_us, self._counters, self._plant.warnings
        )
        self._follow()
        behind = RECORDER_WINDOW * self._plant.control_period_ns
        self._partners.wait_for_recorder(frame.stamp_ns - behind, spin, stopped)
        ended = self._why_ended(decision, truth)
        self._end_tick(spin)
        return ended if resets == self._resets else None

    def _apply(self, frame: SensorFrame, command: Command | None) -> GateDecision:
        late = self._wants_arming and command is not None and not self._timely()
        passed = self._ticks * self._period_s
        self._report.commands(passed, self._period_s, command is not None, late)
        if self._wants_arming and command is not None and self._timely():
            self._wants_arming = False
            self.arm()
            # preparing a robot's servos takes a while: this is an old answer by now
            if not self._timely():
                command = None
        decision = self._supervisor.apply(command, self._second_source())
        self._topics.applied(frame.stamp_ns, decision.torque)
        self._report.trips(frame.stamp_ns, decision)
        return decision

    def _second_source(self) -> tuple[Fault, ...]:
        """The fault of a second source of torques, which removes torque before anything else."""
        sources = self._partners.torque_sources
        if not self._plant.armed or not sources.second_appeared:
            return ()
        self._supervisor.disarm()
        return (sources.fault(),)

    def _why_ended(self, decision: GateDecision, truth: GroundTruth | None) -> Ended | None:
        duration = self._options.duration
        if self._ends_by_fault and decision.faults:
            return Ended.by(decision.faults[0])
        reason = None if truth is None else self._ending.exceeded(truth)
        if reason is None and (self._ticks - 1) % DISTANCE_EVERY == 0:
            self._ending.take(self._controller_events(), self._plant.armed)
            reason = self._ending.reached(truth)
        if reason is not None:
            return Ended(reason)
        # in time, not in ticks: a busy computer leaves some of a robot's out
        passed = 1 + round((self._stamp - self._first_ns) / self._plant.control_period_ns)
        over = duration is not None and passed >= round(duration / self._period_s)
        return Ended(Reason.DURATION) if over else None

    def _controller_events(self) -> Iterator[Event]:
        """Those that have come since the last call."""
        for _, raw in self._events.take():
            try:
                yield from (told.event for told in decode_events(raw) if told.source == CONTROLLER)
            except MessageError as error:
                self._report.refused(error)

    def _timely(self) -> bool:
        """The tick of the newest frame is not over yet; always so where simulated time waits for
        us. It begins when the frame is there: a whole set of a spine takes most of a period.
        """
        return self._plant.now_ns() - self._read_ns <= self._plant.control_period_ns

    @property
    def _stamp(self) -> int:
        """Of the present tick, ns; before the first one the plant's time, for no stamp is 0."""
        return self._plant.now_ns() if self._frame is None else self._frame.stamp_ns

    # waiting

    def _wait_for_command(
        self, frame: SensorFrame, spin: Spin, stopped: Callable[[], bool]
    ) -> Command | None:
        """The command that answers `frame`; outside lockstep, at the end of the tick, the newest
        there is.
        """
        begin = perf_counter()
        limit = math.inf if self._options.lockstep else self._time_to_answer()
        resets = self._resets
        while (answer := self._inbox.answer_to(frame.stamp_ns)) is None:
            waited = perf_counter() - begin
            if waited >= limit:
                return self._inbox.newest
            if stopped() or resets != self._resets:
                return None
            if waited > PARTNER_PATIENCE:
                self._report.waiting(
                    f"the torque_command that answers {frame.stamp_ns * 1e-9:.3f} s; a controller "
                    f"that was started again has not seen that tick, ~/reset begins anew"
                )
            spin(min(limit - waited, PARTNER_PATIENCE))
        return answer

    def _time_to_answer(self) -> float:
        return self._pacer.remaining() if self._options.speed else ANSWER_SHARE * self._period_s

    def _end_tick(self, spin: Spin) -> None:
        """Serve callbacks until the tick is over; one at least, lest a computer that is too slow
        for the pace leaves commands and requests unheard.
        """
        if self._options.speed:
            spin(self._pacer.remaining())
            while (left := self._pacer.remaining()) > 0:
                spin(left)
            self._pacer.end_tick()

    # messages and services

    def _on_command(self, raw: bytes) -> None:
        try:
            self._inbox.take(raw, None if self._frame is None else self._frame.stamp_ns)
        except MessageError as error:
            self._report.refused(error)

    def _counters(self) -> dict[str, float]:
        """Numbers for the diagnostics, with those that the plant itself keeps."""
        own = {
            "stalls": self._pacer.stalls,
            **{f"refused/{k}": v for k, v in self._inbox.refused.items()},
        }
        return {**own, **self._plant.counters()}

    def arm(self) -> str:
        """Let torques act."""
        if self._finalized:
            raise PlantError("cannot arm, the plant has been shut down; start its node again")
        if not self._configured:
            name = self.node.get_fully_qualified_name()
            raise PlantError(
                f"cannot arm, the plant is not configured; ros2 lifecycle set {name} configure"
            )
        if self._frame is None:
            raise PlantError("cannot arm, no sensor frame yet; wait for the plant's first reading")
        if not self._plant.armed:
            self._partners.torque_sources.claim()
        self._supervisor.arm()
        self._ends_by_fault = self._options.arm
        return self._report_change(PlantState.ARMED, self._options.calibration)

    def configure(self) -> str:
        """Ready to be armed: after a fault, clears it."""
        self._configured = True
        if self._supervisor.status.faults:
            return self.reset_fault()
        return self._report_change(PlantState.CONFIGURED)

    def cleanup(self) -> str:
        """Not to be armed until it is configured again."""
        self._configured = False
        return self.disarm()

    def shutdown(self) -> str:
        """End the run."""
        self._finalized = True
        return self.disarm()

    def disarm(self) -> str:
        """Remove all torque. A run that arms itself goes on, and faults no longer end it: joints
        that coast may hit something.
        """
        self._wants_arming = self._ends_by_fault = False
        self._supervisor.disarm()
        return self._report_change(PlantState.DISARMED)

    def reset_fault(self) -> str:
        """Clear latched faults."""
        self._supervisor.reset_fault()
        self._configured = True
        if self._frame is not None:
            # the tick under way must not latch what has just been cleared
            self._frame = self._supervisor.read()
        return self._report_change(PlantState.FAULTS_CLEARED)

    def tare(self) -> str:
        """Set the zero of the force sensors."""
        self._supervisor.tare()
        return self._report_change(PlantState.TARED)

    def pause(self, paused: bool) -> str:
        """Stop simulated time, or let it go on."""
        self._paused = paused
        self._steps = 0
        return self._report_change(PlantState.PAUSED if paused else PlantState.RUNNING)

    def step(self) -> str:
        """While paused, advance by some ticks."""
        if not self._paused:
            raise PlantError("cannot step, the simulation is running; pause it first")
        count = self.node.get_parameter("step_count").value
        self._steps += count
        return f"{count} tick{'s' * (count > 1)} of {self._period_s * 1e3:g} ms"

    def reset(self) -> str:
        """Back to the initial state; the tick under way is given up."""
        self._supervisor.reset_simulation()
        answer = self._report_change(PlantState.RESET)  # the last of the run before
        self._resets += 1
        self._steps = 0
        self._inbox.clear()
        for part in (self._topics, self._report, self._partners):
            part.reset()
        self._begin()
        return answer

    def _report_change(self, state: PlantState, note: str | None = None) -> str:
        """Report a change of state, and return the service's answer."""
        event = Event(kind=EventKind.PLANT_STATE, state=state, note=note)
        self._report.say(self._stamp, event)
        self._follow()
        return text_of(event)

    def _follow(self) -> None:
        """Keep the life cycle with the state of the plant."""
        status = self._supervisor.status
        fault = bool(status.faults)
        state = state_of(status.armed, fault, self._configured)
        self._lifecycle.follow(State.FINALIZED if self._finalized else state, fault)

    def close(self) -> None:
        """Disarm and release the plant and what is not the node's."""
        self._supervisor.close()
        self._partners.torque_sources.close()
        self._events.close()
