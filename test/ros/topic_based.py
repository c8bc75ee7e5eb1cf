# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for ros2_control's C++ programs, which are on no package index: the loop of its
controller manager (ros2_control jazzy, ros2_control_node.cpp), the plugin JointStateTopicSystem
(topic_based_hardware_interfaces 1.1.0; TopicBasedSystem of topic_based_ros2_control 0.3.0 differs
where it is said below), and the effort law of the joint trajectory controller. It is started with
the parameters and remappings of the real one, and reads what that reads.

    python topic_based.py --ros-args -r __ns:=/boa --params-file controllers.yaml
"""

from __future__ import annotations

import threading
from contextlib import suppress
from xml.etree import ElementTree

import numpy as np
import rclpy
from rclpy.duration import Duration
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

CONTROLLER = "joint_trajectory_controller"


class Hardware:
    """on_init, read and write of the plugin. Interfaces are NaN until they have a value (in the
    older plugin 0).
    """

    def __init__(self, node: Node, urdf: str) -> None:
        self.node = node
        system = ElementTree.fromstring(urdf).find("ros2_control")
        hardware = system.find("hardware")
        given = {param.attrib["name"]: param.text for param in hardware.findall("param")}
        self.plugin = hardware.findtext("plugin")
        self.threshold = float(given.get("trigger_joint_command_threshold", 1e-5))
        joints = system.findall("joint")
        self.names = [joint.attrib["name"] for joint in joints]
        start = [
            joint.findtext("command_interface/param[@name='initial_value']") for joint in joints
        ]
        self.command = np.array([np.nan if text is None else float(text) for text in start])
        self.position, self.velocity, self.effort = np.full((3, len(joints)), np.nan)
        self.latest = JointState()
        commands = given.get("joint_commands_topic", "/robot_joint_commands")
        states = given.get("joint_states_topic", "/robot_joint_states")
        self.publisher = node.create_publisher(JointState, commands, QoSProfile(depth=1))
        node.create_subscription(JointState, states, self.note, qos_profile_sensor_data)

    def note(self, state: JointState) -> None:
        self.latest = state

    def read(self) -> None:
        latest = self.latest
        for i, name in enumerate(latest.name):
            if name in self.names:
                j = self.names.index(name)
                for values, sent in (
                    (self.position, latest.position),
                    (self.velocity, latest.velocity),
                    (self.effort, latest.effort),
                ):
                    if len(sent) and np.isfinite(sent[i]):
                        values[j] = sent[i]

    def write(self) -> None:
        """Send the commands unless all of them equal the measured states (the older plugin compares
        positions, which nobody commands here).
        """
        if np.abs(self.effort - self.command).sum() <= self.threshold:
            return
        message = JointState(name=self.names, effort=self.command.tolist())
        message.header.stamp = self.node.get_clock().now().to_msg()
        self.publisher.publish(message)


class TrajectoryController:
    """Feedback of position and velocity errors; linear between points that have positions only."""

    def __init__(self, node: Node, hardware: Hardware) -> None:
        self.hardware = hardware
        joints = node.declare_parameter("joints", [""]).value
        assert joints == hardware.names
        assert node.declare_parameter("command_interfaces", [""]).value == ["effort"]
        self.p, self.d = (
            np.array([node.declare_parameter(f"gains.{j}.{gain}", 0.0).value for j in joints])
            for gain in ("p", "d")
        )
        self.times, self.points = np.zeros(1), None
        node.create_subscription(JointTrajectory, "~/joint_trajectory", self.accept, 10)
        self.node, self.waiting = node, None

    def accept(self, trajectory: JointTrajectory) -> None:
        self.waiting = trajectory

    def update(self) -> None:
        position, velocity = self.hardware.position, self.hardware.velocity
        if not np.isfinite(position + velocity).all():
            return
        now = self.node.get_clock().now().nanoseconds * 1e-9
        if self.points is None:  # activation: hold what is measured
            self.times, self.points = np.array([now]), position[np.newaxis].copy()
        if self.waiting is not None:
            self.start(self.waiting, now)
            self.waiting = None
        target, ahead = self.target(now), self.target(now + 1e-3)
        rate = (ahead - target) / 1e-3
        self.hardware.command = self.p * (target - position) + self.d * (rate - velocity)

    def start(self, trajectory: JointTrajectory, now: float) -> None:
        begin = self.target(now)
        rows, times = [begin], [now]
        for point in trajectory.points:
            row = begin.copy()
            for name, value in zip(trajectory.joint_names, point.positions, strict=True):
                row[self.hardware.names.index(name)] = value
            rows.append(row)
            times.append(now + Duration.from_msg(point.time_from_start).nanoseconds * 1e-9)
        self.times, self.points = np.array(times), np.array(rows)

    def target(self, time: float) -> np.ndarray:
        return np.array([np.interp(time, self.times, column) for column in self.points.T])


def main() -> None:
    rclpy.init()
    manager, controller = Node("controller_manager"), Node(CONTROLLER)
    descriptions: list[str] = []
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    manager.create_subscription(
        String, "robot_description", lambda message: descriptions.append(message.data), latched
    )
    executor = SingleThreadedExecutor()
    for node in (manager, controller):
        executor.add_node(node)
    while not descriptions:
        executor.spin_once(timeout_sec=0.1)
    period = Duration(seconds=1 / manager.declare_parameter("update_rate", 100).value)
    hardware = Hardware(manager, descriptions[0])
    law = TrajectoryController(controller, hardware)
    print(hardware.plugin, flush=True)
    threading.Thread(target=executor.spin, daemon=True).start()
    clock = manager.get_clock()
    while rclpy.ok():
        begin = clock.now()
        hardware.read()
        law.update()
        hardware.write()
        clock.sleep_until(begin + period)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        main()
