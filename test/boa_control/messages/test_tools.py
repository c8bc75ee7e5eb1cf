# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Single sensors for tools: the same numbers as on the topics of the sensor table, in the frames of
the URDF.
"""

from __future__ import annotations

import numpy as np

from boa_control.messages.cdr import deserialize
from boa_control.messages.imu import ImuCodec
from boa_control.messages.tools import ToolTopics, joint_wrench, link_imu
from boa_control.messages.topics import IMU
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.joint_tree import joint_tree
from boa_description.load import load_robot

BOA = load_robot("boa13")
FRAMES = {joint.child for joint in joint_tree(BOA)}


def frame(stamp: int, imu: ImuSample | None, force: ForceSample | None) -> SensorFrame:
    n = np.zeros(BOA.joints)
    return SensorFrame(stamp, n, n, n, force, imu, n, n)


def samples(stamp: int) -> tuple[ImuSample, ForceSample]:
    rng = np.random.default_rng(stamp)
    n = BOA.links
    imu = ImuSample.planar(stamp, rng.normal(size=n), rng.normal(size=n), rng.normal(size=(n, 2)))
    return imu, ForceSample(stamp, rng.normal(size=(BOA.joints, 3)))


def everything(tools: ToolTopics) -> frozenset:
    return frozenset(tools.topics)


def test_every_sensor_has_its_topic_and_its_frame_of_the_urdf(same_bytes) -> None:
    tools = ToolTopics(BOA)
    sent = tools.encode(frame(9, *samples(7)), everything(tools))
    single = [(topic, raw) for topic, raw in sent if topic is not IMU]
    assert [topic for topic, _ in single] == [*tools.imus, *tools.wrenches]
    # all links on one topic, too, with the same bytes
    assert [raw for topic, raw in sent if topic is IMU] == [raw for _, raw in single[: BOA.links]]
    for topic, raw in single:
        content = same_bytes(raw, topic.msgtype)
        _, _, part, kind = topic.name.split("/")
        expected = f"{part}_imu" if kind == "imu" else f"{part}_force"
        assert content.header.frame_id == expected and expected in FRAMES
        assert (content.header.stamp.sec, content.header.stamp.nanosec) == (0, 7)


def test_the_numbers_are_those_of_the_sample() -> None:
    imu, force = samples(3)
    chosen = frozenset((link_imu("link_05"), joint_wrench("joint_12")))
    (first, gyro), (second, wrench) = ToolTopics(BOA).encode(frame(5, imu, force), chosen)
    assert {first, second} == chosen
    assert gyro == ImuCodec(BOA).encode(imu)[4]
    content = deserialize(wrench, second.msgtype).wrench
    push, twist = content.force, content.torque
    np.testing.assert_array_equal([push.x, push.y, push.z], force.force[11])
    assert (twist.x, twist.y, twist.z) == (0.0, 0.0, 0.0)


def test_a_sample_goes_out_once_and_only_to_who_listens() -> None:
    tools = ToolTopics(BOA)
    imu, force = samples(3)
    assert tools.encode(frame(3, imu, force), frozenset()) == []
    one = frozenset((link_imu("link_01"),))
    # who listens from now on gets the sample that nobody has had
    assert [topic for topic, _ in tools.encode(frame(5, imu, force), one)] == [*one]
    assert tools.encode(frame(7, imu, force), one) == []
    assert len(tools.encode(frame(9, *samples(9)), one)) == 1


def test_a_missing_force_stays_missing() -> None:
    imu, force = samples(3)
    force.force[4] = np.nan
    topic = joint_wrench("joint_05")
    ((_, raw),) = ToolTopics(BOA).encode(frame(3, imu, force), frozenset((topic,)))
    assert np.isnan(deserialize(raw, topic.msgtype).wrench.force.x)


def test_no_sample_no_message() -> None:
    tools = ToolTopics(BOA)
    assert tools.encode(frame(0, None, None), everything(tools)) == []
