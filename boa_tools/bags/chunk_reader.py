"""Bags whose MCAP chunks follow one another in time, read chunk by chunk.

rosbags merges the messages of all chunks by their times, since chunks may overlap; those of one
writer do not, and reading them is four times as fast without.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Generator, Iterator, Mapping
from itertools import pairwise
from operator import itemgetter

from rosbags.interfaces import Connection
from rosbags.rosbag2 import Reader
from rosbags.rosbag2.reader import DirectoryReader
from rosbags.rosbag2.storage_mcap import ChunkInfo, McapReader, decompress

from boa_tools.bags.chunks import MESSAGE, RECORD

MESSAGE_RECORD = 0x05  # its opcode
CRC_AT = 9 + 24  # in the Chunk record; then follow its compression and the compressed messages
TEXT_AT = CRC_AT + 4

Read = tuple[Connection, int, bytes]


class ChunkReader(McapReader):
    """rosbags' reader of `.mcap` files with its hot path replaced."""

    def messages(
        self, connections: Collection[Connection], start: int | None = None, stop: int | None = None
    ) -> Generator[Read, None, None]:
        """Messages of these connections by their times, as from rosbags."""
        in_order = all(a.message_end_time <= b.message_start_time for a, b in pairwise(self.chunks))
        if not self.chunks or not in_order or start is not None or stop is not None:
            yield from super().messages(connections, start, stop)
            return
        connection_of = {connection.id: connection for connection in connections}
        for chunk in self.chunks:
            if any(chunk.channel_count.get(number, 0) for number in connection_of):
                content = self._content(chunk)
                yield from sorted(_messages(content, connection_of), key=itemgetter(1))

    def _content(self, chunk: ChunkInfo) -> bytes:
        """The records in a chunk."""
        assert self.bio is not None
        self.bio.seek(chunk.chunk_start_offset)
        head = self.bio.read(TEXT_AT + 4 + len(chunk.compression) + 8)
        (crc,) = struct.unpack_from("<I", head, CRC_AT)
        compressed = self.bio.read(chunk.compressed_size)
        return decompress(compressed, chunk.compression, chunk.uncompressed_size, crc)


def _messages(content: bytes, connection_of: Mapping[int, Connection]) -> Iterator[Read]:
    at = 0
    while at < len(content):
        kind, size = RECORD.unpack_from(content, at)
        end = at + RECORD.size + size
        if end > len(content):
            raise ValueError(f"a record of {size} bytes does not end with its chunk")
        if kind == MESSAGE_RECORD:
            _, _, number, _, time_ns, _ = MESSAGE.unpack_from(content, at)
            if number in connection_of:
                yield connection_of[number], time_ns, content[at + MESSAGE.size : end]
        at = end


class _Folder(DirectoryReader):
    STORAGE_PLUGINS = {**DirectoryReader.STORAGE_PLUGINS, "mcap": ChunkReader}  # noqa: RUF012 - as its base has it


class ChunkedReader(Reader):
    """rosbags' reader of bags, with `ChunkReader` below it."""

    STORAGE_PLUGINS = {**Reader.STORAGE_PLUGINS, "dir": _Folder, ".mcap": ChunkReader}  # noqa: RUF012
