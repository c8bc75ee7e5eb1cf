# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ground truth of a simulation as the messages sim/odometry, sim/joint_states and sim/contacts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from boa_control.messages.cdr import (
    Mark,
    MessageError,
    Template,
    header,
    message,
    pose,
    stamp_of,
    twist,
)
from boa_control.messages.contacts import TrueContactsCodec
from boa_control.messages.joints import FIELDS, JointStateCodec
from boa_control.messages.message_columns import MessageColumn
from boa_control.messages.topics import SIM_CONTACTS, SIM_JOINT_STATES, SIM_ODOMETRY, Outgoing
from boa_control.plant import (
    GroundTruth,
    LinkMotions,
    SpatialTruth,
    TruthColumns,
    link_motions,
    parts,
    pose_of,
    truth_columns,
)
from boa_description.arrays import Array, Integers
from boa_description.frames import WORLD
from boa_description.quaternion import inverse, rotated, yaw_of
from boa_description.robot import Robot


class OdometryCodec:
    """sim/odometry: pose of link 1 in the world, its velocity in its own frame (as
    nav_msgs/Odometry wants it).
    """

    def __init__(self, robot: Robot) -> None:
        self._child = robot.frame(robot.link_names[0])
        self._template = Template(self._build)

    def _build(self, mark: Mark) -> Any:
        there, motion = pose(mark("pose", 7)), twist(mark("twist", 6))
        exact = np.zeros(36)
        return message(
            SIM_ODOMETRY.msgtype,
            header=header(frame=WORLD),
            child_frame_id=self._child,
            pose=message("geometry_msgs/msg/PoseWithCovariance", pose=there, covariance=exact),
            twist=message("geometry_msgs/msg/TwistWithCovariance", twist=motion, covariance=exact),
        )

    def encode(self, truth: GroundTruth) -> bytes:
        """Serialise pose and velocities of link 1; contacts and joints have their own messages."""
        there = pose_of(truth)
        velocities = np.array([truth.linear_velocity, truth.angular_velocity])
        motion = rotated(inverse(there[3:]), velocities).ravel()
        return self._template.write(truth.stamp_ns, pose=there, twist=motion)

    def encode_many(self, truths: Sequence[GroundTruth]) -> list[bytes]:
        """Serialise pose and velocities at many instants at once."""
        position, orientation, linear, angular = link_motions(truths)
        there = np.hstack((position, orientation))
        velocities = np.stack((linear, angular), axis=1)
        motion = rotated(inverse(orientation)[:, None], velocities).reshape(-1, 6)
        stamps = [truth.stamp_ns for truth in truths]
        return self._template.write_many(stamps, pose=there, twist=motion)

    def decode_many(self, raws: Sequence[bytes]) -> tuple[Integers, LinkMotions]:
        """Stamps (T,), ns, and motions of link 1; the velocities in the world frame.

        Raises:
            MessageError: not written by `encode` for this robot.
        """
        known = self._template.read_many(raws)
        if known is None:
            raise MessageError(f"{SIM_ODOMETRY.name}: not the odometry of {self._child} in {WORLD}")
        stamps, numbers = known
        there, motion = numbers["pose"], numbers["twist"]
        turn = there[:, 3:].copy()
        linear, angular = rotated(turn, motion[:, :3]), rotated(turn, motion[:, 3:])
        return stamps, LinkMotions(there[:, :3], turn, linear, angular)


class TruthCodec:
    """`GroundTruth` as three messages, and back."""

    def __init__(self, robot: Robot) -> None:
        self._odometry = OdometryCodec(robot)
        names, topic = robot.joint_names, SIM_JOINT_STATES.name
        self._joints = JointStateCodec(names, FIELDS, topic)
        self._former = JointStateCodec(names, ("position", "velocity"), topic)  # of older bags
        self._contacts = TrueContactsCodec(robot)

    def encode(self, truth: GroundTruth) -> Outgoing:
        """Messages of one tick."""
        return [*self.encode_motion(truth), (SIM_CONTACTS, self.encode_contacts((truth,))[0])]

    def encode_motion(self, truth: GroundTruth) -> Outgoing:
        """Messages of one tick but for its contacts."""
        joints = self._joints.encode(
            truth.stamp_ns,
            position=truth.joint_position,
            velocity=truth.joint_velocity,
            effort=truth.delivered,
        )
        return [(SIM_ODOMETRY, self._odometry.encode(truth)), (SIM_JOINT_STATES, joints)]

    def encode_motions(self, truths: Sequence[GroundTruth]) -> list[MessageColumn]:
        """The same of many ticks, made together."""
        joints = self._joints.encode_many(
            [truth.stamp_ns for truth in truths],
            position=np.array([truth.joint_position for truth in truths]),
            velocity=np.array([truth.joint_velocity for truth in truths]),
            effort=np.array([truth.delivered for truth in truths]),
        )
        return [
            MessageColumn(SIM_ODOMETRY, self._odometry.encode_many(truths)),
            MessageColumn(SIM_JOINT_STATES, joints),
        ]

    def encode_contacts(self, truths: Sequence[GroundTruth]) -> list[bytes]:
        """The messages sim/contacts of many ticks."""
        contacts = truth_columns([truth.contacts for truth in truths])
        return self._contacts.encode_many([truth.stamp_ns for truth in truths], contacts)

    def encode_many(
        self, truths: Sequence[GroundTruth], contacts: TruthColumns
    ) -> list[MessageColumn]:
        """Messages of many ticks, those of `encode`; `contacts` are all of their contacts."""
        if not truths:
            return []
        touching = self._contacts.encode_many([truth.stamp_ns for truth in truths], contacts)
        return [*self.encode_motions(truths), MessageColumn(SIM_CONTACTS, touching)]

    def decode(self, odometry: bytes, joint_states: bytes, contacts: bytes) -> GroundTruth:
        """Put one tick's truth together, as `decode_many`."""
        return self.decode_many([odometry], [joint_states], [contacts])[0]

    def decode_many(
        self, odometry: Sequence[bytes], joint_states: Sequence[bytes], contacts: Sequence[bytes]
    ) -> list[GroundTruth]:
        """Put the truth of ticks together. The heading is that of the quaternion, in [-pi, pi].

        Raises:
            MessageError: one of them is not what it should be, or they are not of the same tick.
        """
        stamps, motion = self._odometry.decode_many(odometry)
        joint_stamps, joints = self._decode_joints(joint_states)
        of_ticks = np.stack((stamps, joint_stamps, list(map(stamp_of, contacts))))
        differs = (of_ticks != stamps).any(axis=0)
        if differs.any():
            stamp, joint_stamp, contact_stamp = of_ticks[:, differs.argmax()]
            raise MessageError(
                f"truth of different ticks: {stamp}, {joint_stamp} and {contact_stamp} ns"
            )
        touching = parts(self._contacts.decode_many(contacts), len(contacts))
        headings = yaw_of(motion.orientation).tolist()
        return list(
            map(
                SpatialTruth,
                stamps.tolist(),
                *motion,
                headings,
                joints["position"],
                joints["velocity"],
                touching,
                joints["effort"],
            )
        )

    def _decode_joints(self, raws: Sequence[bytes]) -> tuple[Integers, dict[str, Array]]:
        """Stamps and joints; of older bags, which lack it, with an effort of NaN."""
        if not self._former.template.fits(raws[0]):
            return self._joints.decode_many(raws)
        stamps, joints = self._former.decode_many(raws)
        return stamps, {**joints, "effort": np.full_like(joints["position"], np.nan)}
