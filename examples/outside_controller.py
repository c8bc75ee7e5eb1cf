# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A controller for Boa in plain rclpy: a wave that travels along the body, held by a PD law.

ros2 launch boa_control hoal.launch.py controller:=none scenario:=boa_datasheet
python3 examples/outside_controller.py
"""

import math

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState

STIFFNESS, DAMPING = 2.0, 0.2  # N m/rad, N m s/rad
AMPLITUDE, PERIOD, LENGTH, RISE = 0.15, 4.0, 8, 4.0  # rad, s, joints, s


class OutsideController(Node):
    """Answers every joint_states with a torque_command that carries the same stamp."""

    def __init__(self) -> None:
        super().__init__("outside_controller", namespace="/boa")
        self.start, self.pose = None, None
        self.commands = self.create_publisher(JointState, "torque_command", 10)
        self.create_subscription(JointState, "joint_states", self.answer, 10)

    def answer(self, state: JointState) -> None:
        now = state.header.stamp.sec + state.header.stamp.nanosec * 1e-9
        if self.start is None or now < self.start:  # a simulation was reset
            self.start, self.pose = now, state.position
        time = now - self.start
        command = JointState(header=state.header, name=state.name)
        for i, at_start in enumerate(self.pose):
            wave = AMPLITUDE * math.sin(2 * math.pi * (time / PERIOD + i / LENGTH))
            target = at_start + min(time / RISE, 1.0) * wave
            torque = STIFFNESS * (target - state.position[i]) - DAMPING * state.velocity[i]
            command.effort.append(torque if math.isfinite(torque) else 0.0)
        self.commands.publish(command)


try:
    rclpy.init()
    rclpy.spin(OutsideController())
except (KeyboardInterrupt, ExternalShutdownException):
    pass
