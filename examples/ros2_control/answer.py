# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Between ros2_control and the robot: gives every effort_command the stamp of the joint_states that
it answers, and sends it on as torque_command.

ros2_control stamps a command with the time at which it is written. That is later than the newest
joint_states, and such commands are refused. The newest joint_states that the writer can have seen
are those with the last stamp before; where they have stopped, the command grows old and has no
torque.
"""

from collections import deque
from contextlib import suppress

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState

KEPT = 100  # stamps


class Answer(Node):
    """Both topics are relative to its namespace."""

    def __init__(self) -> None:
        super().__init__("answer")
        self.stamps = deque(maxlen=KEPT)
        self.answers = self.create_publisher(JointState, "torque_command", 1)
        self.create_subscription(JointState, "effort_command", self.answer, 1)
        self.create_subscription(JointState, "joint_states", self.note, qos_profile_sensor_data)

    def note(self, state: JointState) -> None:
        if self.stamps and in_ns(state) < in_ns(self.stamps[-1]):
            self.stamps.clear()  # a simulation was reset
        self.stamps.append(state)

    def answer(self, command: JointState) -> None:
        written = in_ns(command)
        for state in reversed(self.stamps):
            if in_ns(state) <= written:
                command.header.stamp = state.header.stamp
                self.answers.publish(command)
                return


def in_ns(message: JointState) -> int:
    return message.header.stamp.sec * 1_000_000_000 + message.header.stamp.nanosec


if __name__ == "__main__":
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.init()
        rclpy.spin(Answer())
