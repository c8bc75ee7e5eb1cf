"""What the robot measures, `SensorFrame`, as the messages joint_states, joint_forces and imu.

Temperatures, ages and faults travel in /diagnostics only (`boa_control.messages.status`): a frame that was
put together from messages has NaN temperatures, zero ages and no faults. Controllers do not use them; the
torque gate, which does, sits on the plant's side.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    vector,
    yaw_of,
    yaw_quaternion,
)
from boa_control.messages.joints import FIELDS, JointStateCodec
from boa_control.messages.topics import IMU, JOINT_FORCES, JOINT_STATES, Topic
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.robot import Imu, Robot

Array = NDArray[np.float64]
Outgoing = list[tuple[Topic, bytes]]

MULTI_DOF = "sensor_msgs/msg/MultiDOFJointState"
MISSING = np.diag([-1.0, -1.0, -1.0]).ravel()  # covariance of what is not measured


class ForceCodec:
    """joint_forces: `ForceSample` as a MultiDOFJointState whose wrenches carry the forces; torques are zero."""

    def __init__(self, robot: Robot) -> None:
        self._names = robot.joint_names
        self._template = Template(self._build)
        self._wrench = np.zeros((robot.joints, 6))

    def _build(self, mark: Mark) -> Any:
        wrench = [_wrench(row) for row in mark("wrench", len(self._names), 6)]
        names = list(self._names)
        return message(MULTI_DOF, header=header(), joint_names=names, transforms=[], twist=[], wrench=wrench)

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
                f"{JOINT_FORCES.name}: {len(content.wrench)} wrenches for {len(content.joint_names)} names"
            )
        axes = [
            in_order(
                {name: getattr(w.force, axis) for name, w in zip(content.joint_names, content.wrench, strict=True)},
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
RATE_Z, PUSH_X, PUSH_Y, PUSH_Z = 15, 25, 26, 27


class ImuCodec:
    """imu: `ImuSample` as one sensor_msgs/Imu per link.

    The robot is planar: roll, pitch and their rates are zero and known. Acceleration along z is not measured.
    What is not measured is NaN, with -1 on the diagonal of its covariance.
    """

    def __init__(self, robot: Robot) -> None:
        self._links = robot.link_names
        self._index = {name: index for index, name in enumerate(robot.link_names)}
        self._templates = [Template(partial(_imu, frame=name)) for name in self._links]
        self._numbers = np.zeros((robot.links, IMU_NUMBERS))
        self._numbers[:, PUSH_Z] = np.nan
        self._covariance = _imu_covariance(robot.imu)

    def encode(self, sample: ImuSample) -> list[bytes]:
        """Serialise one sample, a message per link from tail to head."""
        numbers = self._numbers
        numbers[:, TURN] = yaw_quaternion(sample.yaw)
        numbers[:, RATE_Z] = sample.yaw_rate
        numbers[:, [PUSH_X, PUSH_Y]] = sample.acceleration
        push = sample.acceleration.sum(axis=1)  # NaN where either is
        measured = ((TURN_COVARIANCE, sample.yaw), (RATE_COVARIANCE, sample.yaw_rate), (PUSH_COVARIANCE, push))
        for block, values in measured:
            numbers[:, block] = np.where(np.isnan(values)[:, None], MISSING, self._covariance[block])
        stamp = sample.stamp_ns
        return [template.write(stamp, imu=row) for template, row in zip(self._templates, numbers, strict=True)]

    def decode(self, raw: bytes, guess: int = 0) -> tuple[int, int, Array]:
        """Return stamp (ns), index of the link, and yaw, yaw rate, acceleration x and y, shape (4,).

        Yaw is wrapped to (-pi, pi]. `guess` is a link whose message it probably is; a right guess saves time.

        Raises:
            MessageError: not an Imu message, or of no link of this robot.
        """
        known = self._templates[guess].read(raw)
        if known is not None:
            stamp, link, numbers = known[0], guess, known[1]["imu"]
        else:
            stamp, link, numbers = self._decode_any(raw)
        return stamp, link, np.array([yaw_of(numbers[TURN]), *numbers[[RATE_Z, PUSH_X, PUSH_Y]]])

    def _decode_any(self, raw: bytes) -> tuple[int, int, Array]:
        content = deserialize(raw, "sensor_msgs/msg/Imu")
        link = self._index.get(content.header.frame_id)
        if link is None:
            raise MessageError(
                f"{IMU.name}: frame_id '{content.header.frame_id}' is no link; "
                f"expected {self._links[0]} to {self._links[-1]}"
            )
        turn, rate, push = content.orientation, content.angular_velocity, content.linear_acceleration
        numbers = np.full(IMU_NUMBERS, np.nan)
        numbers[TURN] = turn.x, turn.y, turn.z, turn.w
        numbers[[RATE_Z, PUSH_X, PUSH_Y]] = rate.z, push.x, push.y
        return nanoseconds(content.header.stamp), link, numbers


class SensorEncoder:
    """Turns frames into messages, in the order in which they must be published.

    Forces and IMU samples come before the joint states of the same tick, and only when they are new: who has
    received the joint states has everything of that tick.
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
    """Puts frames together from messages: feed forces and IMU messages as they come, joint states give a frame."""

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
        self._gathering = np.full((self._robot.links, 4), np.nan)
        self._gathering_stamp: int | None = None
        self._reported = np.zeros(self._robot.links, dtype=bool)
        self._next_link = 0

    def joint_forces(self, raw: bytes) -> None:
        """Take a message of joint_forces."""
        self._force = self._forces.decode(raw)

    def imu(self, raw: bytes) -> None:
        """Take a message of imu. A sample is used once all links have reported, or a newer sample has begun."""
        stamp, link, numbers = self._imu.decode(raw, self._next_link)
        if stamp != self._gathering_stamp:
            self._release()
            self._gathering_stamp = stamp
        self._gathering[link] = numbers
        self._reported[link] = True
        self._next_link = (link + 1) % self._robot.links
        if self._reported.all():
            self._release()

    def _release(self) -> None:
        if self._gathering_stamp is None:
            return
        rows = self._gathering
        self._imu_sample = ImuSample(self._gathering_stamp, rows[:, 0], rows[:, 1], rows[:, 2:4])
        self._gathering, self._gathering_stamp = np.full_like(rows, np.nan), None
        self._reported[:] = False

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


def _imu_covariance(imu: Imu) -> Array:
    """Covariances of a healthy link, at their place among an Imu message's numbers."""
    yaw = imu.yaw_quantum**2 / 12
    rate = imu.rate_noise**2 + imu.rate_quantum**2 / 12
    push = imu.acceleration_noise**2 + imu.acceleration_quantum**2 / 12
    numbers = np.zeros(IMU_NUMBERS)
    numbers[TURN_COVARIANCE] = np.diag([0.0, 0.0, yaw]).ravel()
    numbers[RATE_COVARIANCE] = np.diag([0.0, 0.0, rate]).ravel()
    numbers[PUSH_COVARIANCE] = np.diag([push, push, -1.0]).ravel()
    return numbers
