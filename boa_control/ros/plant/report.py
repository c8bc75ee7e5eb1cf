# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A plant node's reports about itself: diagnostics, events, progress, complaints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from time import perf_counter

from rclpy.node import Node

from boa_control.event_text import text_of
from boa_control.events import Event
from boa_control.messages.events import GATE, PLANT
from boa_control.messages.progress import Progress
from boa_control.messages.status import (
    gate_diagnosis,
    joints_diagnosis,
    loop_diagnosis,
    warnings_diagnosis,
)
from boa_control.plant import SensorFrame
from boa_control.ros.plant.pacing import RealTimeFactor
from boa_control.ros.plant.topics import PlantTopics
from boa_control.ros.runtime import QUIET
from boa_control.safety.ended import Ended
from boa_control.safety.gate import GateDecision
from boa_control.safety.supervisor import Status
from boa_control.safety.trips import trips_of
from boa_description.robot import Robot

PROGRESS_PERIOD = 1.0  # s
COMMAND_PATIENCE = 1.0  # s without a command, or one in time to arm, before that is said
PARTNER_PATIENCE = 5.0  # s of waiting before it is said what for


def state_of(status: Status) -> str:
    """Life-cycle state: inactive (no torque can act), active (armed), error (a fault is
    latched).
    """
    if status.faults:
        return "error"
    return "active" if status.armed else "inactive"


class PlantReport:
    """Collects what happens in the loop and says it at a bearable rate."""

    def __init__(
        self,
        node: Node,
        topics: PlantTopics,
        robot: Robot,
        duration: float | None,
        diagnostics_rate: float,
    ) -> None:
        self._log = node.get_logger()
        self._topics = topics
        self._robot = robot
        self._duration = duration
        self._diagnostics_period = 1 / diagnostics_rate
        self._factor = RealTimeFactor()
        self._loop_us: list[float] = []
        self._next_diagnostics = self._next_progress = self._next_complaint = 0.0
        self._said: tuple[str, int] = ("", 0)
        self._first_ns: int | None = None
        self._uncommanded = False  # and that has been said

    def reset(self) -> None:
        """Time starts again."""
        self._factor.reset()
        self._first_ns = None
        self._uncommanded = False

    def tick(
        self,
        frame: SensorFrame,
        status: Status,
        loop_us: float,
        counters: Callable[[], Mapping[str, float]],
        warnings: Callable[[], Sequence[str]],
    ) -> None:
        """Take note of a tick; publish diagnostics, with what the plant says of itself, when due or
        changed.
        """
        now = perf_counter()
        if self._first_ns is None:
            self._first_ns = frame.stamp_ns
        self._factor.update(frame.stamp_ns)
        self._loop_us.append(loop_us)
        said = (state_of(status), len(status.faults))
        if now >= self._next_diagnostics or said != self._said:
            self._next_diagnostics, self._said = now + self._diagnostics_period, said
            numbers = {"real_time_factor": self._factor.value, **counters()}
            lines = (
                gate_diagnosis(status, state_of(status)),
                joints_diagnosis(self._robot, frame),
                warnings_diagnosis(warnings()),
                loop_diagnosis("boa/plant: loop", self._loop_us, **numbers),
            )
            self._loop_us.clear()
            self._topics.diagnostics(frame.stamp_ns, lines)
        if now >= self._next_progress:
            self._next_progress = now + PROGRESS_PERIOD
            self._progress(frame.stamp_ns)

    def commands(self, passed: float, period: float, there: bool, late: bool) -> None:
        """Take note of the torque command of a tick: a run without any, as while its controller
        starts, or without one in time to arm, would pass without a word.

        Args:
            passed: since the first tick, s. period: of the ticks, s. there: one has come.
            late: too late to arm, which is wanted.
        """
        if there and self._uncommanded:
            self._uncommanded = False
            self._tell("the first torque_command is there")
        if passed <= COMMAND_PATIENCE:
            return
        if not there and not self._uncommanded:
            self._uncommanded = True
            self._tell("waiting for the first torque_command; is a controller starting?")
        elif late:
            self.waiting(
                f"a torque_command within a tick of {period * 1e3:g} ms, to arm; stop other "
                "programs or lower control_rate"
            )

    def _progress(self, stamp_ns: int) -> None:
        factor = self._factor.value if isfinite(self._factor.value) else None
        elapsed = 0.0 if self._first_ns is None else (stamp_ns - self._first_ns) * 1e-9
        print(Progress(elapsed, self._duration, factor).line(), flush=True)

    def trips(self, stamp_ns: int, decision: GateDecision) -> None:
        """Publish and log the protective events of a tick."""
        for trip in trips_of(decision):
            self._topics.event(stamp_ns, GATE, trip.event())
            self._tell(f"torque gate: {trip}", bad=bool(decision.faults))

    def say(self, stamp_ns: int, event: Event) -> None:
        """Publish and log what has been done."""
        self._topics.event(stamp_ns, PLANT, event)
        self._log.info(text_of(event))

    def ended(self, stamp_ns: int, ended: Ended, status: Status) -> None:
        """Say why the run ended, and the final state."""
        self._progress(stamp_ns)
        self._topics.event(stamp_ns, PLANT, ended.event())
        self._topics.diagnostics(stamp_ns, (gate_diagnosis(status, state_of(status)),))
        self._tell(f"run ended: {ended}; disarmed", bad=ended.fault is not None)

    def waiting(self, for_what: str) -> None:
        """Say what the node is waiting for."""
        self._complain(f"waiting for {for_what}")

    def refused(self, error: Exception) -> None:
        """Say why a message was refused."""
        self._complain(f"refused: {error}")

    def _tell(self, text: str, bad: bool = False) -> None:
        # on lines of their own: rclpy does not let one line of code log with two severities
        if bad:
            self._log.error(text)
        else:
            self._log.info(text)

    def _complain(self, text: str) -> None:
        if perf_counter() >= self._next_complaint:
            self._next_complaint = perf_counter() + QUIET
            self._log.warning(text)
