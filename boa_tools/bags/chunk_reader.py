# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bags in MCAP files, read chunk by chunk.

rosbags merges the messages of all chunks by their times, one by one, since chunks may overlap.
Those of one recording overlap by a few ticks at most: a chunk is sorted together with what is left
of those before, which takes a quarter of the time.
"""

import struct
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Generator, Iterator
from itertools import islice, zip_longest
from operator import attrgetter, itemgetter
from typing import Any

from rosbags.interfaces import Connection
from rosbags.rosbag2 import Reader
from rosbags.rosbag2.reader import DirectoryReader
from rosbags.rosbag2.storage_mcap import ChunkInfo, McapReader, decompress

from boa_tools.bags.chunks import MESSAGE, MESSAGE_RECORD, RECORD

CRC_AT = 9 + 24  # in the Chunk record; then follow its compression and the compressed messages
TEXT_AT = CRC_AT + 4
BATCH = 1000  # messages
LARGEST_CHUNK = 1 << 28  # bytes, unpacked; recorders write chunks of about a million

_NUMBER = struct.Struct("<H")  # of its channel, with which a message begins
Timed = tuple[int, int, int, bytes]  # time, place of the chunk in its file, channel, message
_order = itemgetter(0, 1)


class ChunkReader(McapReader):
    """rosbags' reader of `.mcap` files with its hot path replaced."""

    def messages(
        self, connections: Collection[Connection], start: int | None = None, stop: int | None = None
    ) -> Generator[tuple[Connection, int, bytes], None, None]:
        """Messages of these connections by their times, as from rosbags."""
        if not self.chunks or start is not None or stop is not None:
            yield from super().messages(connections, start, stop)
            return
        connection_of = {connection.id: connection for connection in connections}
        for batch in self.batches(connection_of):
            for time_ns, _, number, raw in batch:
                yield connection_of[number], time_ns, raw

    def batches(self, channels: Collection[int]) -> Iterator[list[Timed]]:
        """The messages of these channels by their times, those of about a chunk together; of a file
        with chunks.
        """
        chunks = sorted(self.chunks, key=attrgetter("message_start_time"))
        begins = [chunk.message_start_time for chunk in chunks[1:]]
        waiting: list[Timed] = []
        for chunk, following in zip_longest(chunks, begins):
            if any(chunk.channel_count.get(number, 0) for number in channels):
                place = chunk.chunk_start_offset
                waiting += _messages(self._content(chunk), place, channels)
                waiting.sort(key=_order)
            ready = len(waiting) if following is None else bisect_left(waiting, (following,))
            yield waiting[:ready]
            del waiting[:ready]

    def count(self) -> Counter[str]:
        """Messages by topic, counted in the file itself; every chunk is read."""
        if not self.chunks:
            return Counter(connection.topic for connection, _, _ in self.messages(self.connections))
        numbers: Counter[int] = Counter()
        for chunk in self.chunks:
            content = self._content(chunk)
            numbers.update(
                _NUMBER.unpack_from(content, at + RECORD.size)[0]
                for kind, at, _ in _records(content)
                if kind == MESSAGE_RECORD
            )
        topic_of = {connection.id: connection.topic for connection in self.connections}
        counts: Counter[str] = Counter()
        for number, count in numbers.items():
            counts[topic_of[number]] += count
        return counts

    def _content(self, chunk: ChunkInfo) -> bytes:
        """The records in a chunk."""
        assert self.bio is not None
        if chunk.uncompressed_size > LARGEST_CHUNK:  # a small file may claim any size
            raise ValueError(
                f"a chunk of {chunk.uncompressed_size} bytes; at most {LARGEST_CHUNK} are read"
            )
        self.bio.seek(chunk.chunk_start_offset)
        head = self.bio.read(TEXT_AT + 4 + len(chunk.compression) + 8)
        (crc,) = struct.unpack_from("<I", head, CRC_AT)
        compressed = self.bio.read(chunk.compressed_size)
        return decompress(compressed, chunk.compression, chunk.uncompressed_size, crc)


def _messages(content: bytes, place: int, channels: Collection[int]) -> Iterator[Timed]:
    """The messages of these channels in the content of a chunk at `place` in its file."""
    wanted, unpack, head = set(channels), MESSAGE.unpack_from, MESSAGE.size
    for kind, at, end in _records(content):
        if kind == MESSAGE_RECORD:
            _, _, number, _, time_ns, _ = unpack(content, at)
            if number in wanted:
                yield time_ns, place, number, content[at + head : end]


def _records(content: bytes) -> Iterator[tuple[int, int, int]]:
    """Opcode, begin and end of every record in the content of a chunk."""
    at = 0
    while at < len(content):
        kind, size = RECORD.unpack_from(content, at)
        end = at + RECORD.size + size
        if end > len(content):
            raise ValueError(f"a record of {size} bytes does not end with its chunk")
        yield kind, at, end
        at = end


class _Folder(DirectoryReader):
    STORAGE_PLUGINS = {**DirectoryReader.STORAGE_PLUGINS, "mcap": ChunkReader}  # noqa: RUF012 - as its base has it


class ChunkedReader(Reader):
    """rosbags' reader of bags, with `ChunkReader` below it."""

    STORAGE_PLUGINS = {**Reader.STORAGE_PLUGINS, "dir": _Folder, ".mcap": ChunkReader}  # noqa: RUF012

    def count(self) -> Counter[str]:
        """Messages by topic, counted in the bag itself, which is read as a whole."""
        counts: Counter[str] = Counter()
        for file in self._files():
            if not isinstance(file, ChunkReader):
                return Counter(connection.topic for connection, _, _ in self.messages())
            counts += file.count()
        return counts

    def batches(self, topics: Collection[str]) -> Iterator[list[tuple[str, int, bytes]]]:
        """The messages of these topics in order, many at a time: topic, time, content."""
        files = self._files()
        if self.compression_mode == "message" or not all(
            isinstance(file, ChunkReader) and file.chunks for file in files
        ):
            connections = [one for one in self.connections if one.topic in topics]
            messages = iter(self.messages(connections)) if connections else iter(())
            while batch := list(islice(messages, BATCH)):
                yield [
                    (connection.topic, time_ns, bytes(raw)) for connection, time_ns, raw in batch
                ]
            return
        for file in files:
            topic_of = {one.id: one.topic for one in file.connections if one.topic in topics}
            for timed in file.batches(topic_of):
                yield [(topic_of[number], time_ns, raw) for time_ns, _, number, raw in timed]

    def _files(self) -> list[Any]:
        """The readers of the files."""
        return self.storage.storages if isinstance(self.storage, _Folder) else [self.storage]
