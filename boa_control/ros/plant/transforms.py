# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""/tf and /tf_static of the plant node, as far as somebody else does not publish them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rclpy.node import Node

from boa_control.interface import PUBLISH_TF, TF_ALL, TF_BASE
from boa_control.messages.topics import TF, TF_STATIC
from boa_control.messages.transforms import TransformsCodec, encode_static_transforms
from boa_control.ros.endpoints import installed, publisher
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.joint_tree import moving_base
from boa_description.robot import Robot


class PlantTransforms(Protocol):
    """Where the frames of the robot go."""

    def publish(self, stamp_ns: int, base: Array, joints: Array) -> None:
        """Publish the frames of a pose: x, y, heading of link 1 (3,), joint angles (n_joints,)."""


class FixedTransforms:
    """Publishes the frames that never move, once: all, or those that its URDF does not have."""

    def __init__(self, node: Node, robot: Robot, base_link: int, without_urdf: bool) -> None:
        self._publisher = publisher(node, TF_STATIC)
        self._publisher.publish(encode_static_transforms(robot, base_link, without_urdf))

    def publish(self, stamp_ns: int, base: Array, joints: Array) -> None:
        """Nothing: who comes later gets the message that is latched."""


class MovingTransforms:
    """Publishes the frames behind the moving joints, or those of the base only."""

    def __init__(self, node: Node, robot: Robot, base_only: bool) -> None:
        self._codec = TransformsCodec(robot, base_only)
        self._publisher = publisher(node, TF)

    def publish(self, stamp_ns: int, base: Array, joints: Array) -> None:
        """Publish /tf."""
        self._publisher.publish(self._codec.encode(stamp_ns, base, joints))


class SeveralTransforms:
    """Publishes what its parts publish."""

    def __init__(self, parts: Sequence[PlantTransforms]) -> None:
        self._parts = tuple(parts)

    def publish(self, stamp_ns: int, base: Array, joints: Array) -> None:
        """Publish all parts."""
        for part in self._parts:
            part.publish(stamp_ns, base, joints)


def plant_transforms(node: Node, robot: Robot, share: str, base_link: int) -> PlantTransforms:
    """Transforms as the parameters `publish_tf` and `base_link` say; none where tf2_msgs is not
    installed.

    Raises:
        BoaError: `share` is not one of the values, or there is no such link.
    """
    if share not in PUBLISH_TF:
        raise BoaError(
            f"parameter publish_tf is '{share}'; expected one of: {', '.join(PUBLISH_TF)}"
        )
    if not installed(TF):
        node.get_logger().info("no /tf: tf2_msgs is not installed; the bag has it all the same")
        return SeveralTransforms(())
    if share == TF_ALL:
        moving = MovingTransforms(node, robot, base_only=False)
        fixed = FixedTransforms(node, robot, base_link, without_urdf=False)
        return SeveralTransforms((moving, fixed))
    parts: list[PlantTransforms] = []
    if share == TF_BASE and moving_base(robot):
        parts.append(MovingTransforms(node, robot, base_only=True))
    if share == TF_BASE:
        parts.append(FixedTransforms(node, robot, base_link, without_urdf=True))
    return SeveralTransforms(parts)
