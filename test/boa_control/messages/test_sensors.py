# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Frames as messages and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.messages.cdr import MessageError, deserialize, serialize
from boa_control.messages.forces import ForceCodec
from boa_control.messages.imu import ImuCodec
from boa_control.messages.link_imus import LinkImusCodec
from boa_control.messages.sensors import SensorDecoder, SensorEncoder
from boa_control.messages.topics import IMU, IMUS, JOINT_FORCES, JOINT_STATES
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.load import load_robot
from boa_description.quaternion import yaw_of


def sample_force(robot, rng, stamp: int) -> ForceSample:
    force = rng.normal(size=(robot.joints, 3))
    force[rng.random(force.shape) < 0.1] = np.nan
    return ForceSample(stamp, force)


def sample_imu(robot, rng, stamp: int) -> ImuSample:
    n = robot.links
    yaw, rate, acceleration = rng.uniform(-3, 3, n), rng.normal(size=n), rng.normal(size=(n, 2))
    silent = rng.random(n) < 0.2
    yaw[silent], rate[silent], acceleration[silent] = np.nan, np.nan, np.nan
    if rng.random() < 0.5:
        return ImuSample.planar(stamp, yaw, rate, acceleration)
    turn = rng.normal(size=(n, 4))
    turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    turn[silent] = np.nan
    spin, push = rng.normal(size=(2, n, 3))
    spin[rng.random(spin.shape) < 0.1] = np.nan
    push[rng.random(push.shape) < 0.1] = np.nan
    return ImuSample(stamp, turn, spin, push, yaw_of(turn))


def sample_frame(
    robot, rng, stamp: int, force: ForceSample | None, imu: ImuSample | None
) -> SensorFrame:
    n = robot.joints
    position, velocity, effort = rng.normal(size=(3, n))
    return SensorFrame(
        stamp, position, velocity, effort, force, imu, np.full(n, 25.0), np.zeros(n), ("fault",)
    )


def send(encoder: SensorEncoder, decoder: SensorDecoder, frame: SensorFrame) -> SensorFrame:
    received = None
    for topic, raw in encoder.encode(frame):
        assert received is None, "joint states must come last"
        if topic is JOINT_STATES:
            received = decoder.joint_states(raw)
        else:
            decoder.sample(topic.name, raw)
    assert received is not None
    return received


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32),
    links=st.sampled_from([2, 3, 13, 100]),
    rates=st.tuples(*2 * [st.integers(1, 4)]),
)
def test_frames_arrive_as_they_were_sent(seed: int, links: int, rates: tuple[int, int]) -> None:
    robot, rng = load_robot("boa13", links=links), np.random.default_rng(seed)
    encoder, decoder = SensorEncoder(robot), SensorDecoder(robot)
    force, imu = None, None
    for tick in range(8):
        stamp = tick * 2_000_000
        if tick % rates[0] == 1 % rates[0]:
            force = sample_force(robot, rng, stamp - 1_000_000 if tick else 0)
        if tick % rates[1] == 1 % rates[1]:
            imu = sample_imu(robot, rng, stamp)
        frame = sample_frame(robot, rng, stamp, force, imu)
        received = send(encoder, decoder, frame)
        assert received.stamp_ns == stamp
        for field in ("position", "velocity", "effort"):
            np.testing.assert_array_equal(getattr(received, field), getattr(frame, field))
        assert (received.joint_force is None) == (force is None)
        if force is not None:
            assert received.joint_force.stamp_ns == force.stamp_ns
            np.testing.assert_array_equal(received.joint_force.force, force.force)
        assert (received.imu is None) == (imu is None)
        if imu is not None:
            assert received.imu.stamp_ns == imu.stamp_ns
            np.testing.assert_allclose(received.imu.yaw, imu.yaw, rtol=0, atol=1e-15)
            for field in ("orientation", "angular_velocity", "linear_acceleration"):
                np.testing.assert_array_equal(getattr(received.imu, field), getattr(imu, field))
            np.testing.assert_array_equal(received.imu.yaw_rate, imu.yaw_rate)
            np.testing.assert_array_equal(received.imu.acceleration, imu.acceleration)


def test_a_sample_is_sent_once(robot) -> None:
    rng = np.random.default_rng(1)
    encoder = SensorEncoder(robot)
    force, imu = sample_force(robot, rng, 0), sample_imu(robot, rng, 0)
    topics = [topic for topic, _ in encoder.encode(sample_frame(robot, rng, 0, force, imu))]
    assert topics == [JOINT_FORCES, IMUS, JOINT_STATES]
    assert [t for t, _ in encoder.encode(sample_frame(robot, rng, 2_000_000, force, imu))] == [
        JOINT_STATES
    ]


def test_same_bytes_as_other_implementations(robot, same_bytes) -> None:
    rng = np.random.default_rng(2)
    frame = sample_frame(robot, rng, 9, sample_force(robot, rng, 7), sample_imu(robot, rng, 8))
    for topic, raw in SensorEncoder(robot).encode(frame):
        same_bytes(raw, topic.msgtype)


def test_a_standard_reader_sees_forces_imu_and_what_is_missing(robot) -> None:
    n = robot.links
    force = ForceSample(3, np.arange(3.0 * (n - 1)).reshape(-1, 3))
    content = deserialize(ForceCodec(robot).encode(force)[0], "sensor_msgs/msg/MultiDOFJointState")
    assert content.joint_names == list(robot.joint_names)
    assert (content.wrench[1].force.x, content.wrench[1].force.y, content.wrench[1].force.z) == (
        3.0,
        4.0,
        5.0,
    )

    yaw = np.full(n, np.pi / 2)
    yaw[4] = np.nan
    imu = ImuSample.planar(3, yaw, np.full(n, 0.5), np.full((n, 2), 0.25))
    messages = [deserialize(raw, "sensor_msgs/msg/Imu") for raw in ImuCodec(robot).encode(imu)]
    assert [m.header.frame_id for m in messages] == [f"{link}_imu" for link in robot.link_names]
    assert messages[0].orientation.z == pytest.approx(np.sqrt(0.5))
    assert messages[0].angular_velocity.z == 0.5
    assert (messages[0].linear_acceleration.x, messages[0].linear_acceleration.y) == (0.25, 0.25)
    assert messages[0].linear_acceleration_covariance[8] == -1  # z is not measured
    assert np.isnan(messages[0].linear_acceleration.z)
    assert (
        messages[0].orientation_covariance[0] == 0 and messages[4].orientation_covariance[0] == -1
    )
    assert np.isnan(messages[4].orientation.z) and messages[4].angular_velocity_covariance[0] == 0


def test_a_reading_of_one_link_that_never_comes_is_missing_not_old(robot) -> None:
    rng = np.random.default_rng(3)
    codec, decoder, encoder = ImuCodec(robot), SensorDecoder(robot), SensorEncoder(robot)
    complete = ImuSample.planar(
        1, np.ones(robot.links), np.ones(robot.links), np.ones((robot.links, 2))
    )
    for raw in codec.encode(complete):
        decoder.sample(IMU.name, raw)
    later = ImuSample.planar(2, complete.yaw, complete.yaw_rate, complete.acceleration)
    for link, raw in enumerate(codec.encode(later)):
        if link != 5:
            decoder.sample(IMU.name, raw)
    last = ImuSample.planar(3, complete.yaw, complete.yaw_rate, complete.acceleration)
    # a newer sample begins: what is there of the one before counts
    decoder.sample(IMU.name, codec.encode(last)[0])
    joints = encoder.encode(sample_frame(robot, rng, 3, None, None))[-1][1]
    sample = decoder.joint_states(joints).imu
    assert sample.stamp_ns == 2
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(sample.yaw_rate)), [5])


def test_forces_of_other_senders_are_read_by_name(robot) -> None:
    sample = sample_force(robot, np.random.default_rng(4), 11)
    codec = ForceCodec(robot)
    content = deserialize(codec.encode(sample)[0], "sensor_msgs/msg/MultiDOFJointState")
    content.header.frame_id = "lab"
    content.joint_names.reverse()
    content.wrench.reverse()
    np.testing.assert_array_equal(codec.decode(serialize(content)).force, sample.force)
    content.wrench.pop()
    with pytest.raises(MessageError, match="11 wrenches for 12 names"):
        codec.decode(serialize(content))


def test_an_imu_of_no_link_is_refused(robot) -> None:
    other = load_robot("boa13", links=20)
    sample = ImuSample.planar(0, np.zeros(20), np.zeros(20), np.zeros((20, 2)))
    with pytest.raises(MessageError, match="'link_20_imu' is no IMU; expected link_01_imu to"):
        ImuCodec(robot).decode(ImuCodec(other).encode(sample)[-1])


def test_bags_that_name_the_link_instead_of_its_imu_are_read(robot) -> None:
    sample = sample_imu(robot, np.random.default_rng(5), 11)
    codec, found = ImuCodec(robot), None
    for raw in ImuCodec(robot).encode(sample):
        content = deserialize(raw, "sensor_msgs/msg/Imu")
        content.header.frame_id = content.header.frame_id.removesuffix("_imu")
        found = codec.decode(serialize(content))
    np.testing.assert_array_equal(found.orientation, sample.orientation)


def test_a_standard_reader_sees_all_imus_by_their_frames(robot) -> None:
    sample = sample_imu(robot, np.random.default_rng(6), 1_000_000_007)
    (raw,) = LinkImusCodec(robot).encode(sample)
    content = deserialize(raw, IMUS.msgtype)
    assert content.joint_names == [f"{link}_imu" for link in robot.link_names]
    assert (content.header.stamp.sec, content.header.stamp.nanosec) == (1, 7)
    (point,) = content.points
    turn, rate, push = (
        point.transforms[4].rotation,
        point.velocities[4].angular,
        point.accelerations[4].linear,
    )
    np.testing.assert_array_equal([turn.x, turn.y, turn.z, turn.w], sample.orientation[4])
    np.testing.assert_array_equal([rate.x, rate.y, rate.z], sample.angular_velocity[4])
    np.testing.assert_array_equal([push.x, push.y, push.z], sample.linear_acceleration[4])
    shift, rest = point.transforms[4].translation, point.velocities[4].linear
    assert (shift.x, shift.y, shift.z, rest.x, rest.y, rest.z) == (0,) * 6


def test_imus_of_other_senders_are_read_by_name(robot) -> None:
    sample, codec = sample_imu(robot, np.random.default_rng(7), 11), LinkImusCodec(robot)
    content = deserialize(codec.encode(sample)[0], IMUS.msgtype)
    content.header.frame_id = "lab"
    (point,) = content.points
    for values in (content.joint_names, point.transforms, point.velocities, point.accelerations):
        values.reverse()
    read = codec.decode(serialize(content))
    for field in ("orientation", "angular_velocity", "linear_acceleration"):
        np.testing.assert_array_equal(getattr(read, field), getattr(sample, field))
    point.velocities.pop()
    with pytest.raises(MessageError, match="12 velocities for 13 IMUs"):
        codec.decode(serialize(content))
    content.points.clear()
    with pytest.raises(MessageError, match="0 points; expected 1"):
        codec.decode(serialize(content))
    content.joint_names[0] = "elbow"
    with pytest.raises(MessageError, match="'elbow' is no IMU; expected each of link_01_imu to"):
        codec.decode(serialize(content))


def test_imus_of_another_robot_are_refused(robot) -> None:
    other = LinkImusCodec(load_robot("boa13", links=20))
    sample = ImuSample.planar(0, np.zeros(20), np.zeros(20), np.zeros((20, 2)))
    with pytest.raises(MessageError, match="'link_14_imu' is no IMU"):
        LinkImusCodec(robot).decode(other.encode(sample)[0])


def test_one_message_and_one_per_link_say_the_same(robot) -> None:
    """Bags of both kinds give the controller the same numbers, bit for bit."""
    sample = sample_imu(robot, np.random.default_rng(8), 5)
    packed, single = SensorDecoder(robot), SensorDecoder(robot)
    for raw in LinkImusCodec(robot).encode(sample):
        packed.sample(IMUS.name, raw)
    for raw in ImuCodec(robot).encode(sample):
        single.sample(IMU.name, raw)
    joints = SensorEncoder(robot).encode(
        sample_frame(robot, np.random.default_rng(9), 5, None, None)
    )[-1][1]
    ours, theirs = packed.joint_states(joints).imu, single.joint_states(joints).imu
    for field in ("stamp_ns", "orientation", "angular_velocity", "linear_acceleration", "yaw"):
        np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field))
