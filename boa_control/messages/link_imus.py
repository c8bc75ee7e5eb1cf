# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""All link IMUs in one message: `ImuSample` as imus, a trajectory_msgs/MultiDOFJointTrajectory of
one point, and back.

`joint_names[i]` names the IMU's frame; of the point, `transforms[i].rotation` is its orientation,
`velocities[i].angular` its angular velocity and `accelerations[i].linear` its acceleration. What is
not measured is NaN; translations, linear velocities and angular accelerations are zero.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from boa_control.messages.cdr import (
    Mark,
    MessageError,
    Template,
    deserialize,
    header,
    message,
    nanoseconds,
    transform,
    twist,
)
from boa_control.messages.sample_codec import SampleCodec
from boa_control.messages.topics import IMUS
from boa_control.plant import ImuSample, orientations
from boa_description.arrays import Array
from boa_description.frames import imu_frame
from boa_description.quaternion import yaw_of
from boa_description.robot import Robot

ROTATION = slice(3, 7)  # of the seven numbers of a transform
LINEAR, ANGULAR = slice(0, 3), slice(3, 6)  # of the six numbers of a twist


class LinkImusCodec(SampleCodec):
    """One message per sample."""

    def __init__(self, robot: Robot) -> None:
        self._frames = tuple(robot.frame(imu_frame(link)) for link in robot.link_names)
        self._template = Template(self._build)
        self._pose = np.zeros((robot.links, 7))
        self._velocity = np.zeros((robot.links, 6))
        self._acceleration = np.zeros((robot.links, 6))

    def _build(self, mark: Mark) -> Any:
        links = len(self._frames)
        transforms = [transform(row) for row in mark("pose", links, 7)]
        velocities = [twist(row) for row in mark("velocity", links, 6)]
        accelerations = [twist(row) for row in mark("acceleration", links, 6)]
        point = message(
            "trajectory_msgs/msg/MultiDOFJointTrajectoryPoint",
            transforms=transforms,
            velocities=velocities,
            accelerations=accelerations,
            time_from_start=message("builtin_interfaces/msg/Duration", sec=0, nanosec=0),
        )
        return message(
            IMUS.msgtype, header=header(), joint_names=list(self._frames), points=[point]
        )

    def encode(self, sample: ImuSample) -> list[bytes]:
        """Serialise one sample: one message."""
        self._pose[:, ROTATION] = sample.orientation
        self._velocity[:, ANGULAR] = sample.angular_velocity
        self._acceleration[:, LINEAR] = sample.linear_acceleration
        return [
            self._template.write(
                sample.stamp_ns,
                pose=self._pose,
                velocity=self._velocity,
                acceleration=self._acceleration,
            )
        ]

    def encode_many(self, samples: Sequence[ImuSample]) -> list[list[bytes]]:
        """Serialise many samples at once: one message each."""
        count, links = len(samples), len(self._frames)
        pose = np.zeros((count, links, 7))
        velocity, acceleration = np.zeros((2, count, links, 6))
        pose[..., ROTATION] = orientations(samples)
        velocity[..., ANGULAR] = [sample.angular_velocity for sample in samples]
        acceleration[..., LINEAR] = [sample.linear_acceleration for sample in samples]
        raws = self._template.write_many(
            [sample.stamp_ns for sample in samples],
            pose=pose,
            velocity=velocity,
            acceleration=acceleration,
        )
        return [[raw] for raw in raws]

    def decode(self, raw: bytes) -> ImuSample:
        """Read one sample.

        Raises:
            MessageError: not such a message, or other IMUs than this robot's.
        """
        known = self._template.read(raw)
        if known is None:
            return self._by_name(raw)
        stamp, numbers = known
        # contiguous: numpy's trigonometry may round rows with gaps otherwise
        turn = numbers["pose"][:, ROTATION].copy()
        rate = numbers["velocity"][:, ANGULAR].copy()
        push = numbers["acceleration"][:, LINEAR].copy()
        return ImuSample(stamp, turn, rate, push, yaw_of(turn))

    def decode_many(self, raws: Sequence[bytes]) -> list[ImuSample]:
        """Read many samples."""
        known = self._template.read_many(raws)
        if known is None:
            return [self.decode(raw) for raw in raws]
        stamps, numbers = known
        turn = numbers["pose"][..., ROTATION].copy()
        rate = numbers["velocity"][..., ANGULAR].copy()
        push = numbers["acceleration"][..., LINEAR].copy()
        return list(map(ImuSample, stamps.tolist(), turn, rate, push, yaw_of(turn)))

    def _by_name(self, raw: bytes) -> ImuSample:
        """A message that another sender has ordered or padded in its own way."""
        content = deserialize(raw, IMUS.msgtype)
        names = list(content.joint_names)
        if sorted(names) != sorted(self._frames):
            strange = next((name for name in names if name not in self._frames), None)
            problem = f"'{strange}' is no IMU" if strange else f"{len(names)} IMUs"
            raise MessageError(
                f"{IMUS.name}: {problem}; expected each of {self._frames[0]} to "
                f"{self._frames[-1]} once"
            )
        if len(content.points) != 1:
            raise MessageError(f"{IMUS.name}: {len(content.points)} points; expected 1")
        point = content.points[0]
        for field in ("transforms", "velocities", "accelerations"):
            if len(getattr(point, field)) != len(names):
                raise MessageError(
                    f"{IMUS.name}: {len(getattr(point, field))} {field} for {len(names)} IMUs"
                )
        order = [names.index(frame) for frame in self._frames]
        turns = [point.transforms[k].rotation for k in order]
        turn = np.array([(q.x, q.y, q.z, q.w) for q in turns])
        rate = _vectors([point.velocities[k].angular for k in order])
        push = _vectors([point.accelerations[k].linear for k in order])
        return ImuSample(nanoseconds(content.header.stamp), turn, rate, push, yaw_of(turn))


def _vectors(rows: list[Any]) -> Array:
    return np.array([(v.x, v.y, v.z) for v in rows])
