# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""rosbag2 bags (MCAP, version 9): open, write raw messages, read raw messages. No ROS needed."""

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import yaml
from mcap.reader import make_reader
from rosbags.interfaces import (
    Connection,
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import Reader, StoragePlugin
from rosbags.rosbag2.enums import CompressionFormat, CompressionMode
from rosbags.rosbag2.storage_mcap import McapWriter

from boa_control.messages.cdr import typestore
from boa_control.messages.message_columns import MessageColumn
from boa_control.messages.topics import JOINT_STATES, NAMESPACE, SIM_JOINT_STATES, Topic
from boa_description.arrays import Integers
from boa_description.errors import BoaError
from boa_description.version import software_version
from boa_tools.bags.chunk_reader import ChunkedReader
from boa_tools.bags.chunks import ChunkedWriter

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

METADATA = "metadata.yaml"
STORAGE = (".mcap", ".db3")  # endings of the files in a bag
SCENARIO_KEY = "boa_scenario"  # custom data of a bag: the scenario's YAML
VERSION_KEY = "boa_version"  # and the software that wrote it
RESCUE = "'boa bag recover' saves what is left of it"
FOREVER = QosTime(9223372036, 854775807)


class BagError(BoaError):
    """A bag that cannot be read; names it, what is wrong and the remedy."""


class Message(NamedTuple):
    """One recorded message: topic name in the default namespace, time of recording (ns) and
    serialised content.
    """

    topic: str
    time_ns: int
    raw: bytes


class BagWriter:
    """Writes a bag. Use as a context manager; without a clean end the bag has no index.

    Writing and closing raise OSError when the disk takes no more. The bag is given up then; closing
    it does nothing.
    """

    def __init__(
        self,
        directory: Path,
        topics: Iterable[Topic],
        scenario: str = "",
        namespace: str = NAMESPACE,
    ) -> None:
        """Prepare a bag in `directory`, which must not exist; `scenario` and the version of this
        software are kept inside the bag. Topics have the names that they have in `namespace`.
        """
        self._writer = ChunkedWriter(directory, version=9, storage_plugin=StoragePlugin.MCAP)
        self._writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
        self._writer.set_custom_data(VERSION_KEY, software_version())
        if scenario:
            self._writer.set_custom_data(SCENARIO_KEY, scenario)
        self._topics = tuple(topics)
        self._namespace = namespace
        self._connections: dict[str, Connection] = {}

    def open(self) -> None:
        """Create the files."""
        self._writer.open()
        storage = self._writer.storage
        assert isinstance(storage, McapWriter)
        storage.compressor = _compressed
        for topic in self._topics:
            self._connections[topic.name] = self._writer.add_connection(
                topic.below(self._namespace),
                topic.msgtype,
                typestore=typestore(),
                offered_qos_profiles=[_qos(topic)],
            )

    def write(self, topic: Topic, time_ns: int, raw: bytes) -> None:
        """Append a serialised message with its time of recording."""
        try:
            self._writer.write(self._connections[topic.name], time_ns, raw)
        except OSError:
            self._give_up()
            raise

    def write_all(self, times_ns: Sequence[int], columns: Iterable[MessageColumn]) -> None:
        """Append the messages of many ticks, with their times of recording, which do not go back:
        tick by tick, those of one tick in order of the columns.
        """
        every = range(len(times_ns))
        raws: list[bytes] = []
        ticks: list[int] = []
        channels: list[Integers] = []
        for topic, messages, of_ticks in columns:
            raws += messages
            ticks += every if of_ticks is None else of_ticks
            channels.append(np.full(len(messages), self._connections[topic.name].id))
        if not raws:
            return
        order = np.argsort(np.array(ticks), kind="stable")
        times = np.array(times_ns, np.int64)[np.array(ticks)[order]]
        try:
            self._writer.write_all(
                np.concatenate(channels)[order], times, [raws[k] for k in order.tolist()]
            )
        except OSError:
            self._give_up()
            raise

    def close(self) -> None:
        """Write index and metadata."""
        if self._writer.storage is None:
            return
        try:
            self._writer.close()
        except OSError:
            self._give_up()
            raise

    def _give_up(self) -> None:
        with suppress(OSError):
            self._writer.abort()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class TopicSummary:
    """A topic of a bag: name, type and number of messages."""

    name: str
    msgtype: str
    count: int


@dataclass(frozen=True, slots=True)
class BagSummary:
    """Contents of a bag.

    Attributes:
        topics: sorted by name.
        start_ns, duration_s: times of recording.
        scenario: YAML kept inside; empty when there is none.
        version: of the software that wrote it; empty when it does not say.
        namespace: of the robot.
    """

    topics: tuple[TopicSummary, ...]
    start_ns: int
    duration_s: float
    scenario: str
    version: str
    namespace: str = NAMESPACE


def bag_summary(path: Path) -> BagSummary:
    """Look into a bag. Raises BagError when it cannot be read."""
    with _reading(path) as reader:
        topics = tuple(
            TopicSummary(name, info.msgtype or "several types", info.msgcount)
            for name, info in sorted(reader.topics.items())
        )
        start = reader.start_time if reader.message_count else 0
        custom = _custom_data(path, reader)
        return BagSummary(
            topics,
            start,
            max(0, reader.duration) * 1e-9,
            str(custom.get(SCENARIO_KEY, "")),
            str(custom.get(VERSION_KEY, "")),
            namespace_of(reader.topics),
        )


def check_bag(path: Path) -> None:
    """Read a bag once, whole.

    Raises:
        BagError: it cannot be read, or a topic has another number of messages than the bag's own
            table says.
    """
    with _reading(path) as reader:
        _compare(path, reader.connections, reader.count())


def _compare(path: Path, connections: Iterable[Connection], counts: Counter[str]) -> None:
    """Raise BagError where these connections have others than `counts` messages by topic."""
    expected: Counter[str] = Counter()
    for connection in connections:
        expected[connection.topic] += connection.msgcount
    wrong = [topic for topic in sorted(expected | counts) if counts[topic] != expected[topic]]
    if wrong:
        some = ", ".join(
            f"{counts[topic]} of {expected[topic]} messages on {topic}" for topic in wrong[:3]
        )
        more = f", and {len(wrong) - 3} more topics" if len(wrong) > 3 else ""
        raise BagError(f"bag '{path}' is damaged: it gives {some}{more}; take a copy that is whole")


def bag_messages(path: Path, topics: Collection[Topic]) -> Iterator[Message]:
    """Read the messages of some topics in order of recording.

    Raises:
        BagError: the bag cannot be read, or one of the topics has another type in it; at the end,
            one of them has another number of messages than the bag's own table says.
    """
    with _reading(path) as reader:
        namespace = namespace_of(reader.topics)
        topic_of = {topic.below(namespace): topic for topic in topics}
        connections = [
            connection for connection in reader.connections if connection.topic in topic_of
        ]
        for connection in connections:
            expected = topic_of[connection.topic].msgtype
            if connection.msgtype != expected:
                raise BagError(
                    f"bag '{path}': topic {connection.topic} has type {connection.msgtype}; "
                    f"expected {expected}"
                )
        name_of = {name: topic.name for name, topic in topic_of.items()}
        counts: Counter[str] = Counter()
        for batch in reader.batches(name_of):
            counts.update(map(itemgetter(0), batch))
            for name, time_ns, raw in batch:
                yield Message(name_of[name], time_ns, raw)
        _compare(path, connections, counts)


def namespace_of(names: Collection[str]) -> str:
    """Namespace of these topics' robot; of several, the default one if it is among them."""
    end = f"/{JOINT_STATES.relative}"
    roots = [
        name.removesuffix(end)
        for name in sorted(names)
        if name.endswith(end) and not name.endswith(f"/{SIM_JOINT_STATES.relative}")
    ]
    return roots[0] if roots and NAMESPACE not in roots else NAMESPACE


@contextmanager
def _reading(path: Path) -> Iterator[ChunkedReader]:
    """Open a bag; whatever the reader finds wrong, then or later, becomes one clear line."""
    if not path.exists():
        raise BagError(f"bag '{path}' does not exist")
    if path.is_dir() and not (path / METADATA).is_file():
        raise BagError(
            f"'{path}' is not a bag: it has no {METADATA}; give its .mcap file itself, or save "
            "it with 'boa bag recover' if the recording was killed"
        )
    try:
        with ChunkedReader(path) as reader:
            yield reader
    except BoaError:
        raise
    except Exception as error:  # damaged files fail in many ways inside the reader
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        remedy = "" if isinstance(error, OSError) else f". Take a copy that is whole; {RESCUE}"
        raise BagError(f"bag '{path}' cannot be read: {reason}{remedy}") from error


def _custom_data(path: Path, reader: Reader) -> dict[str, Any]:
    """Metadata that a bag holds beside its messages; an .mcap file holds a copy of its folder's."""
    if path.is_dir():
        return getattr(reader.storage.metadata, "custom", None) or {}
    if path.suffix != STORAGE[0]:
        return {}
    with path.open("rb") as stream:
        for record in make_reader(stream).iter_metadata():
            if record.name == "rosbag2":
                metadata = yaml.safe_load(record.metadata.get("serialized_metadata", "")) or {}
                return metadata.get("custom_data") or {}
    return {}


def _compressed(chunk: bytes) -> bytes:
    """A chunk with zstd's own checksum, which every reader compares; rosbags leaves out that of the
    chunk.
    """
    return zstd.compress(chunk, options={zstd.CompressionParameter.checksum_flag: 1})


def _qos(topic: Topic) -> Qos:
    return Qos(
        QosHistory.KEEP_LAST,
        topic.depth,
        QosReliability.RELIABLE,
        QosDurability.TRANSIENT_LOCAL if topic.latched else QosDurability.VOLATILE,
        FOREVER,
        FOREVER,
        QosLiveliness.AUTOMATIC,
        FOREVER,
        False,
    )
