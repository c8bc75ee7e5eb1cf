# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node that notes messages, for the tests of the others."""

from __future__ import annotations

from rclpy.node import Node

from boa_control.events import EventKind
from boa_control.messages.events import EventMessage, decode_events
from boa_control.messages.topics import EVENT_STATUS, Topic
from boa_control.ros.endpoints import subscribe


class Listener:
    """Notes every message of some topics, in order of arrival."""

    def __init__(self, *topics: Topic) -> None:
        self.node = Node("listener", namespace="/boa")
        self.received: list[tuple[Topic, bytes]] = []
        self.inputs = [
            subscribe(self.node, topic, lambda raw, topic=topic: self.received.append((topic, raw)))
            for topic in topics
        ]

    def connect(self, world, plant) -> None:
        """Wait until both sides know of each other, so that nothing is missed or sent again."""
        names = {item.topic_name for item in self.inputs}
        world.wait_for(lambda: names.isdisjoint(plant._topics.unconnected(True, True)))
        world.wait_for(lambda: all(item.get_publisher_count() for item in self.inputs))

    def receive(self, world, topic: Topic, count: int) -> list[bytes]:
        """The messages of a topic, once so many have come."""
        world.wait_for(lambda: len(self.of(topic)) >= count, f"{count} messages of {topic.name}")
        return self.of(topic)

    def of(self, topic: Topic) -> list[bytes]:
        return [raw for received, raw in self.received if received is topic]

    def close(self) -> None:
        pass


def ended(world, listener: Listener) -> list[EventMessage]:
    """All events of a run, the last of which is its end."""

    def events() -> list[EventMessage]:
        return [told for raw in listener.of(EVENT_STATUS) for told in decode_events(raw)]

    world.wait_for(lambda: any(told.event.kind is EventKind.RUN_ENDED for told in events()), "end")
    world.serve()
    return events()
