# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Everything that /boa/plant publishes."""

from __future__ import annotations

from collections.abc import Iterable
from time import sleep

import numpy as np
from rclpy.node import Node
from rclpy.publisher import Publisher

from boa_control.events import Event
from boa_control.experiments.experiment import Experiment
from boa_control.messages.control import TorqueCodec
from boa_control.messages.events import encode_events
from boa_control.messages.markers import encode_obstacles
from boa_control.messages.plant_views import PlantViews
from boa_control.messages.sensors import SensorEncoder, sensor_topics
from boa_control.messages.status import Diagnosis, encode_clock, encode_diagnostics
from boa_control.messages.topics import (
    CLOCK,
    DIAGNOSTICS,
    EVENT_STATUS,
    EVENTS,
    JOINT_FORCE_MARKERS,
    JOINT_STATES,
    LINK_POSES,
    OBSTACLES,
    ROBOT_DESCRIPTION,
    SIM_CONTACT_FORCE_MARKERS,
    TORQUE_APPLIED,
    Topic,
)
from boa_control.messages.views import encode_text
from boa_control.plant import GroundTruth, SensorFrame, base_of
from boa_control.ros.endpoints import publisher, subscribers
from boa_control.ros.plant.options import PlantOptions
from boa_control.ros.plant.tools import PlantTools
from boa_control.ros.plant.transforms import PlantTransforms
from boa_control.ros.plant.truth import TRUTH, PlantTruth
from boa_description.arrays import Array
from boa_description.urdf import build_urdf

HEAD_START = 0.2  # s
MEASURED = (
    TORQUE_APPLIED,
    EVENT_STATUS,
    EVENTS,
    LINK_POSES,
    JOINT_FORCE_MARKERS,
    DIAGNOSTICS,
)
SIMULATED = (*TRUTH, SIM_CONTACT_FORCE_MARKERS, CLOCK)
LATCHED = (OBSTACLES, ROBOT_DESCRIPTION)


class PlantTopics:
    """Publishers of the plant node."""

    def __init__(
        self,
        node: Node,
        experiment: Experiment,
        simulated: bool,
        options: PlantOptions,
        transforms: PlantTransforms,
    ) -> None:
        robot = experiment.robot
        topics = (*sensor_topics(), *MEASURED, *LATCHED, *(SIMULATED if simulated else ()))
        self._publishers: dict[Topic, Publisher] = {
            topic: publisher(node, topic) for topic in topics
        }
        self._node = node
        self._transforms = transforms
        self._tools = PlantTools(node, robot)
        self._robot = robot
        self._start_base = experiment.start_base
        self._turned = 0.0  # rad, of link 1 since the start, as last measured
        self._settled = False
        self._sensors = SensorEncoder(robot)
        self._truth = PlantTruth(
            self._publishers,
            robot,
            experiment.control_period,
            paced=options.speed is not None,
            recorded=options.wait_for_recorder,
        )
        self._applied = TorqueCodec(robot, TORQUE_APPLIED)
        self._waiting: tuple[int, Array] | None = None  # what was applied in the last tick
        self._views = PlantViews(robot, options.view_rate)
        self._send(OBSTACLES, encode_obstacles(experiment.obstacles))
        self._send(ROBOT_DESCRIPTION, encode_text(build_urdf(robot)))

    def reset(self) -> None:
        """Time starts again."""
        self.flush()
        self._sensors.reset()

    def unconnected(self, controller: bool, recorder: bool) -> list[str]:
        """Topics that somebody does not get yet: those who are expected, a controller for the joint
        states and a recorder for all, and whoever else has subscribed.
        """
        missing = []
        for topic, endpoint in {**self._publishers, **self._tools.publishers}.items():
            expected = len(subscribers(self._node, endpoint))
            if topic in self._publishers:
                own = int(recorder and topic is not CLOCK)
                expected = max(expected, own + int(controller and topic is JOINT_STATES))
            if endpoint.get_subscription_count() < expected:
                missing.append(topic.name)
        return missing

    def frame(self, frame: SensorFrame) -> None:
        """Publish what was measured; the joint states last, because they start the controller.
        What was applied in the tick before follows while the controller works.

        What one process publishes arrives in that order, whatever the topic, once connections have
        settled. The first samples get a head start, in case one of them has to be sent again.
        """
        *samples, joints = self._sensors.encode(frame)
        self._tools.publish(frame)
        for topic, raw in samples:
            self._send(topic, raw)
        if not self._settled:
            self._settled = True
            sleep(HEAD_START)
        self._send(*joints)
        self._send_applied()

    def truth(self, truth: GroundTruth) -> None:
        """Publish the state of a simulation and its time, where somebody listens."""
        self._truth.add(truth)

    def flush(self) -> None:
        """Publish what waits for further ticks."""
        self._send_applied()
        self._truth.flush()

    def clock(self, stamp_ns: int) -> None:
        """Publish simulated time, whether somebody listens yet or not."""
        self._send(CLOCK, encode_clock(stamp_ns))

    def views(self, frame: SensorFrame, truth: GroundTruth | None) -> None:
        """Publish what is only drawn, when it is due."""
        if not self._views.due(frame.stamp_ns):
            return
        if truth is not None:
            base, joints = base_of(truth, self._robot), truth.joint_position
        else:
            if frame.imu is not None and np.isfinite(frame.imu.yaw[0]):
                self._turned = float(frame.imu.yaw[0])
            base, joints = self._start_base + np.array([0.0, 0.0, self._turned]), frame.position
        for topic, raw in self._views.encode(frame, base, joints, truth):
            self._send(topic, raw)
        self._transforms.publish(frame.stamp_ns, base, joints)

    def applied(self, stamp_ns: int, torque: Array) -> None:
        """Publish the torque that the gate let through, when the next tick has begun."""
        self._send_applied()
        self._waiting = stamp_ns, torque

    def _send_applied(self) -> None:
        if self._waiting is not None:
            stamp_ns, torque = self._waiting
            self._waiting = None
            self._send(TORQUE_APPLIED, self._applied.encode(stamp_ns, effort=torque))

    def event(self, stamp_ns: int, source: str, event: Event) -> None:
        """Publish an event."""
        for topic, raw in encode_events(stamp_ns, source, (event,)):
            self._send(topic, raw)

    def diagnostics(self, stamp_ns: int, lines: Iterable[Diagnosis]) -> None:
        """Publish diagnostics."""
        self._send(DIAGNOSTICS, encode_diagnostics(stamp_ns, lines, self._robot.name))

    def _send(self, topic: Topic, raw: bytes) -> None:
        self._publishers[topic].publish(raw)
