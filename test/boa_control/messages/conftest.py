# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Checks that every message must pass: other implementations read it and write the very same
bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import pytest

from boa_control.messages.cdr import deserialize, serialize
from boa_description.load import load_robot
from boa_description.robot import Robot

SameBytes = Callable[[bytes, str], object]


@pytest.fixture(scope="session")
def robot() -> Robot:
    return load_robot("boa13")


@pytest.fixture
def same_bytes() -> SameBytes:
    """Assert that rosbags, and rclpy where there is one, serialise what they read to the bytes they
    were given.

    rclpy leaves whatever was in memory in the padding between fields and behind the message, so its
    bytes are read and written once more. Outside a ROS distribution some packages (tf2_msgs) are
    missing beside it.
    """

    def check(raw: bytes, msgtype: str) -> object:
        package, _, name = msgtype.split("/")
        content = deserialize(raw, msgtype)
        assert serialize(content) == raw
        try:
            from rclpy.serialization import deserialize_message, serialize_message

            kind = getattr(import_module(f"{package}.msg"), name)
        except ImportError:
            return content
        theirs = serialize_message(deserialize_message(raw, kind))
        assert serialize(deserialize(theirs[: len(raw)], msgtype)) == raw
        return content

    return check
