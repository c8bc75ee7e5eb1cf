# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Node /boa/player: publishes a recorded run again, at its own pace.

Torque commands go to /boa/played/torque_command, so that no plant, above all no robot, ever acts on
them.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

from boa_control.messages.sensors import former_topics, recorded_topics
from boa_control.messages.topics import JOINT_STATES, TORQUE_COMMAND, TRANSFORMS, Topic
from boa_control.ros.endpoints import installed, publisher
from boa_control.ros.parameters import make_node
from boa_control.ros.runtime import Spin, run
from boa_description.errors import BoaError
from boa_tools.bags.rosbag import Message, bag_messages, bag_summary

PLAYED_COMMAND = replace(TORQUE_COMMAND, name="/boa/played/torque_command", source="recorder")
DISCOVERY = 1.0  # s, in which running plants and subscribers are found


class Player:
    """Publishes the messages of a bag. A `Program` for the node runtime."""

    def __init__(self, bag: Path, speed: float) -> None:
        self.node, _ = make_node("player", ())
        self.nodes = (self.node,)
        self._bag = bag
        self._speed = speed
        summary = bag_summary(bag)
        present = {topic.name for topic in summary.topics}
        playable = (*recorded_topics(), *former_topics(), *filter(installed, TRANSFORMS))
        self._topics = tuple(
            topic for topic in playable if topic.below(summary.namespace) in present
        )
        self._publishers: dict[str, Any] = {}

    def run(self, spin: Spin, stopped: Callable[[], bool]) -> int:
        """Play to the end, or until told to stop."""
        self._wait(spin, stopped, until=monotonic() + DISCOVERY)
        if self.node.count_publishers(JOINT_STATES.name):
            raise BoaError(
                f"a plant is publishing {JOINT_STATES.name} already; stop it, or play in "
                f"another ROS_DOMAIN_ID"
            )
        self._publishers = {
            topic.name: publisher(self.node, _played(topic)) for topic in self._topics
        }
        self._wait(spin, stopped, until=monotonic() + DISCOVERY)
        count = 0
        start, first_ns = monotonic(), None
        for message in self._messages():
            first_ns = message.time_ns if first_ns is None else first_ns
            self._wait(
                spin, stopped, until=start + (message.time_ns - first_ns) * 1e-9 / self._speed
            )
            if stopped():
                break
            self._publishers[message.topic].publish(message.raw)
            count += 1
        print(f"played {count} messages")
        return 0

    def close(self) -> None:
        """Nothing to make safe: a player commands nothing."""

    def _messages(self) -> Iterator[Message]:
        return bag_messages(self._bag, self._topics)

    def _wait(self, spin: Spin, stopped: Callable[[], bool], until: float) -> None:
        while (left := until - monotonic()) > 0 and not stopped():
            spin(left)


def _played(topic: Topic) -> Topic:
    return PLAYED_COMMAND if topic is TORQUE_COMMAND else topic


def play(bag: Path, speed: float) -> int:
    """Play a bag; returns the exit status."""
    return run(lambda: Player(bag, speed), args=[])
