# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The sensor table: every sensor beside the joints is declared here once; and `SensorFrame` as
messages and back.

Nodes, bags, recordings and replay loop over `SENSORS`. Temperatures, ages and faults travel in
/diagnostics only (`boa_control.messages.status`): a frame that was put together from messages has
NaN temperatures, zero ages and no faults. Controllers do not use them; the torque gate, which does,
sits on the plant's side.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from boa_control.messages.forces import ForceCodec
from boa_control.messages.imu import ImuCodec
from boa_control.messages.joints import FIELDS, JointStateCodec
from boa_control.messages.link_imus import LinkImusCodec
from boa_control.messages.message_columns import MessageColumn
from boa_control.messages.sample_codec import SampleCodec
from boa_control.messages.topics import (
    IMU,
    IMUS,
    JOINT_FORCES,
    JOINT_STATES,
    RECORDED_TOPICS,
    TRACKER,
    Outgoing,
    Topic,
)
from boa_control.messages.tracker import TrackerCodec, TrackerSample
from boa_control.plant import ForceSample, ImuSample, Sample, SensorFrame, new_samples
from boa_description.arrays import Array
from boa_description.robot import Robot


@dataclass(frozen=True, slots=True)
class Sensor:
    """One sensor of the robot: everything that nodes, bags, recordings and replay need of it.

    Attributes:
        name: under which `SensorFrame.sample` has its samples, and a run log its columns.
        sample: type of its samples.
        topic: on which they travel.
        codec: makes the codec for a robot.
        columns: shape of every array of a sample that a run log keeps, for a robot.
        former: topics, with their codecs, that carried its samples in older bags.
    """

    name: str
    sample: type
    topic: Topic
    codec: Callable[[Robot], SampleCodec]
    columns: Callable[[Robot], Mapping[str, tuple[int, ...]]]
    former: tuple[tuple[Topic, Callable[[Robot], SampleCodec]], ...] = ()


SENSORS: tuple[Sensor, ...] = (
    Sensor(
        "joint_force",
        ForceSample,
        JOINT_FORCES,
        ForceCodec,
        lambda robot: {"force": (robot.joints, 3)},
    ),
    Sensor(
        "imu",
        ImuSample,
        IMUS,
        LinkImusCodec,
        lambda robot: {
            "orientation": (robot.links, 4),
            "angular_velocity": (robot.links, 3),
            "linear_acceleration": (robot.links, 3),
            "heading": (robot.links,),
        },
        ((IMU, ImuCodec),),
    ),
    Sensor(
        "tracker",
        TrackerSample,
        TRACKER,
        lambda _: TrackerCodec(),
        lambda _: {"position": (3,), "orientation": (4,)},
    ),
)


def sensor_topics() -> tuple[Topic, ...]:
    """Topics of everything measured, in the order in which one tick must be published."""
    return (*(sensor.topic for sensor in SENSORS), JOINT_STATES)


def former_topics() -> tuple[Topic, ...]:
    """Topics that carry samples in older bags only."""
    return tuple(topic for sensor in SENSORS for topic, _ in sensor.former)


def recorded_topics() -> tuple[Topic, ...]:
    """The topics that belong in a bag."""
    return tuple(dict.fromkeys((*RECORDED_TOPICS, *sensor_topics())))


class SensorEncoder:
    """Turns frames into messages, in the order in which they must be published.

    Samples come before the joint states of the same tick, and only when they are new: who has
    received the joint states has everything of that tick.
    """

    def __init__(self, robot: Robot) -> None:
        self._joints = JointStateCodec(robot.joint_names, FIELDS, JOINT_STATES.name)
        self._sensors = [(sensor.name, sensor.topic, sensor.codec(robot)) for sensor in SENSORS]
        self.reset()

    def reset(self) -> None:
        """Forget which samples have been sent; for time that starts again."""
        self._sent: dict[str, int] = {}

    def encode(self, frame: SensorFrame) -> Outgoing:
        """Messages of one tick."""
        outgoing: Outgoing = []
        for name, topic, codec in self._sensors:
            sample = frame.sample(name)
            if sample is not None and sample.stamp_ns != self._sent.get(name):
                self._sent[name] = sample.stamp_ns
                outgoing += [(topic, raw) for raw in codec.encode(sample)]
        joints = self._joints.encode(
            frame.stamp_ns, position=frame.position, velocity=frame.velocity, effort=frame.effort
        )
        outgoing.append((JOINT_STATES, joints))
        return outgoing

    def encode_many(self, frames: Sequence[SensorFrame]) -> list[MessageColumn]:
        """Messages of consecutive ticks: those of `encode`, made together."""
        columns = []
        for name, topic, codec in self._sensors:
            places, samples = new_samples(frames, name, self._sent.get(name))
            if samples:
                self._sent[name] = samples[-1].stamp_ns
                raws = codec.encode_many(samples)
                ticks = [tick for tick, of in zip(places, raws, strict=True) for _ in of]
                columns.append(MessageColumn(topic, list(chain.from_iterable(raws)), ticks))
        joints = self._joints.encode_many(
            [frame.stamp_ns for frame in frames],
            position=np.array([frame.position for frame in frames]),
            velocity=np.array([frame.velocity for frame in frames]),
            effort=np.array([frame.effort for frame in frames]),
        )
        return [*columns, MessageColumn(JOINT_STATES, joints)]


class SensorDecoder:
    """Puts frames together from messages: feed those of the sensors as they come, joint states
    give a frame. Topics of older bags are read as well.
    """

    def __init__(self, robot: Robot) -> None:
        self._joints = JointStateCodec(robot.joint_names, FIELDS, JOINT_STATES.name)
        self._inputs: dict[str, tuple[str, SampleCodec]] = {
            topic.name: (sensor.name, codec(robot))
            for sensor in SENSORS
            for topic, codec in ((sensor.topic, sensor.codec), *sensor.former)
        }
        self._newest: dict[str, Sample] = {}
        self._unknown = np.full(robot.joints, np.nan)
        self._fresh = np.zeros(robot.joints)

    def reset(self) -> None:
        """Forget all samples; for time that starts again."""
        self._newest.clear()
        for _, codec in self._inputs.values():
            codec.reset()

    def forget_after(self, stamp_ns: int) -> None:
        """Forget samples newer than this, ns: those of the time before time started again."""
        for name, codec in self._inputs.values():
            sample = self._newest.get(name)
            if sample is not None and sample.stamp_ns > stamp_ns:
                del self._newest[name]
                codec.reset()

    def sample(self, topic: str, raw: bytes) -> None:
        """Take a message of a sensor's topic.

        Raises:
            MessageError: not a message of that sensor of this robot.
        """
        name, codec = self._inputs[topic]
        sample = codec.decode(raw)
        if sample is not None:
            self._newest[name] = sample

    def joint_states(self, raw: bytes) -> SensorFrame:
        """Take a message of joint_states and return the frame that it completes.

        Raises:
            MessageError: not a JointState of this robot.
        """
        stamp, joints = self._joints.decode(raw)
        return self._frame(stamp, joints["position"], joints["velocity"], joints["effort"])

    def frames(self, messages: Sequence[tuple[str, bytes]]) -> list[SensorFrame]:
        """Take topics and messages in order, joint states among them; the frames that these
        complete: those of `sample` and `joint_states`.

        Raises:
            MessageError: not a message of that topic of this robot.
        """
        raws: dict[str, list[bytes]] = {}
        for topic, raw in messages:
            raws.setdefault(topic, []).append(raw)
        stamps, joints = self._joints.decode_many(raws.pop(JOINT_STATES.name))
        states = zip(stamps.tolist(), *(joints[field] for field in FIELDS), strict=True)
        samples = {topic: iter(self._inputs[topic][1].decode_many(raws[topic])) for topic in raws}
        frames = []
        for topic, _ in messages:
            if topic == JOINT_STATES.name:
                frames.append(self._frame(*next(states)))
            elif (sample := next(samples[topic])) is not None:
                self._newest[self._inputs[topic][0]] = sample
        return frames

    def _frame(self, stamp_ns: int, position: Array, velocity: Array, effort: Array) -> SensorFrame:
        further = dict(self._newest)
        force, imu = further.pop("joint_force", None), further.pop("imu", None)
        return SensorFrame(
            stamp_ns=stamp_ns,
            position=position,
            velocity=velocity,
            effort=effort,
            joint_force=force if isinstance(force, ForceSample) else None,
            imu=imu if isinstance(imu, ImuSample) else None,
            temperature=self._unknown.copy(),
            joint_age=self._fresh.copy(),
            further=further,
        )
