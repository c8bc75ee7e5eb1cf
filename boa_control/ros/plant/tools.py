# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The sensors in their usual messages: published while somebody listens."""

from __future__ import annotations

from collections.abc import Mapping

from rclpy.node import Node
from rclpy.publisher import Publisher

from boa_control.messages.plant_views import ViewClock
from boa_control.messages.tools import ToolTopics
from boa_control.messages.topics import Topic
from boa_control.plant import SensorFrame
from boa_control.ros.endpoints import publisher
from boa_description.robot import Robot

LISTENERS_RATE = 10.0  # Hz, at which it is checked who listens


class PlantTools:
    """Publishers of imu, link_05/imu and joint_05/wrench."""

    def __init__(self, node: Node, robot: Robot) -> None:
        self._tools = ToolTopics(robot)
        self._publishers = {topic: publisher(node, topic) for topic in self._tools.topics}
        self._clock = ViewClock(LISTENERS_RATE)
        self._listened: frozenset[Topic] = frozenset()

    @property
    def publishers(self) -> Mapping[Topic, Publisher]:
        """All of them."""
        return self._publishers

    def publish(self, frame: SensorFrame) -> None:
        """Publish the new samples of a tick."""
        if self._clock.due(frame.stamp_ns):
            self._listened = frozenset(
                topic
                for topic, endpoint in self._publishers.items()
                if endpoint.get_subscription_count()
            )
        for topic, raw in self._tools.encode(frame, self._listened):
            self._publishers[topic].publish(raw)
