# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""/tf and /tf_static of a bag: made from its link poses, so that every bag has them, wherever the
run took place.

A pip-only machine cannot publish or receive them, for it has no tf2_msgs; and live they may be
another node's.
"""

from collections.abc import Iterator

from boa_control.messages.message_columns import MessageColumn
from boa_control.messages.topics import (
    LINK_POSES,
    ROBOT_DESCRIPTION,
    TF,
    TF_STATIC,
    Topic,
)
from boa_control.messages.transforms import TransformsCodec, encode_static_transforms
from boa_control.messages.views import LinkPosesCodec
from boa_description.robot import Robot


class BagTransforms:
    """Transforms that belong beside other messages of a bag."""

    def __init__(self, robot: Robot) -> None:
        self._poses = LinkPosesCodec(robot)
        self._moving = TransformsCodec(robot)
        self._fixed = encode_static_transforms(robot)

    def beside(self, topic: Topic, raw: bytes) -> Iterator[tuple[Topic, bytes]]:
        """Messages to write with this one.

        Raises:
            MessageError: link poses of another robot.
        """
        if topic is LINK_POSES:
            yield TF, self._moving.encode(*self._poses.decode(raw))
        elif topic is ROBOT_DESCRIPTION:
            yield TF_STATIC, self._fixed

    def beside_all(self, poses: MessageColumn) -> MessageColumn:
        """The transforms beside a column of link poses."""
        return MessageColumn(
            TF, self._moving.encode_many(*self._poses.decode_many(poses.raws)), poses.ticks
        )
