# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""/tf and /tf_static: every frame of the robot in the frame before it, as in its URDF.

tf2_msgs need not be installed to write them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from boa_control.messages.cdr import (
    MARKED_NS,
    Mark,
    Template,
    header,
    message,
    quaternion,
    serialize,
    vector,
)
from boa_control.messages.topics import TF
from boa_description.arrays import Array
from boa_description.frames import WORLD
from boa_description.joint_tree import HERE, Vector, fixed_joints, moving_base, moving_joints
from boa_description.quaternion import yaw_quaternion
from boa_description.robot import Robot


class TransformsCodec:
    """tf: tf2_msgs/TFMessage of the frames behind the moving joints."""

    def __init__(self, robot: Robot, base_only: bool = False) -> None:
        """`base_only` leaves the joints of the robot out, for a robot_state_publisher to add."""
        self._robot = robot
        self._skip = robot.mount == "fixed"
        self._joints = moving_base(robot) if base_only else moving_joints(robot)
        self._offset = np.array([joint.offset for joint in self._joints]).reshape(-1, 3)
        axis = np.array([joint.axis for joint in self._joints]).reshape(-1, 3)
        slides = np.array([joint.kind == "prismatic" for joint in self._joints])
        self._slide = np.where(slides[:, None], axis, 0.0)
        self._turn = np.where(slides, 0.0, 1.0)
        self._free = bool(self._joints) and self._joints[0].kind == "floating"
        self._axis = axis
        self._template = Template(self._build)

    def _build(self, mark: Mark) -> Any:
        name = self._robot.frame
        transforms = [
            _transform(name(joint.parent), name(joint.child), mark(joint.child, 7), MARKED_NS)
            for joint in self._joints
        ]
        return message(TF.msgtype, transforms=transforms)

    def encode(self, stamp_ns: int, base: Array, joints: Array) -> bytes:
        """Serialise a chain's frames; base and joints as of `boa_description.link_frames`."""
        return self.encode_many((stamp_ns,), base[None], joints[None])[0]

    def encode_many(self, stamps_ns: Sequence[int], base: Array, joints: Array) -> list[bytes]:
        """The same of many instants, shapes (T, ...)."""
        pose = (self._in_space if self._free else self._in_plane)(base, joints)
        numbers = {joint.child: pose[:, k] for k, joint in enumerate(self._joints)}
        return self._template.write_many(stamps_ns, **numbers)

    def _in_plane(self, base: Array, joints: Array) -> Array:
        """Poses of the frames in those before them, shape (T, n, 7)."""
        value = joints if self._skip else np.concatenate((base, joints), axis=1)
        value = value[:, : len(self._joints)]
        pose = np.empty((*value.shape, 7))
        pose[..., :3] = self._offset + self._slide * value[..., None]
        pose[..., 3:] = yaw_quaternion(self._turn * value)
        return pose

    def _in_space(self, base: Array, joints: Array) -> Array:
        """The same with a free joint first and turns about any axes."""
        half = 0.5 * joints[:, : len(self._joints) - 1]
        pose = np.empty((len(half), len(self._joints), 7))
        pose[:, 0] = base
        pose[:, 1:, :3] = self._offset[1:]
        pose[:, 1:, 3:6] = np.sin(half)[..., None] * self._axis[1:]
        pose[:, 1:, 6] = np.cos(half)
        return pose


def encode_static_transforms(robot: Robot, world_only: bool = False) -> bytes:
    """tf_static: tf2_msgs/TFMessage of the frames that never move in their parents; stamp 0.

    With a frame prefix these include the root of the robot's URDF, which robot_state_publisher and
    RViz call <prefix>world, at the world that all robots share. `world_only` leaves out the others,
    for a robot_state_publisher to add.
    """
    joints = () if world_only else fixed_joints(robot)
    transforms = [
        _transform(robot.frame(joint.parent), robot.frame(joint.child), _at(joint.offset), 0)
        for joint in joints
    ]
    if robot.frame_prefix:
        transforms.append(_transform(WORLD, robot.frame_prefix + WORLD, _at(HERE), 0))
    return serialize(message(TF.msgtype, transforms=transforms))


def _at(offset: Vector) -> Array:
    """Position and no turn, shape (7,)."""
    return np.array([*offset, 0.0, 0.0, 0.0, 1.0])


def _transform(parent: str, child: str, pose: Array, stamp_ns: int) -> Any:
    return message(
        "geometry_msgs/msg/TransformStamped",
        header=header(stamp_ns, parent),
        child_frame_id=child,
        transform=message(
            "geometry_msgs/msg/Transform",
            translation=vector(pose[:3]),
            rotation=quaternion(pose[3:]),
        ),
    )
