"""Bags in MCAP files, read chunk by chunk.

rosbags merges the messages of all chunks by their times, one by one, since chunks may overlap.
Those of one recording overlap by a few ticks at most: a chunk is sorted together with what is left
of those before, which takes a quarter of the time.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Generator, Iterator, Mapping
from itertools import zip_longest
from operator import attrgetter, itemgetter

from rosbags.interfaces import Connection
from rosbags.rosbag2 import Reader
from rosbags.rosbag2.reader import DirectoryReader
from rosbags.rosbag2.storage_mcap import ChunkInfo, McapReader, decompress

from boa_tools.bags.chunks import MESSAGE, MESSAGE_RECORD, RECORD

CRC_AT = 9 + 24  # in the Chunk record; then follow its compression and the compressed messages
TEXT_AT = CRC_AT + 4

_NUMBER = struct.Struct("<H")  # of its channel, with which a message begins
_Timed = tuple[int, int, Connection, bytes]  # time, and place of the chunk in its file
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
        chunks = sorted(self.chunks, key=attrgetter("message_start_time"))
        begins = [chunk.message_start_time for chunk in chunks[1:]]
        waiting: list[_Timed] = []
        for chunk, following in zip_longest(chunks, begins):
            if any(chunk.channel_count.get(number, 0) for number in connection_of):
                place = chunk.chunk_start_offset
                waiting += _messages(self._content(chunk), place, connection_of)
                waiting.sort(key=_order)
            ready = len(waiting) if following is None else bisect_left(waiting, (following,))
            for time_ns, _, connection, raw in waiting[:ready]:
                yield connection, time_ns, raw
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
        self.bio.seek(chunk.chunk_start_offset)
        head = self.bio.read(TEXT_AT + 4 + len(chunk.compression) + 8)
        (crc,) = struct.unpack_from("<I", head, CRC_AT)
        compressed = self.bio.read(chunk.compressed_size)
        return decompress(compressed, chunk.compression, chunk.uncompressed_size, crc)


def _messages(
    content: bytes, place: int, connection_of: Mapping[int, Connection]
) -> Iterator[_Timed]:
    """The messages of these connections in the content of a chunk at `place` in its file."""
    for kind, at, end in _records(content):
        if kind == MESSAGE_RECORD:
            _, _, number, _, time_ns, _ = MESSAGE.unpack_from(content, at)
            if number in connection_of:
                yield time_ns, place, connection_of[number], content[at + MESSAGE.size : end]


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
        files = self.storage.storages if isinstance(self.storage, _Folder) else [self.storage]
        counts: Counter[str] = Counter()
        for file in files:
            if not isinstance(file, ChunkReader):
                return Counter(connection.topic for connection, _, _ in self.messages())
            counts += file.count()
        return counts
