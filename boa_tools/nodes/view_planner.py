# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals from a page to the planner; what comes back for the page: path, state, corrected map."""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from geometry_msgs.msg import PoseStamped
from rclpy.node import Node

from boa_control.messages.cdr import MessageError
from boa_control.messages.corrected_map import CorrectedMapCodec
from boa_control.messages.topics import CORRECTED_MAP, GOAL_POSE, PATH, PLANNED_PATH, PLANNER_STATUS
from boa_control.messages.views import decode_path, decode_text
from boa_control.ros.endpoints import Mailbox, qos
from boa_description.frames import WORLD
from boa_tools.report.interactive.packed import exact
from boa_tools.view.orders import Order, answer
from boa_tools.view.state import map_content

RECORDER = "recorder"
PATHS = {PATH: "path", PLANNED_PATH: "plan"}


class ViewPlanner:
    """Sends goals where somebody takes them; tells the pages what is new."""

    def __init__(self, node: Node, tell: Callable[[Mapping[str, Any]], None]) -> None:
        """Connect; `close` it before the node is destroyed."""
        self._node, self._tell = node, tell
        self._goals = node.create_publisher(PoseStamped, GOAL_POSE.relative, qos(GOAL_POSE))
        self._paths = {topic: Mailbox(node, topic) for topic in PATHS}
        self._status, self._map = Mailbox(node, PLANNER_STATUS), Mailbox(node, CORRECTED_MAP)
        self._codec = CorrectedMapCodec()
        self._listens, self._text = False, ""

    def update(self) -> None:
        """Pass on what has come."""
        with suppress(MessageError):
            for topic, box in self._paths.items():
                for _, raw in box.take()[-1:]:
                    content = {"kind": PATHS[topic], "path": exact(decode_path(raw))}
                    self._tell(content)
            for _, raw in self._map.take()[-1:]:
                self._tell(map_content(self._codec.decode(raw)[1]))
            listens, text = self._listened(), self._text
            for _, raw in self._status.take()[-1:]:
                text = decode_text(raw)
            if (listens, text) != (self._listens, self._text):
                self._listens, self._text = listens, text
                self._tell({"kind": "planner", "listens": listens, "text": text})

    def give_goal(self, order: Order) -> None:
        """Publish a goal; from any thread."""
        x, y, heading = order.goal
        if not self._listened():
            self._tell(answer("goal", False, "no planner runs (planner:=true of the launch)"))
            return
        goal = PoseStamped()
        goal.header.frame_id = WORLD
        goal.header.stamp = self._node.get_clock().now().to_msg()
        goal.pose.position.x, goal.pose.position.y = x, y
        goal.pose.orientation.z, goal.pose.orientation.w = (
            math.sin(heading / 2),
            math.cos(heading / 2),
        )
        self._goals.publish(goal)
        self._tell(answer("goal", True, f"({x:.2f}, {y:.2f}) m"))

    def _listened(self) -> bool:
        """Whether somebody takes goals; the recorder only notes them."""
        given = self._node.get_subscriptions_info_by_topic(self._goals.topic_name)
        return any(info.node_name != RECORDER for info in given)

    def close(self) -> None:
        """Release the subscriptions."""
        for box in (*self._paths.values(), self._status, self._map):
            box.close()
