# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Others beside the robot: a second controller, a replay, a monitor, tools on its lines."""

from __future__ import annotations

from boa_hardware.servo import protocol
from boa_hardware.servo.protocol import BROADCAST
from test.boa_hardware.campaign.inject import (
    board_chatters,
    line,
    on_the_line,
    recorded_frames,
    second_controller,
    servo_joins,
    servo_registers,
    spine,
    topics_monitor,
)
from test.boa_hardware.campaign.trial import Case

HOUR = 3600.0

OTHERS_CASES: tuple[Case, ...] = (
    # on the robot's topics
    Case(
        "second controller",
        "a second controller commands the opposite",
        act=second_controller("/boa/other"),
        fault="/boa/controller and /boa/other command torques",
        within=0.02,
    ),
    Case(
        "second controller, silent",
        "a second controller connects and says nothing",
        act=second_controller("/boa/other", sends=False),
        fault="/boa/controller and /boa/other command torques",
        within=0.02,
    ),
    Case(
        "torque_command replayed",
        "`ros2 bag play` of an old run on torque_command",
        act=second_controller("/rosbag2_player", ago=HOUR),
        fault="/boa/controller and /rosbag2_player command torques",
        within=0.02,
    ),
    Case(
        "joint_states replayed",
        "joint_states of an old run beside the robot's; the controller answers both",
        act=recorded_frames,
        stops=False,
    ),
    Case("monitor on the topics", "`boa sensors monitor`", act=topics_monitor, stops=False),
    # on its lines
    Case(
        "monitor on the adapter",
        "a logger that ignores the lock reads half of the slcan lines",
        spine("lose", rate=0.5),
        fault="no complete answer from link",
        within=0.5,
        duration=0.8,
    ),
    Case(
        "slow host",
        "the adapter drops all CAN frames for 30 ms",
        spine("lose", lasts=0.03),
        stops=False,
    ),
    Case(
        "second adapter pings",
        "another program pings every servo, one per tick",
        act=on_the_line(*(protocol.ping(servo) for servo in range(1, 13))),
        stops=False,
    ),
    Case(
        "second adapter scans",
        "another program sends a broadcast ping in every tick",
        act=on_the_line(protocol.ping(BROADCAST)),
        stops=False,
    ),
    Case(
        "ID written under torque",
        "another program writes ID 12 to servo 3",
        act=on_the_line(protocol.write(3, 7, b"\x0c"), again=False),
        stops=False,
    ),
    Case(
        "servo rebooted by another",
        "`boa servo reboot` of servo 4 through a second adapter",
        act=on_the_line(protocol.reboot(4), again=False),
        fault="servo 4 (joint_04)",
    ),
    Case(
        "ID taken twice",
        "a new servo with ID 3 is plugged in",
        act=servo_joins(3),
        fault="servo 3 (joint_03): no reply",
        within=0.07,
        heals=False,
    ),
    # servos and adapters that are not set up
    Case(
        "Status Return Level 0",
        "servo 5 answers pings only",
        act=servo_registers(5, status_return_level=0),
        fault="servo 5 (joint_05): no reply",
        within=0.07,
    ),
    Case(
        "indirect map to nowhere",
        "the indirect map of servo 6 points to address 400",
        act=servo_registers(6, indirect_address_5=400),
        fault="servo 6 (joint_06)",
        within=0.07,
    ),
    Case(
        "latency timer 16 ms",
        "every reply 16 ms late, as from an adapter that is not set up",
        line("delay", delay=0.016),
        fault="answers come after the deadline",
        within=0.15,
        duration=0.6,
    ),
    Case(
        "chattering link board",
        "link board 6 sends a WARNING in every tick",
        act=board_chatters(6),
        stops=False,
    ),
    Case(
        "spine: second controller",
        "a second controller commands the opposite",
        act=second_controller("/boa/other"),
        topology="spine",
        fault="/boa/controller and /boa/other command torques",
        within=0.03,
    ),
)
