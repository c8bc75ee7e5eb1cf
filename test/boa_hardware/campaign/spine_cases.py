# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults of the spine, its boards and sensors, and of servos behind the boards."""

from __future__ import annotations

from test.boa_hardware.campaign.inject import controller_dies, process_dies, second_master, spine
from test.boa_hardware.campaign.trial import Case

SPINE_CASES: tuple[Case, ...] = (
    # frames on the spine
    Case(
        "frames lost 1 %",
        "1 % of the CAN frames lost",
        spine("lose", rate=0.01),
        stops=False,
        duration=0.6,
    ),
    Case(
        "frames corrupted 5 %",
        "5 % of the CAN frames destroyed",
        spine("corrupt", rate=0.05),
        stops=False,
        duration=0.6,
    ),
    Case(
        "frames late",
        "5 % of the CAN frames 8 ms late",
        spine("delay", rate=0.05, amount=0.008),
        stops=False,
        duration=0.6,
    ),
    Case(
        "frames doubled", "10 % of the CAN frames twice", spine("duplicate", rate=0.1), stops=False
    ),
    Case(
        "garbled force frames",
        "firmware of link 6 sends garbage as force",
        spine("garble", link=6, frame="CFS"),
        fault="force sensor joint_05",
        within=0.15,
    ),
    Case(
        "heading glitches",
        "20 % of link 4's headings are -1872 deg",
        spine("glitch", link=4, rate=0.2),
        stops=False,
    ),
    Case(
        "silent link board",
        "link board 8 dead",
        spine("silence", link=8),
        fault="no complete answer from link 8",
        within=0.45,
        duration=0.6,
    ),
    Case(
        "all boards silent",
        "spine unplugged behind the adapter",
        spine("silence"),
        fault="spine:",
        within=0.45,
        duration=0.6,
    ),
    Case(
        "bus-off",
        "CAN controller bus-off for 0.3 s",
        spine("bus_off", 0.3),
        fault="spine: bus-off",
        within=0.1,
        duration=0.6,
    ),
    Case(
        "CAN adapter replugged",
        "CAN adapter out for 0.3 s",
        spine("unplug", 0.3),
        fault="spine: down",
        within=0.1,
        duration=0.6,
    ),
    Case(
        "PANIC received",
        "link 5 sends PANIC",
        spine("panic", link=5),
        fault="PANIC (received from link 5)",
        within=0.1,
    ),
    Case(
        "fatal error",
        "link 2 reports fatal error 7",
        spine("fatal_error", link=2, amount=7),
        fault="link 2 reports fatal error 7",
        within=0.1,
    ),
    Case("warning", "link 2 warns with code 3", spine("warning", link=2, amount=3), stops=False),
    Case(
        "second master",
        "another program sends SYNC SENSOR",
        act=second_master,
        fault="another master",
        within=0.1,
    ),
    # sensors
    Case(
        "IMU sends NaN",
        "IMU of link 4 sends NaN",
        spine("nan", link=4),
        fault="link 4 sends IMU frames with values that are NaN",
        within=0.45,
        duration=0.6,
    ),
    Case(
        "frozen force sensor",
        "link 10 repeats its last values",
        spine("frozen", link=10),
        fault="the same value",
        within=0.7,
        duration=0.8,
    ),
    Case(
        "saturated force sensor",
        "converter of link 3 at full scale",
        spine("saturated", link=3),
        fault="force sensor joint_02",
        within=0.1,
    ),
    Case(
        "drifting force sensor",
        "zero of link 7 moves by 300 N/s",
        spine("drift", link=7, amount=300.0),
        fault="joint_06",
        within=0.3,
    ),
    Case(
        "dead force bridge",
        "force bridge of link 4 dead",
        spine("dead", link=4),
        warning="force sensor joint_03: shows nothing but noise",
        stops=False,
        duration=10.5,
    ),
    Case(
        "force sensor with the opposite sign",
        "force sensor of link 8 shows the opposite",
        spine("flipped", link=8),
        warning="force sensor joint_07: shows the opposite of its neighbours",
        stops=False,
        duration=10.5,
    ),
    # servos behind the link boards (2022 Boa)
    Case(
        "spine: frames lost 1 %",
        "1 % of the CAN frames lost",
        spine("lose", rate=0.01),
        topology="spine",
        stops=False,
        duration=0.8,
    ),
    Case(
        "spine: frames corrupted 2 %",
        "2 % of the CAN frames destroyed",
        spine("corrupt", rate=0.02),
        topology="spine",
        stops=False,
        duration=0.6,
    ),
    Case(
        "spine: silent link board",
        "link board 8 dead",
        spine("silence", link=8),
        topology="spine",
        fault="joint_07",
        within=0.2,
    ),
    Case(
        "spine: PANIC received",
        "link 5 sends PANIC",
        spine("panic", link=5),
        topology="spine",
        fault="PANIC (received from link 5)",
        within=0.1,
    ),
    Case(
        "spine: bus-off",
        "CAN controller bus-off for 0.3 s",
        spine("bus_off", 0.3),
        topology="spine",
        fault="spine: bus-off",
        within=0.15,
        duration=0.6,
    ),
    Case(
        "spine: controller killed",
        "no more commands",
        act=controller_dies,
        topology="spine",
        fault="command_lost",
        within=0.09,
        duration=0.8,
    ),
    Case(
        "spine: plant process killed",
        "nothing is sent any more",
        act=process_dies,
        topology="spine",
        within=0.15,
        heals=False,
    ),
)
