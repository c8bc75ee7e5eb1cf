# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A readable bag of what is left of one whose recording was cut off: its file has no end and no
index, and the folder no metadata.
"""

import struct
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
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
    described = list(_records(broken, (Channel, Schema)))
    types = {record.id: record.name for record in described if isinstance(record, Schema)}
    channels = {record.id: record for record in described if isinstance(record, Channel)}
    namespace = namespace_of({channel.topic for channel in channels.values()})
    known = {topic.below(namespace): topic for topic in TOPICS}
    found: dict[int, Topic] = {}
    for number, channel in channels.items():
        topic = known.get(channel.topic)
        if topic is not None and types.get(channel.schema_id) == topic.msgtype:
            found[number] = topic
    messages = (m for m in _records(broken, (Message,)) if m.channel_id in found)
    first = next(messages, None)
    if first is None:
        raise BoaError(f"'{broken}' has no message of Boa that could be saved")
    written, last = 0, first.log_time
    bag.parent.mkdir(parents=True, exist_ok=True)
    with BagWriter(bag, dict.fromkeys(found.values()), scenario, namespace) as writer:
        for message in chain((first,), messages):
            last = max(last, message.log_time)
            writer.write(found[message.channel_id], message.log_time, message.data)
            written += 1
    left_out = {channel.topic for number, channel in channels.items() if number not in found}
    return Recovered(written, (last - first.log_time) * 1e-9, tuple(sorted(left_out)))


def _records(path: Path, kinds: tuple[type[Kind], ...]) -> Iterator[Kind]:
    """Records of some kinds, up to where the file ends or is damaged."""
    with path.open("rb") as file, suppress(*BROKEN):
        for record in StreamReader(file, record_size_limit=MOST).records:
            if isinstance(record, kinds):
                yield record
