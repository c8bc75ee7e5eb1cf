# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""/tf and /tf_static: every frame of the robot in the frame before it, as in its URDF, and the
frames of REP 105: world, map, odom, and base_link at one of the links.

Where the URDF has the world, the robot moves in `odom`. tf2_msgs need not be installed to write
them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from boa_control.messages.cdr import (
    MARKED_NS,
    Mark,
    Template,
    header,
    message,
    serialize,
    transform,
)
from boa_control.messages.topics import TF
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.frames import BASE_LINK, MAP, ODOM, WORLD
from boa_description.joint_tree import (
    HERE,
    TreeJoint,
    Vector,
    fixed_joints,
    moving_base,
    moving_joints,
)
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
            _transform(
                _above(self._robot, joint), name(joint.child), mark(joint.child, 7), MARKED_NS
            )
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


def encode_static_transforms(robot: Robot, base_link: int = 0, without_urdf: bool = False) -> bytes:
    """tf_static: tf2_msgs/TFMessage of the frames that never move in their parents; stamp 0.

    With a frame prefix these include the root of the robot's URDF, which robot_state_publisher and
    RViz call <prefix>world, at the world that all robots share.

    Args:
        base_link: number of the link that it is, from 1; 0: the middle one.
        without_urdf: leave out the frames of the URDF, for a robot_state_publisher to add.

    Raises:
        BoaError: the robot has no such link.
    """
    joints = () if without_urdf else fixed_joints(robot)
    frames = [(robot.frame(j.parent), robot.frame(j.child), j.offset) for j in joints]
    # the map is given in the world; nothing that a plant knows tells how far odom has drifted in it
    frames += [(WORLD, MAP, HERE), (MAP, robot.frame(ODOM), HERE)]
    frames.append((robot.frame(_link(robot, base_link)), robot.frame(BASE_LINK), HERE))
    if robot.frame_prefix:
        frames.append((WORLD, robot.frame_prefix + WORLD, HERE))
    transforms = [_transform(parent, child, _at(offset), 0) for parent, child, offset in frames]
    return serialize(message(TF.msgtype, transforms=transforms))


def _link(robot: Robot, number: int) -> str:
    names = robot.link_names
    if not 0 <= number <= len(names):
        raise BoaError(
            f"parameter base_link is {number}; expected 0 (the middle link) to {len(names)}"
        )
    return names[number - 1 if number else len(names) // 2]


def _above(robot: Robot, joint: TreeJoint) -> str:
    """The frame before a moving joint."""
    return robot.frame(ODOM if joint.parent == WORLD else joint.parent)


def _at(offset: Vector) -> Array:
    """Position and no turn, shape (7,)."""
    return np.array([*offset, 0.0, 0.0, 0.0, 1.0])


def _transform(parent: str, child: str, pose: Array, stamp_ns: int) -> Any:
    return message(
        "geometry_msgs/msg/TransformStamped",
        header=header(stamp_ns, parent),
        child_frame_id=child,
        transform=transform(pose),
    )
