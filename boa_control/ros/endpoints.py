"""Publishers and subscriptions of the topic table, which carry serialised messages."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription

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


def drain(subscription: Subscription, callback: Callable[[bytes], None]) -> None:
    """Hand over what has arrived already, without waiting for the executor to come round to it."""
    with subscription.handle:
        while (taken := subscription.handle.take_message(subscription.msg_type, True)) is not None:
            callback(taken[0])
