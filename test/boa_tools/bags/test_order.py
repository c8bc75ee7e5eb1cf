# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The order and times that live messages get in a bag."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boa_control.messages.cdr import MessageError
from boa_control.messages.control import TorqueCodec
from boa_control.messages.events import SentenceMessage, encode_sentence
from boa_control.messages.joints import FIELDS, JointStateCodec
from boa_control.messages.sensors import ForceCodec
from boa_control.messages.topics import (
    EVENTS,
    JOINT_FORCES,
    JOINT_STATES,
    ROBOT_DESCRIPTION,
    TF,
    TORQUE_COMMAND,
)
from boa_control.messages.views import encode_text
from boa_control.plant import ForceSample
from boa_description.load import load_robot
from boa_tools.bags.order import BagOrder

ROBOT = load_robot("boa3")
JOINTS = JointStateCodec(ROBOT.joint_names, FIELDS, "")
ZERO = np.zeros(ROBOT.joints)


def joints(stamp: int) -> bytes:
    return JOINTS.encode(stamp, position=ZERO, velocity=ZERO, effort=ZERO)


def forces(stamp: int) -> bytes:
    (raw,) = ForceCodec(ROBOT).encode(ForceSample(stamp, np.zeros((ROBOT.joints, 3))))
    return raw


def command(stamp: int) -> bytes:
    return TorqueCodec(ROBOT, TORQUE_COMMAND).encode(stamp, effort=ZERO)


def test_an_old_sample_belongs_to_the_tick_that_it_arrives_with() -> None:
    order = BagOrder()
    order.take(JOINT_STATES, joints(10))
    assert order.take(JOINT_FORCES, forces(4)) == [], "taken at 4, on its way until 20"
    assert [(topic, time) for topic, time, _ in order.take(JOINT_STATES, joints(20))] == [
        (JOINT_FORCES, 20),
        (JOINT_STATES, 20),
    ]


def test_a_sample_that_overtakes_the_joint_states_of_its_tick_waits_for_them() -> None:
    order = BagOrder()
    order.take(JOINT_FORCES, forces(200))
    order.take(JOINT_FORCES, forces(400))
    first = order.take(JOINT_STATES, joints(200))
    assert [time_ns for _, time_ns, _ in first] == [200, 200]
    second = order.take(JOINT_STATES, joints(400))
    assert [(topic, time_ns) for topic, time_ns, _ in second] == [
        (JOINT_FORCES, 400),
        (JOINT_STATES, 400),
    ]


def test_nothing_is_written_before_the_first_tick_and_nothing_is_lost() -> None:
    order = BagOrder()
    assert order.take(ROBOT_DESCRIPTION, encode_text("<robot/>")) == []
    assert order.take(TORQUE_COMMAND, command(7)) == [], "overtook the joint states that it answers"
    timed = order.take(JOINT_STATES, joints(7))
    assert [(topic, time) for topic, time, _ in timed] == [
        (ROBOT_DESCRIPTION, 7),
        (TORQUE_COMMAND, 7),
        (JOINT_STATES, 7),
    ]


def test_events_have_the_time_that_they_say() -> None:
    order = BagOrder()
    order.take(JOINT_STATES, joints(10))
    raw = encode_sentence(SentenceMessage(8, "controller", "gain obstacle 1 link 2"))
    assert order.take(EVENTS, raw) == [(EVENTS, 8, raw)]


def test_a_reset_ends_the_bag() -> None:
    order = BagOrder()
    order.take(JOINT_STATES, joints(10))
    order.take(JOINT_STATES, joints(20))
    assert order.take(JOINT_STATES, joints(0)) == [] and order.over
    assert order.take(TORQUE_COMMAND, command(0)) == []
    assert order.newest_ns == 20


def test_the_end_of_a_bag_keeps_what_was_held_back() -> None:
    order = BagOrder()
    order.take(JOINT_STATES, joints(10))
    order.take(JOINT_FORCES, forces(9))
    assert [(topic, time) for topic, time, _ in order.rest()] == [(JOINT_FORCES, 10)]
    assert order.rest() == []


def test_lost_ticks_are_noticed() -> None:
    order = BagOrder()
    for stamp in (0, 2, 4, 10, 12):
        order.take(JOINT_STATES, joints(stamp))
    assert order.largest_gap_ns == 6


def test_what_has_no_time_is_refused() -> None:
    with pytest.raises(MessageError, match="/tf"):
        BagOrder().take(replace(TF, stamp_at=None), encode_text("x"))


@pytest.mark.parametrize(
    ("topic", "raw"),
    [
        (JOINT_STATES, joints(-1)),
        (TORQUE_COMMAND, command(-1_000_000_000)),
        (EVENTS, encode_sentence(SentenceMessage(2**63, "controller", "boo"))),
    ],
)
def test_a_stamp_that_no_bag_can_hold_is_refused(topic, raw) -> None:
    order = BagOrder()
    order.take(JOINT_STATES, joints(10))
    with pytest.raises(MessageError, match=f"{topic.name}: a stamp of .* s; expected"):
        order.take(topic, raw)
    assert order.take(JOINT_STATES, joints(20)) == [(JOINT_STATES, 20, joints(20))]


def test_a_stamp_that_is_not_set_is_that_of_the_next_tick() -> None:
    order = BagOrder()
    order.take(JOINT_STATES, joints(10))
    assert order.take(TORQUE_COMMAND, command(0)) == []
    assert [time for _, time, _ in order.take(JOINT_STATES, joints(20))] == [20, 20]
