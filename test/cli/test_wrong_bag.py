# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bags with wrong messages, and damaged ones: one clear line, status 2, nothing changed on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from boa_control.controller import ControlOutput
from boa_control.messages.cdr import header, message, serialize
from boa_control.messages.control import ControlEncoder
from boa_control.messages.joints import JointStateCodec
from boa_control.messages.sensors import SensorEncoder
from boa_control.messages.status import Diagnosis, Level, encode_diagnostics
from boa_control.messages.topics import (
    CONTACTS,
    DEBUG,
    EVENT_STATUS,
    EVENTS,
    IMU,
    JOINT_FORCES,
    JOINT_STATES,
    SIM_ODOMETRY,
    TORQUE_COMMAND,
)
from boa_control.plant import SensorFrame
from boa_description.load import load_robot
from boa_tools.bags.rosbag import BagWriter
from test.cli.refusal import FREE, check

ROBOT = load_robot("boa13")
PERIOD_NS = 2_000_000


def frame(stamp_ns: int) -> SensorFrame:
    zero = np.zeros(ROBOT.joints)
    return SensorFrame(stamp_ns, zero, zero, zero, None, None, zero * np.nan, zero)


def joint_state(names: list[str], **numbers: np.ndarray) -> bytes:
    fields = {
        field: numbers.get(field, np.zeros(0)) for field in ("position", "velocity", "effort")
    }
    return serialize(message("sensor_msgs/msg/JointState", header=header(0), name=names, **fields))


def contacts(name: str) -> bytes:
    return serialize(
        message(
            "sensor_msgs/msg/MultiDOFJointState",
            header=header(0),
            joint_names=[name],
            transforms=[],
            twist=[],
            wrench=[],
        )
    )


GOOD_FRAME = [(topic, 0, raw) for topic, raw in SensorEncoder(ROBOT).encode(frame(0))]
GOOD_ANSWER = [
    (topic, 0, raw)
    for topic, raw in ControlEncoder(ROBOT).encode(0, ControlOutput(np.zeros(ROBOT.joints)))
]
SHORT = JointStateCodec(load_robot("boa3").joint_names, ("position", "velocity", "effort"), "x")
TWO = np.zeros(2)

# what is wrong -> (messages: topic, time, bytes; what the line must say)
MESSAGES: dict[str, tuple[list[tuple], tuple[str, ...]]] = {
    "nothing": ([], ("no messages on /boa/joint_states",)),
    "only commands": (GOOD_ANSWER, ("no messages on /boa/joint_states", "/boa/torque_command")),
    "another robot": (
        [(JOINT_STATES, 0, SHORT.encode(0, position=TWO, velocity=TWO, effort=TWO))],
        ("joint_03 is missing", "joint_12", "boa13"),
    ),
    "a joint twice": (
        [
            (
                JOINT_STATES,
                0,
                joint_state(
                    ["joint_01"] * 12,
                    **dict.fromkeys(("position", "velocity", "effort"), np.zeros(12)),
                ),
            )
        ],
        ("appears twice",),
    ),
    "too few values": (
        [(JOINT_STATES, 0, joint_state(list(ROBOT.joint_names), position=TWO))],
        ("2 values", "12"),
    ),
    "half a message": (
        [(JOINT_STATES, 0, GOOD_FRAME[-1][2][:40])],
        ("not a sensor_msgs/msg/JointState",),
    ),
    "no bytes": ([(JOINT_STATES, 0, b"")], ("not a sensor_msgs/msg/JointState",)),
    "time goes back": (
        [
            (JOINT_STATES, 0, SensorEncoder(ROBOT).encode(frame(PERIOD_NS))[-1][1]),
            (JOINT_STATES, 1, GOOD_FRAME[-1][2]),
        ],
        ("time goes back", "one run per bag"),
    ),
    "command of another robot": (
        [*GOOD_FRAME, (TORQUE_COMMAND, 0, joint_state(["joint_01"], effort=np.zeros(1)))],
        ("/boa/torque_command", "joint_02 is missing"),
    ),
    "force of a stranger": (
        [(JOINT_FORCES, 0, contacts("elbow")), *GOOD_FRAME],
        ("/boa/joint_forces", "wrenches"),
    ),
    "no IMU message": (
        [(IMU, 0, b"\0\1\0\0nonsense"), *GOOD_FRAME],
        ("not a sensor_msgs/msg/Imu",),
    ),
    "event without time": (
        [*GOOD_FRAME, (EVENTS, 0, serialize(message("std_msgs/msg/String", data="ouch")))],
        ("'ouch' is no event", "/boa/events"),
    ),
    "event without its post": (
        [
            *GOOD_FRAME,
            (
                EVENT_STATUS,
                0,
                encode_diagnostics(0, (Diagnosis("post_absent", Level.OK, "gone"),), "controller"),
            ),
        ],
        ("/boa/event_status", "'post_absent'"),
    ),
    "contact of no link": (
        [
            *GOOD_FRAME,
            (CONTACTS, 0, contacts("wheel_01")),
            *(item for item in GOOD_ANSWER if item[0] is not CONTACTS),
        ],
        ("/boa/contacts",),
    ),
    "debug names without values": (
        [
            *GOOD_FRAME,
            *(item for item in GOOD_ANSWER if item[0] is not DEBUG),
            (DEBUG, 0, joint_state(["a", "b"])),
        ],
        ("2 names for 0 values",),
    ),
    "stampless odometry": ([*GOOD_FRAME, (SIM_ODOMETRY, 0, b"\0\1")], ("carries no stamp",)),
}


@pytest.fixture(scope="module")
def scenario(tmp_path_factory):
    """A right scenario that is quick to build; in a folder of its own."""
    file = tmp_path_factory.mktemp("scenario") / "mine.yaml"
    file.write_text(yaml.safe_dump(FREE), encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("case", MESSAGES)
def test_wrong_message_in_a_bag(case, boa, tmp_path, folder_tree, scenario):
    messages, says = MESSAGES[case]
    topics = {topic.name: topic for topic, _, _ in messages} or {JOINT_STATES.name: JOINT_STATES}
    with BagWriter(tmp_path / "bag", topics.values()) as bag:
        for topic, time_ns, raw in messages:
            bag.write(topic, time_ns, raw)
    check(boa, ("bag", "replay", "bag", "--scenario", scenario), says, folder_tree)


def test_wrong_type_on_a_topic(boa, tmp_path, folder_tree, scenario):
    from dataclasses import replace

    wrong = replace(JOINT_STATES, msgtype="std_msgs/msg/String")
    with BagWriter(tmp_path / "bag", [wrong]) as bag:
        bag.write(wrong, 0, serialize(message("std_msgs/msg/String", data="hello")))
    says = ("/boa/joint_states has type std_msgs/msg/String", "expected sensor_msgs/msg/JointState")
    check(boa, ("bag", "replay", "bag", "--scenario", scenario), says, folder_tree)


RECOVER = "'boa bag recover'"

# what has happened to it -> what the line must say
DAMAGES: dict[str, tuple[str, ...]] = {
    "cut off": ("cannot be read", RECOVER),
    "overwritten": ("cannot be read", RECOVER),
    "emptied": ("cannot be read", RECOVER),
    "no storage": ("missing",),
    "no metadata": ("no metadata.yaml", ".mcap file", RECOVER),
    "wrong metadata": ("metadata",),
    "messages lost": ("is damaged", "2000 of 2016 messages on /boa/joint_states"),
}


def damage(path: Path, how: str) -> None:
    """Damage a good bag."""
    encoder = SensorEncoder(ROBOT)
    with BagWriter(path, [JOINT_STATES]) as bag:
        for tick in range(2000):
            bag.write(JOINT_STATES, tick, encoder.encode(frame(tick * PERIOD_NS))[-1][1])
    storage, metadata = path / "bag.mcap", path / "metadata.yaml"
    content = storage.read_bytes()
    if how == "cut off":
        storage.write_bytes(content[: len(content) // 2])
    elif how == "overwritten":
        storage.write_bytes(content[:200] + b"\xff" * 4000 + content[4200:])
    elif how == "emptied":
        storage.write_bytes(b"")
    elif how == "no storage":
        storage.unlink()
    elif how == "no metadata":
        metadata.unlink()
    elif how == "wrong metadata":
        metadata.write_text("rosbag2_bagfile_information: 7\n", encoding="utf-8")
    else:
        more = metadata.read_text(encoding="utf-8").replace(
            "message_count: 2000", "message_count: 2016"
        )
        metadata.write_text(more, encoding="utf-8")


@pytest.mark.parametrize("how", DAMAGES)
def test_damaged_bag(how, boa, tmp_path, folder_tree, scenario):
    damage(tmp_path / "bag", how)
    for words in (("bag", "info"), ("bag", "play"), ("bag", "replay"), ("report",)):
        chosen = ("--scenario", scenario) if words[-1] in ("replay", "report") else ()
        check(boa, (*words, "bag", *chosen), ("bag", *DAMAGES[how]), folder_tree)


def test_bag_without_scenario(boa, tmp_path, folder_tree):
    with BagWriter(tmp_path / "bag", [JOINT_STATES]) as bag:
        bag.write(*GOOD_FRAME[-1])
    check(boa, ("report", "bag"), ("which scenario", "--scenario"), folder_tree)


def test_bag_with_a_wrong_scenario(boa, tmp_path, folder_tree):
    with BagWriter(tmp_path / "bag", [JOINT_STATES], scenario="name: x\nsummary: y\n") as bag:
        bag.write(*GOOD_FRAME[-1])
    check(boa, ("report", "bag"), ("scenario in bag 'bag'", "'controller' is missing"), folder_tree)
