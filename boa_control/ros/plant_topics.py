"""Everything that /boa/plant publishes."""

from __future__ import annotations

from collections.abc import Iterable
from time import sleep

import numpy as np
from rclpy.node import Node
from rclpy.publisher import Publisher

from boa_control.experiments.experiment import Experiment
from boa_control.messages.control import EventMessage, TorqueCodec, encode_event
from boa_control.messages.control_records import ticks_together
from boa_control.messages.markers import encode_obstacles
from boa_control.messages.plant_views import PlantViews
from boa_control.messages.sensors import SensorEncoder, sensor_topics
from boa_control.messages.status import Diagnosis, encode_clock, encode_diagnostics
from boa_control.messages.topics import (
    CLOCK,
    DIAGNOSTICS,
    EVENTS,
    JOINT_FORCE_MARKERS,
    JOINT_STATES,
    LINK_POSES,
    OBSTACLES,
    ROBOT_DESCRIPTION,
    SIM_CONTACT_FORCE_MARKERS,
    SIM_CONTACTS,
    SIM_JOINT_STATES,
    SIM_ODOMETRY,
    TORQUE_APPLIED,
    Topic,
)
from boa_control.messages.truth import TruthCodec
from boa_control.messages.views import encode_text
from boa_control.plant import GroundTruth, SensorFrame, base_of
from boa_control.ros.endpoints import publisher, subscribers
from boa_control.ros.plant_tools import PlantTools
from boa_control.ros.plant_transforms import PlantTransforms
from boa_description.urdf import build_urdf

HEAD_START = 0.2  # s
MEASURED = (TORQUE_APPLIED, EVENTS, LINK_POSES, JOINT_FORCE_MARKERS, DIAGNOSTICS)
TRUTH = (SIM_ODOMETRY, SIM_JOINT_STATES, SIM_CONTACTS)
SIMULATED = (*TRUTH, SIM_CONTACT_FORCE_MARKERS, CLOCK)
LATCHED = (OBSTACLES, ROBOT_DESCRIPTION)


class PlantTopics:
    """Publishers of the plant node. State goes out before the clock: who is woken by the clock
    finds the state. True contacts, which are only watched, cost more than the physics when they
    are worked out tick by tick; those of some ticks go out together.
    """

    def __init__(
        self,
        node: Node,
        experiment: Experiment,
        simulated: bool,
        view_rate: float,
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
        self._settled = False
        self._sensors = SensorEncoder(robot)
        self._truth = TruthCodec(robot)
        self._together = ticks_together(experiment.control_period)
        self._touching: list[GroundTruth] = []  # whose contacts wait to be published
        self._applied = TorqueCodec(robot, TORQUE_APPLIED)
        self._views = PlantViews(robot, view_rate)
        self._send(OBSTACLES, encode_obstacles(experiment.obstacles))
        self._send(ROBOT_DESCRIPTION, encode_text(build_urdf(robot)))

    def reset(self) -> None:
        """Time starts again."""
        self.contacts()
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

    def truth(self, truth: GroundTruth) -> None:
        """Publish the state of a simulation, where somebody listens, then its clock."""
        if any(self._publishers[topic].get_subscription_count() for topic in TRUTH):
            for topic, raw in self._truth.encode_motion(truth):
                self._send(topic, raw)
            self._touching.append(truth)
            if len(self._touching) >= self._together:
                self.contacts()
        self.clock(truth.stamp_ns)

    def contacts(self) -> None:
        """Publish the true contacts that wait for those of further ticks."""
        waiting, self._touching = self._touching, []
        if waiting:
            for raw in self._truth.encode_contacts(waiting):
                self._send(SIM_CONTACTS, raw)

    def clock(self, stamp_ns: int) -> None:
        """Publish simulated time."""
        self._send(CLOCK, encode_clock(stamp_ns))

    def views(self, frame: SensorFrame, truth: GroundTruth | None) -> None:
        """Publish what is only drawn, when it is due."""
        if not self._views.due(frame.stamp_ns):
            return
        if truth is not None:
            base, joints = base_of(truth, self._robot), truth.joint_position
        else:
            turned = 0.0 if frame.imu is None else float(np.nan_to_num(frame.imu.yaw[0]))
            base, joints = self._start_base + np.array([0.0, 0.0, turned]), frame.position
        for topic, raw in self._views.encode(frame, base, joints, truth):
            self._send(topic, raw)
        self._transforms.publish(frame.stamp_ns, base, joints)

    def applied(
        self, stamp_ns: int, torque: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
    ) -> None:
        """Publish the torque that the gate let through."""
        self._send(TORQUE_APPLIED, self._applied.encode(stamp_ns, effort=torque))

    def event(self, stamp_ns: int, source: str, text: str) -> None:
        """Publish an event."""
        self._send(EVENTS, encode_event(EventMessage(stamp_ns, source, text)))

    def diagnostics(self, stamp_ns: int, lines: Iterable[Diagnosis]) -> None:
        """Publish diagnostics."""
        self._send(DIAGNOSTICS, encode_diagnostics(stamp_ns, lines, self._robot.name))

    def _send(self, topic: Topic, raw: bytes) -> None:
        self._publishers[topic].publish(raw)
