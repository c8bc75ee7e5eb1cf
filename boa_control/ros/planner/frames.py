# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Frames for goals, from /tf where tf2_msgs is installed; else only world and map are known."""

from __future__ import annotations

from dataclasses import replace

from rclpy.node import Node

from boa_control.messages.frame_tree import FrameTree
from boa_control.messages.topics import TF, TF_STATIC
from boa_control.ros.endpoints import Mailbox, installed

FIXED = replace(TF_STATIC, depth=100)  # of each publisher the one message that is latched


class Frames:
    """Collects transforms; they are read when a goal comes, which is seldom."""

    def __init__(self, node: Node) -> None:
        """Subscribe; `close` it before the node is destroyed."""
        topics = (FIXED, TF) if installed(TF) else ()
        self._boxes = [Mailbox(node, topic) for topic in topics]
        self._tree = FrameTree()

    @property
    def tree(self) -> FrameTree:
        """As of now. Raises MessageError where what was published as transforms is none."""
        for box in self._boxes:
            for _, raw in box.take():
                self._tree.take(raw)
        return self._tree

    def close(self) -> None:
        """Release the subscriptions."""
        for box in self._boxes:
            box.close()
