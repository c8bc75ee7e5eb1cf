# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Node /boa/controller: the scenario's controller behind topics. It sees what the robot measures,
and what an operator asks for, nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import ParamSpec

from rclpy.node import Node
from rclpy.publisher import Publisher

from boa_control.controller import ControlOutput
from boa_control.event_text import text_of
from boa_control.events import EventKind
from boa_control.experiments.build import build_controller, without_tour
from boa_control.experiments.experiment import Experiment
from boa_control.interface import CONTROLLER_PARAMETERS, SET_POINT_PARAMETERS
from boa_control.messages.control import ControlEncoder
from boa_control.messages.control_records import ControlRecords
from boa_control.messages.events import CONTROLLER, encode_events
from boa_control.messages.sensors import SensorDecoder, sensor_topics
from boa_control.messages.status import encode_diagnostics, loop_diagnosis
from boa_control.messages.topics import (
    CONTACT_FORCE_MARKERS,
    CONTACTS,
    CORRECTED_MAP,
    DEBUG,
    DIAGNOSTICS,
    EVENT_STATUS,
    EVENTS,
    JOINT_STATES,
    PATH,
    TORQUE_COMMAND,
    Topic,
)
from boa_control.messages.views import encode_path
from boa_control.plant import SensorFrame
from boa_control.priority import freeze_memory, raise_all_threads
from boa_control.ros.chosen import chosen_experiment
from boa_control.ros.controller.new_paths import NewPaths
from boa_control.ros.controller.operator import operator_of
from boa_control.ros.controller.steering import Steering
from boa_control.ros.endpoints import Mailbox, drain, publisher, subscribe
from boa_control.ros.parameters import make_node
from boa_control.ros.runtime import LONGEST_SPIN, QUIET, Spin, main
from boa_control.safety.controller_error import ControllerError
from boa_control.safety.ended import Ended
from boa_control.safety.frame_guard import FrameGuard
from boa_description.errors import BoaError

# SCHED_FIFO where that is allowed: below a robot's bus threads, above everything that can wait
PRIORITY = 20
SHORT_WAIT = 0.01  # s
Message = ParamSpec("Message")
# what happens all along the path; the rest says why a robot is slow, or stands
ROUTINE = (EventKind.CONTACT_GAINED, EventKind.CONTACT_LOST, EventKind.CONTACT_PASSED)
WALL = "wall_s"  # debug name of the wall-clock time since the first tick


class ControllerNode:
    """Answers the newest joint_states with a torque_command of the same stamp. A `Program` for the
    node runtime.

    The plant publishes the samples of all sensors before the joint states of their tick, so these
    are at hand when the joint states arrive. The torque_command publisher is made only after all
    are connected: whoever sees it knows that the controller receives everything.
    """

    def __init__(
        self,
        node: Node,
        experiment: Experiment,
        controller: FrameGuard,
        view_rate: float = 30.0,
        diagnostics_rate: float = 2.0,
        speed_timeout: float = 0.0,
        set_point: Mapping[str, float] | None = None,
    ) -> None:
        """Connect it.

        Args:
            speed_timeout: s; as the parameter of that name.
            set_point: values of the parameters that may change while the node runs.

        Raises:
            BoaError: a set-point that the controller cannot follow.
        """
        self.node = node
        self.nodes = (node,)
        self._controller = controller
        self._stamp_ns: int | None = None
        self._next_complaint = 0.0
        name = experiment.scenario.controller.name
        self._operator = operator_of(controller, name, speed_timeout)
        self._steering = Steering(node, self._operator, self._guarded, set_point or {})
        self._new_paths = NewPaths(node, controller, self._operator, experiment, self._guarded)
        self._decoder = SensorDecoder(experiment.robot)
        self._sample = self._guarded(self._decoder.sample)
        self._encoder = ControlEncoder(experiment.robot, view_rate)
        self._records = ControlRecords(self._encoder, experiment.control_period)
        # the samples of a tick wait for its joint states, which alone wake this node
        self._samples = tuple(
            Mailbox(node, topic) for topic in sensor_topics() if topic is not JOINT_STATES
        )
        self._joints = subscribe(node, JOINT_STATES, self._guarded(self._on_joint_states))
        topics = (
            CONTACTS,
            CONTACT_FORCE_MARKERS,
            CORRECTED_MAP,
            DEBUG,
            EVENT_STATUS,
            EVENTS,
            PATH,
            DIAGNOSTICS,
        )
        self._publishers: dict[Topic, Publisher] = {
            topic: publisher(node, topic) for topic in topics
        }
        if experiment.curve is not None:
            self._publishers[PATH].publish(encode_path(experiment.curve))
        self._start = self._answered = 0.0
        self._step_us: list[float] = []
        self._report_period = 1 / diagnostics_rate
        self._next_report = 0.0

    def run(self, spin: Spin, stopped: Callable[[], bool]) -> int:
        """Answer until told to stop."""
        freeze_memory()
        # not before: building a controller takes a second that belongs to others
        raise_all_threads(PRIORITY)
        while not stopped():
            self.turn(spin, LONGEST_SPIN)
        self.publish_records()
        return 0

    def turn(self, spin: Spin, seconds: float) -> None:
        """Run at most one callback, waiting for it for at most so many seconds."""
        announced = TORQUE_COMMAND in self._publishers
        if not announced and self.receives_plant:
            self.announce()
        spin(seconds if announced and not self._records else min(seconds, SHORT_WAIT))
        if self._records and perf_counter() - self._answered >= SHORT_WAIT:
            self.publish_records()  # nothing has come: let nobody wait for the rest

    def announce(self) -> None:
        """Make the publisher of torque_command, and so say that the plant may begin."""
        self._publishers[TORQUE_COMMAND] = publisher(self.node, TORQUE_COMMAND)

    @property
    def receives_plant(self) -> bool:
        """Whether all inputs are connected."""
        return all(item.get_publisher_count() for item in (*self._samples, self._joints))

    def close(self) -> None:
        """Release the inputs. Nothing to leave safe: the gate lets the torque fade when commands
        stay away.
        """
        self._new_paths.close()
        for samples in self._samples:
            samples.close()

    def _guarded(self, callback: Callable[Message, None]) -> Callable[Message, None]:
        """A bad message is refused, not fatal."""

        def guarded(*message: Message.args, **named: Message.kwargs) -> None:
            try:
                callback(*message, **named)
            except BoaError as error:
                if perf_counter() >= self._next_complaint:
                    self._next_complaint = perf_counter() + QUIET
                    self.node.get_logger().warning(f"refused: {error}")

        return guarded

    def _on_joint_states(self, raw: bytes) -> None:
        waiting = [raw]
        # on a busy computer: an answer to an old frame helps nobody
        drain(self._joints, waiting.append)
        for samples in self._samples:
            for _, sample in samples.take():
                self._sample(samples.topic.name, sample)
        frame = self._decoder.joint_states(waiting[-1])
        if self._stamp_ns is not None and frame.stamp_ns <= self._stamp_ns:
            self.node.get_logger().info(f"time has started again: controller reset{self._others()}")
            self._controller.reset()
            self._operator.reset()
            self._stamp_ns = None
            self._decoder.forget_after(frame.stamp_ns)
            frame = self._decoder.joint_states(waiting[-1])
        begin = perf_counter()
        if self._stamp_ns is None:
            self._start = begin
        changed = self._operator.tick(frame.stamp_ns)
        output = self._step(frame)
        step_us = (perf_counter() - begin) * 1e6
        self._stamp_ns = frame.stamp_ns

        self._publish(*self._encoder.torque(frame.stamp_ns, output))
        output = output._replace(debug={**output.debug, WALL: begin - self._start})
        for event in output.events:
            if event.kind not in ROUTINE:
                self.node.get_logger().info(text_of(event))
        if changed is not None:
            self.node.get_logger().warning(text_of(changed))
            output = output._replace(events=(changed, *output.events))
        self._answered = perf_counter()
        self._records.add(frame.stamp_ns, output, step_us)
        if self._records.due:
            self.publish_records()
        self._report(step_us)

    def _others(self) -> str:
        """Why time may have: joint_state_publisher beside a plant."""
        count = self._joints.get_publisher_count()
        return "" if count < 2 else f"; {count} nodes publish joint_states, stop all but the plant"

    def _step(self, frame: SensorFrame) -> ControlOutput:
        """The controller's answer; where it fails, the end of the run is told before this node
        ends.
        """
        try:
            return self._controller.step(frame)
        except ControllerError as failure:
            self.publish_records()
            ended = Ended.by(failure.fault()).event()
            for topic, message in encode_events(frame.stamp_ns, CONTROLLER, (ended,)):
                self._publish(topic, message)
            raise

    def publish_records(self) -> None:
        """Publish contacts, debug records and events that wait for those of further ticks."""
        for topic, message in self._records.take():
            self._publish(topic, message)

    def _publish(self, topic: Topic, raw: bytes) -> None:
        if topic in self._publishers:  # torque_command may not be there yet
            self._publishers[topic].publish(raw)

    def _report(self, step_us: float) -> None:
        self._step_us.append(step_us)
        if perf_counter() >= self._next_report and self._stamp_ns is not None:
            self._next_report = perf_counter() + self._report_period
            line = loop_diagnosis(
                "boa/controller: step", self._step_us, frames_incomplete=self._controller.incomplete
            )
            self._step_us.clear()
            self._publish(DIAGNOSTICS, encode_diagnostics(self._stamp_ns, (line,), ""))


def make() -> ControllerNode:
    """Build the node from its parameters. Raises BoaError for a wrong scenario, robot or
    controller.
    """
    node, values = make_node("controller", CONTROLLER_PARAMETERS)
    experiment = chosen_experiment(
        values["scenario"],
        control_rate=values["control_rate"],
        frame_prefix=values["frame_prefix"],
        identified=values["identified"],
    )
    experiment = without_tour(experiment)  # planning takes seconds: /boa/planner does it
    return ControllerNode(
        node,
        experiment,
        build_controller(experiment),
        values["view_rate"],
        values["diagnostics_rate"],
        values["speed_timeout"],
        {item.name: values[item.name] for item in SET_POINT_PARAMETERS},
    )


if __name__ == "__main__":
    main(make)
