"""What the robot measures, `SensorFrame`, as the messages joint_states, joint_forces and imu.

Temperatures, ages and faults travel in /diagnostics only (`boa_control.messages.status`): a frame
that was put together from messages has NaN temperatures, zero ages and no faults. Controllers do
not use them; the torque gate, which does, sits on the plant's side.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from boa_control.messages.cdr import (
    Mark,
    MessageError,
    Template,
    deserialize,
    header,
    in_order,
    message,
    nanoseconds,
    quaternion,
    stamp_of,
    vector,
    yaw_of,
    yaw_quaternion,
)
from boa_control.messages.joints import FIELDS, JointStateCodec
from boa_control.messages.topics import IMU, JOINT_FORCES, JOINT_STATES, Topic
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Imu, Robot

Outgoing = list[tuple[Topic, bytes]]

MULTI_DOF = "sensor_msgs/msg/MultiDOFJointState"
MISSING = np.diag([-1.0, -1.0, -1.0]).ravel()  # covariance of what is not measured


class ForceCodec:
    """joint_forces: `ForceSample` as a MultiDOFJointState whose wrenches carry the forces; torques
    are zero.
    """

    def __init__(self, robot: Robot) -> None:
        self._names = robot.joint_names
        self._template = Template(self._build)
        self._wrench = np.zeros((robot.joints, 6))

    def _build(self, mark: Mark) -> Any:
        wrench = [_wrench(row) for row in mark("wrench", len(self._names), 6)]
        names = list(self._names)
        return message(
            MULTI_DOF, header=header(), joint_names=names, transforms=[], twist=[], wrench=wrench
        )

    def encode(self, sample: ForceSample) -> bytes:
        """Serialise one sample."""
        self._wrench[:, :3] = sample.force
        return self._template.write(sample.stamp_ns, wrench=self._wrench)

    def decode(self, raw: bytes) -> ForceSample:
        """Read one sample. Raises MessageError for other joints or other bytes."""
        known = self._template.read(raw)
        if known is not None:
            return ForceSample(known[0], known[1]["wrench"][:, :3])
        content = deserialize(raw, MULTI_DOF)
        if len(content.wrench) != len(content.joint_names):
            raise MessageError(
                f"{JOINT_FORCES.name}: {len(content.wrench)} wrenches for "
                f"{len(content.joint_names)} names"
            )
        axes = [
            in_order(
                {
                    name: getattr(w.force, axis)
                    for name, w in zip(content.joint_names, content.wrench, strict=True)
                },
                self._names,
                JOINT_FORCES.name,
            )
            for axis in "xyz"
        ]
        return ForceSample(nanoseconds(content.header.stamp), np.column_stack(axes))


# where the numbers of an Imu message are: quaternion, vectors, and row-major 3x3 covariances
TURN, TURN_COVARIANCE = slice(0, 4), slice(4, 13)
RATE, RATE_COVARIANCE = slice(13, 16), slice(16, 25)
PUSH, PUSH_COVARIANCE = slice(25, 28), slice(28, 37)
IMU_NUMBERS = 37
TURN_Z, RATE_Z, PUSH_X, PUSH_Y, PUSH_Z = 2, 15, 25, 26, 27
SILENT = np.full(IMU_NUMBERS, np.nan).tobytes()  # a link that did not report


class ImuCodec:
    """imu: `ImuSample` as one sensor_msgs/Imu per link.

    The robot is planar: roll, pitch and their rates are zero and known. Acceleration along z is not
    measured. What is not measured is NaN, with -1 on the diagonal of its covariance.
    """

    def __init__(self, robot: Robot) -> None:
        self._links = robot.link_names
        self._index = {name: index for index, name in enumerate(robot.link_names)}
        self._templates = [Template(partial(_imu, frame=name)) for name in self._links]
        self._healthy = _healthy_imu(robot.imu)
        self._numbers = np.tile(self._healthy, (robot.links, 1))
        self._marked = False

    def encode(self, sample: ImuSample) -> list[bytes]:
        """Serialise one sample, a message per link from tail to head."""
        numbers = self._numbers
        numbers[:, TURN] = yaw_quaternion(sample.yaw)
        numbers[:, RATE_Z] = sample.yaw_rate
        numbers[:, PUSH_X : PUSH_Y + 1] = sample.acceleration
        self._mark_missing()
        stamp = sample.stamp_ns
        return [
            template.write(stamp, imu=row)
            for template, row in zip(self._templates, numbers, strict=True)
        ]

    def _mark_missing(self) -> None:
        """Make the covariances say which values are NaN."""
        missing = np.isnan(self._numbers[:, [TURN_Z, RATE_Z, PUSH_X, PUSH_Y]])
        if not (self._marked or missing.any()):
            return
        self._marked = bool(missing.any())
        turn, rate, push = missing[:, 0], missing[:, 1], missing[:, 2] | missing[:, 3]
        for block, silent in (
            (TURN_COVARIANCE, turn),
            (RATE_COVARIANCE, rate),
            (PUSH_COVARIANCE, push),
        ):
            self._numbers[:, block] = np.where(silent[:, None], MISSING, self._healthy[block])

    def decode(self, raw: bytes, guess: int = 0) -> tuple[int, int, bytes]:
        """Return stamp (ns), index of the link, and the numbers of the message, for `sample`.

        `guess` is the link whose message it probably is; a right guess saves time.

        Raises:
            MessageError: not an Imu message, or of no link of this robot.
        """
        template = self._templates[guess]
        if template.fits(raw):
            return stamp_of(raw), guess, template.cut(raw, "imu")
        content = deserialize(raw, "sensor_msgs/msg/Imu")
        link = self._index.get(content.header.frame_id)
        if link is None:
            raise MessageError(
                f"{IMU.name}: frame_id '{content.header.frame_id}' is no link; "
                f"expected {self._links[0]} to {self._links[-1]}"
            )
        turn, rate, push = (
            content.orientation,
            content.angular_velocity,
            content.linear_acceleration,
        )
        numbers = np.full(IMU_NUMBERS, np.nan)
        numbers[TURN] = turn.x, turn.y, turn.z, turn.w
        numbers[[RATE_Z, PUSH_X, PUSH_Y]] = rate.z, push.x, push.y
        return nanoseconds(content.header.stamp), link, numbers.tobytes()

    @staticmethod
    def sample(stamp_ns: int, messages: Sequence[bytes]) -> ImuSample:
        """Put a sample together from the numbers of all links. Yaw is wrapped to [-pi, pi]."""
        numbers = np.frombuffer(b"".join(messages), "<f8").reshape(-1, IMU_NUMBERS)
        return ImuSample(
            stamp_ns,
            yaw_of(numbers[:, TURN]),
            numbers[:, RATE_Z].copy(),
            numbers[:, PUSH_X : PUSH_Y + 1].copy(),
        )


class SensorEncoder:
    """Turns frames into messages, in the order in which they must be published.

    Forces and IMU samples come before the joint states of the same tick, and only when they are
    new: who has received the joint states has everything of that tick.
    """

    def __init__(self, robot: Robot) -> None:
        self._joints = JointStateCodec(robot.joint_names, FIELDS, JOINT_STATES.name)
        self._forces = ForceCodec(robot)
        self._imu = ImuCodec(robot)
        self.reset()

    def reset(self) -> None:
        """Forget which samples have been sent; for time that starts again."""
        self._force_stamp: int | None = None
        self._imu_stamp: int | None = None

    def encode(self, frame: SensorFrame) -> Outgoing:
        """Messages of one tick."""
        outgoing: Outgoing = []
        force, imu = frame.joint_force, frame.imu
        if force is not None and force.stamp_ns != self._force_stamp:
            self._force_stamp = force.stamp_ns
            outgoing.append((JOINT_FORCES, self._forces.encode(force)))
        if imu is not None and imu.stamp_ns != self._imu_stamp:
            self._imu_stamp = imu.stamp_ns
            outgoing += [(IMU, raw) for raw in self._imu.encode(imu)]
        joints = self._joints.encode(
            frame.stamp_ns, position=frame.position, velocity=frame.velocity, effort=frame.effort
        )
        outgoing.append((JOINT_STATES, joints))
        return outgoing


class SensorDecoder:
    """Puts frames together from messages: feed forces and IMU messages as they come, joint states
    give a frame.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._joints = JointStateCodec(robot.joint_names, FIELDS, JOINT_STATES.name)
        self._forces = ForceCodec(robot)
        self._imu = ImuCodec(robot)
        self.reset()

    def reset(self) -> None:
        """Forget all samples; for time that starts again."""
        self._force: ForceSample | None = None
        self._imu_sample: ImuSample | None = None
        self._gathering: dict[int, bytes] = {}
        self._gathering_stamp: int | None = None
        self._next_link = 0

    def joint_forces(self, raw: bytes) -> None:
        """Take a message of joint_forces."""
        self._force = self._forces.decode(raw)

    def imu(self, raw: bytes) -> None:
        """Take a message of imu. A sample is used once all links have reported, or a newer sample
        has begun.
        """
        stamp, link, numbers = self._imu.decode(raw, self._next_link)
        if stamp != self._gathering_stamp:
            self._release()
            self._gathering_stamp = stamp
        self._gathering[link] = numbers
        self._next_link = (link + 1) % self._robot.links
        if len(self._gathering) == self._robot.links:
            self._release()

    def _release(self) -> None:
        if self._gathering_stamp is not None:
            reported = [self._gathering.get(link, SILENT) for link in range(self._robot.links)]
            self._imu_sample = self._imu.sample(self._gathering_stamp, reported)
            self._gathering, self._gathering_stamp = {}, None

    def joint_states(self, raw: bytes) -> SensorFrame:
        """Take a message of joint_states and return the frame that it completes.

        Raises:
            MessageError: not a JointState of this robot.
        """
        stamp, joints = self._joints.decode(raw)
        unknown = np.full(self._robot.joints, np.nan)
        return SensorFrame(
            stamp_ns=stamp,
            position=joints["position"],
            velocity=joints["velocity"],
            effort=joints["effort"],
            joint_force=self._force,
            imu=self._imu_sample,
            temperature=unknown,
            joint_age=np.zeros(self._robot.joints),
        )


def _wrench(row: Array) -> Any:
    return message("geometry_msgs/msg/Wrench", force=vector(row[:3]), torque=vector(row[3:]))


def _imu(mark: Mark, frame: str) -> Any:
    numbers = mark("imu", IMU_NUMBERS)
    return message(
        "sensor_msgs/msg/Imu",
        header=header(frame=frame),
        orientation=quaternion(numbers[TURN]),
        orientation_covariance=numbers[TURN_COVARIANCE],
        angular_velocity=vector(numbers[RATE]),
        angular_velocity_covariance=numbers[RATE_COVARIANCE],
        linear_acceleration=vector(numbers[PUSH]),
        linear_acceleration_covariance=numbers[PUSH_COVARIANCE],
    )


def _healthy_imu(imu: Imu) -> Array:
    """Numbers of an Imu message of a link that reports, at rest: covariances, and what is never
    measured.
    """
    yaw = imu.yaw_quantum**2 / 12
    rate = imu.rate_noise**2 + imu.rate_quantum**2 / 12
    push = imu.acceleration_noise**2 + imu.acceleration_quantum**2 / 12
    numbers = np.zeros(IMU_NUMBERS)
    numbers[PUSH_Z] = np.nan
    numbers[TURN_COVARIANCE] = np.diag([0.0, 0.0, yaw]).ravel()
    numbers[RATE_COVARIANCE] = np.diag([0.0, 0.0, rate]).ravel()
    numbers[PUSH_COVARIANCE] = np.diag([push, push, -1.0]).ravel()
    return numbers
