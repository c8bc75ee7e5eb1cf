# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Views beside forces and frames: planned path, link poses, robot description."""

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
    pose,
    serialize,
)
from boa_control.messages.topics import LINK_POSES, PATH
from boa_control.paths.path import Curve
from boa_description.arrays import Array
from boa_description.frames import WORLD
from boa_description.link_frames import joints_between, link_frames
from boa_description.quaternion import yaw_of, yaw_quaternion
from boa_description.robot import Robot

PATH_SPACING = 0.02  # m


def encode_path(curve: Curve, stamp_ns: int = 0) -> bytes:
    """nav_msgs/Path along the curve, closed curves once around."""
    count = max(2, round(curve.length / PATH_SPACING) + 1)
    s = np.linspace(0.0, curve.length, count)
    turns = yaw_quaternion(curve.heading(s))
    poses = [
        message(
            "geometry_msgs/msg/PoseStamped",
            header=header(stamp_ns, WORLD),
            pose=pose(np.array([*xy, 0.0, *turn])),
        )
        for xy, turn in zip(curve.position(s), turns, strict=True)
    ]
    return serialize(message("nav_msgs/msg/Path", header=header(stamp_ns, WORLD), poses=poses))


def decode_path(raw: bytes) -> Array:
    """Points of a nav_msgs/Path, shape (m, 2), m. Raises MessageError where it is none."""
    poses = deserialize(raw, PATH.msgtype).poses
    places = [(entry.pose.position.x, entry.pose.position.y) for entry in poses]
    return np.array(places, float).reshape(-1, 2)


def encode_text(text: str) -> bytes:
    """std_msgs/String, for robot_description."""
    return serialize(message("std_msgs/msg/String", data=text))


def decode_text(raw: bytes) -> str:
    """The text of a std_msgs/String. Raises MessageError where it is none."""
    return str(deserialize(raw, "std_msgs/msg/String").data)


class LinkPosesCodec:
    """link_poses: geometry_msgs/PoseArray of all link frames, tail to head, in the world frame."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._template = Template(self._build)

    def _build(self, mark: Mark) -> Any:
        poses = [pose(row) for row in mark("pose", self._robot.links, 7)]
        return message(LINK_POSES.msgtype, header=header(frame=WORLD), poses=poses)

    def encode_many(self, stamps_ns: Sequence[int], base: Array, joints: Array) -> list[bytes]:
        """Serialise a chain at T instants; base and joints as of `link_frames`, (T, ...)."""
        return self._template.write_many(stamps_ns, pose=link_frames(self._robot, base, joints))

    def decode(self, raw: bytes) -> tuple[int, Array, Array]:
        """Stamp (ns), base and joint angles as given to `encode_many`, angles wrapped to [-pi, pi].

        Raises:
            MessageError: not written by `encode_many` for this robot.
        """
        stamps, base, joints = self.decode_many((raw,))
        return stamps[0], base[0], joints[0]

    def decode_many(self, raws: Sequence[bytes]) -> tuple[list[int], Array, Array]:
        """Those of many messages: T stamps, and shapes (T, ...) and (T, n_joints).

        Raises:
            MessageError: not written by `encode_many` for this robot.
        """
        known = self._template.read_many(raws)
        if known is None:
            raise MessageError(
                f"{LINK_POSES.name}: not the poses of the {self._robot.links} links of "
                f"{self._robot.name} in {WORLD}"
            )
        stamps, numbers = known[0].tolist(), known[1]
        poses = numbers["pose"]
        if not self._robot.planar:
            joints = np.array([joints_between(self._robot, one) for one in poses])
            return stamps, poses[:, 0].copy(), joints
        theta = yaw_of(poses[..., 3:])
        turns = np.diff(theta)
        joints = np.arctan2(np.sin(turns), np.cos(turns))
        return stamps, np.column_stack((poses[:, 0, :2], theta[:, 0])), joints
