# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Publishers and subscriptions of the topic table, which carry serialised messages."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from rclpy.event_handler import QoSSubscriptionEventType
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    QoSCompatibility,
    QoSProfile,
    ReliabilityPolicy,
    qos_check_compatible,
)
from rclpy.subscription import Subscription
from rclpy.topic_endpoint_info import TopicEndpointInfo
from rclpy.type_support import check_is_valid_msg_type

from boa_control.messages.cdr import prepare
from boa_control.messages.topics import Topic


def qos(topic: Topic) -> QoSProfile:
    """Quality of service of a topic: reliable; latched ones also serve those who come late."""
    return QoSProfile(
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if topic.latched else DurabilityPolicy.VOLATILE,
        history=HistoryPolicy.KEEP_LAST,
        depth=topic.depth,
    )


def message_class(topic: Topic) -> Any:
    """The Python class of a topic's type. Raises ImportError where the package is not installed."""
    package, _, name = topic.msgtype.split("/")
    return getattr(import_module(f"{package}.msg"), name)


def installed(topic: Topic) -> bool:
    """Whether the package of a topic's type is there; tf2_msgs is on no package index."""
    try:
        message_class(topic)
    except ImportError:
        return False
    return True


def publisher(node: Node, topic: Topic) -> Publisher:
    """A publisher; give its `publish` serialised messages."""
    prepare(topic.msgtype)
    return node.create_publisher(message_class(topic), topic.relative, qos(topic))


def subscribe(node: Node, topic: Topic, callback: Callable[[bytes], None]) -> Subscription:
    """A subscription whose callback gets serialised messages."""
    prepare(topic.msgtype)
    return node.create_subscription(
        message_class(topic), topic.relative, callback, qos(topic), raw=True
    )


class Mailbox:
    """A subscription that nobody is woken for: its messages wait until they are taken.

    Half of what a message costs its receiver is to wake an executor and to call back. Who has
    another reason to wake, or gathers what came meanwhile, saves that.
    """

    def __init__(self, node: Node, topic: Topic, *, newest_only: bool = False) -> None:
        """Subscribe; `close` it before the node is destroyed.

        Args:
            newest_only: keep one message and never have any sent again, so that the publisher is
                not held up by a reader that does not read.
        """
        profile = qos(topic)
        if newest_only:
            profile.depth = 1
            profile.reliability = ReliabilityPolicy.BEST_EFFORT
        prepare(topic.msgtype)
        self.topic = topic
        self._type = message_class(topic)
        check_is_valid_msg_type(self._type)  # loads its type support
        with node.handle:
            self._handle = rclpy_implementation.Subscription(
                node.handle, self._type, topic.relative, profile.get_c_qos_profile()
            )

    def take(self) -> list[tuple[int, bytes]]:
        """Everything that has arrived since the last call: time of arrival, ns, and message."""
        arrived: list[tuple[int, bytes]] = []
        with self._handle:
            while (taken := self._handle.take_message(self._type, True)) is not None:
                arrived.append((taken[1]["received_timestamp"], taken[0]))
        return arrived

    def get_publisher_count(self) -> int:
        """Publishers that are connected."""
        with self._handle:
            return int(self._handle.get_publisher_count())

    def close(self) -> None:
        """Release the subscription; without it the node would stay in the graph."""
        self._handle.destroy_when_not_in_use()


def drain(subscription: Subscription, callback: Callable[[bytes], None]) -> None:
    """Hand over what has arrived already, without waiting for the executor to come round to it."""
    with subscription.handle:
        while (taken := subscription.handle.take_message(subscription.msg_type, True)) is not None:
            callback(taken[0])


def subscribers(node: Node, endpoint: Publisher) -> list[TopicEndpointInfo]:
    """Subscriptions that can get what a publisher sends, whether they are connected yet or not."""
    return [
        info
        for info in node.get_subscriptions_info_by_topic(endpoint.topic_name)
        if info.topic_type == _type_name(endpoint.msg_type)
        and _compatible(endpoint.qos_profile, info.qos_profile)
    ]


def publishers(node: Node, endpoint: Subscription) -> list[TopicEndpointInfo]:
    """Publishers whose messages a subscription can get, whether they are connected yet or not."""
    return [
        info
        for info in node.get_publishers_info_by_topic(endpoint.topic_name)
        if info.topic_type == _type_name(endpoint.msg_type)
        and _compatible(info.qos_profile, endpoint.qos_profile)
    ]


def _type_name(kind: Any) -> str:
    return f"{kind.__module__.partition('.')[0]}/msg/{kind.__name__}"


def _compatible(sender: QoSProfile, receiver: QoSProfile) -> bool:
    return bool(qos_check_compatible(sender, receiver)[0] is not QoSCompatibility.ERROR)


class Connected(NamedTuple):
    """Publishers connected to a subscription: now, and ever since it was made."""

    now: int
    ever: int


class Connections:
    """Counts the publishers of a subscription.

    Read directly, in half a microsecond: an executor runs the callback of this event only after
    those of the messages that came with it.
    """

    def __init__(self, subscription: Subscription) -> None:
        matched = QoSSubscriptionEventType.RCL_SUBSCRIPTION_MATCHED
        with subscription.handle:
            self._event = rclpy_implementation.EventHandle(subscription.handle, matched)

    def read(self) -> Connected:
        """How many there are at this instant."""
        with self._event:
            status = self._event.take_event()
        return Connected(int(status.current_count), int(status.total_count))

    def close(self) -> None:
        """Release the subscription; without it the node would stay in the graph."""
        self._event.destroy_when_not_in_use()
