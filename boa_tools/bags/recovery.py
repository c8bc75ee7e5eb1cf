# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A readable bag of what is left of one whose recording was cut off: its file has no end and no
index, and the folder no metadata.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from mcap.exceptions import McapError
from mcap.records import Channel, McapRecord, Message, Schema
from mcap.stream_reader import StreamReader

from boa_control.messages.topics import TOPICS, Topic
from boa_description.errors import BoaError
from boa_tools.bags.rosbag import BagWriter, namespace_of

Kind = TypeVar("Kind", bound=McapRecord)
MOST = 1 << 30  # bytes of one record: more is no record
# what reading a file without an end, or with a damaged one, raises
BROKEN = (McapError, struct.error, EOFError, ValueError, OSError)


class Recovered(NamedTuple):
    """What was saved.

    Attributes:
        messages: their number. seconds: from the first to the last.
        left_out: topics that are not Boa's.
    """

    messages: int
    seconds: float
    left_out: tuple[str, ...]


def recover(broken: Path, bag: Path, scenario: str = "") -> Recovered:
    """Write every message of an .mcap file, up to where it ends or is damaged, into a new bag.

    Args:
        broken: the file. bag: folder, which must not exist. scenario: YAML to keep inside.

    Raises:
        BoaError: the file has no message of Boa.
    """
    channels = {record.id: record.topic for record in _records(broken, Channel)}
    namespace = namespace_of(set(channels.values()))
    known = {topic.below(namespace): topic for topic in TOPICS}
    types = {record.id: record.name for record in _records(broken, Schema)}
    found: dict[int, Topic] = {}
    for record in _records(broken, Channel):
        topic = known.get(record.topic)
        if topic is not None and types.get(record.schema_id) == topic.msgtype:
            found[record.id] = topic
    written, first, last = 0, 0, 0
    if found:
        with BagWriter(bag, dict.fromkeys(found.values()), scenario, namespace) as writer:
            for message in _records(broken, Message):
                if message.channel_id in found:
                    first = first if written else message.log_time
                    last = max(last, message.log_time)
                    writer.write(found[message.channel_id], message.log_time, message.data)
                    written += 1
    if not written:
        raise BoaError(f"'{broken}' has no message of Boa that could be saved")
    left_out = {name for id_, name in channels.items() if id_ not in found}
    return Recovered(written, (last - first) * 1e-9, tuple(sorted(left_out)))


def _records(path: Path, kind: type[Kind]) -> Iterator[Kind]:
    """Records of one kind, up to where the file ends or is damaged."""
    with path.open("rb") as file, suppress(*BROKEN):
        for record in StreamReader(file, record_size_limit=MOST).records:
            if isinstance(record, kind):
                yield record
