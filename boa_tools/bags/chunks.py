"""MCAP chunks that are compressed and written by a thread of their own, and assembled with little
work per message.

Records as the MCAP specification has them (https://mcap.dev/spec): Message (0x05), Chunk (0x06),
MessageIndex (0x07), ChunkIndex. Everything else of the file is rosbags'.
"""

from __future__ import annotations

import struct
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
from rosbags.interfaces import Connection
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.rosbag2.enums import CompressionMode
from rosbags.rosbag2.storage_mcap import McapWriter, PendingChunk

CHUNK_SIZE = 2**20  # bytes before compression
LATEST = 2**63 - 1  # ns; before the first message

RECORD = struct.Struct("<BQ")  # opcode and length, before every record
MESSAGE = struct.Struct("<BQHIQQ")  # then channel, sequence, time of recording and of publishing
MESSAGE_RECORD = 0x05  # opcode
_SIZE = struct.Struct("<I")
MESSAGE_HEAD = MESSAGE.size - RECORD.size


class ChunkedMcap(McapWriter):
    """rosbags' writer of `.mcap` files with its hot path replaced.

    An error of the thread is raised by the next call that hands it a chunk, at the latest by
    `close`.
    """

    def __init__(self, path: Path, compression: CompressionMode) -> None:
        super().__init__(path, compression)
        # where the chunks are, for the end of the file: 18,000 of them in an hour, half a kilobyte
        # each; they wait in a file, so that an hour takes no more memory than a minute. It has no
        # name, so that it goes with the process, and lies where the bag does: one disk to fill
        self._places = TemporaryFile(dir=path)  # noqa: SIM115 - open as long as the bag
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="bag")
        self._job: Future[None] | None = None

    def write(self, connection: Connection, timestamp: int, data: bytes | memoryview) -> None:
        """Append a message."""
        chunk, number = self.chunk, connection.id
        if timestamp < chunk.message_start_time:
            chunk.message_start_time = timestamp
        if timestamp > chunk.message_end_time:
            chunk.message_end_time = timestamp
        place = chunk.bio.tell()
        chunk.msgs[number].append((timestamp, place))
        head = MESSAGE.pack(
            MESSAGE_RECORD, MESSAGE_HEAD + len(data), number, 0, timestamp, timestamp
        )
        chunk.bio.write(head + data)
        if place > CHUNK_SIZE:
            self.close_chunk()

    def write_all(self, messages: Iterable[tuple[Connection, int, bytes]]) -> None:
        """Append many messages whose times do not go back; the same bytes as by `write`."""
        records: list[bytes] = []
        place, index = self.chunk.bio.tell(), self.chunk.msgs
        pack, extra = MESSAGE.pack, MESSAGE.size
        time = -1
        for connection, time, data in messages:
            if not records:
                self.chunk.message_start_time = min(self.chunk.message_start_time, time)
            number, size = connection.id, len(data)
            index[number].append((time, place))
            records += (pack(MESSAGE_RECORD, MESSAGE_HEAD + size, number, 0, time, time), data)
            if place > CHUNK_SIZE:
                self._append(records, time)
                self.close_chunk()
                records, place, index = [], 0, self.chunk.msgs
            else:
                place += extra + size
        if records:
            self._append(records, time)

    def _append(self, records: list[bytes], newest: int) -> None:
        chunk = self.chunk
        chunk.bio.write(b"".join(records))
        chunk.message_end_time = max(chunk.message_end_time, newest)

    def close_chunk(self) -> None:
        """Hand the chunk to the thread, which has finished the one before by then."""
        chunk = self.chunk
        self.message_start_time = min(self.message_start_time, chunk.message_start_time)
        self.message_end_time = max(self.message_end_time, chunk.message_end_time)
        for number, messages in chunk.msgs.items():
            self.channel_stats[number] += len(messages)
        self.chunk = PendingChunk(LATEST, 0, BytesIO(), defaultdict(list))
        self._wait()
        self._job = self._thread.submit(self._write_chunk, chunk)

    def close(self, version: int, metadata: str) -> None:
        """Write what is left, index and metadata."""
        if self.chunk.bio.tell():
            self.close_chunk()
        self._wait()
        self._thread.shutdown()
        with self._places:
            self.chunks = list(self._chunk_places())
        super().close(version, metadata)

    def abort(self) -> None:
        """Close without index."""
        self._thread.shutdown()
        super().abort()
        self._places.close()

    def _wait(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            job.result()

    def _write_chunk(self, chunk: PendingChunk) -> None:
        """In the thread: the chunk and the index of its messages."""
        content = chunk.bio.getvalue()
        compressed = self.compressor(content)
        name = self.compression.encode()
        times = chunk.message_start_time, chunk.message_end_time
        start = self.bio.tell()
        head = struct.pack("<QQQI", *times, len(content), 0) + _text(name)
        self._record(0x06, head + struct.pack("<Q", len(compressed)) + compressed)
        end = self.bio.tell()
        offsets = b""
        for number, messages in chunk.msgs.items():
            offsets += struct.pack("<HQ", number, self.bio.tell())
            entries = np.array(messages, dtype="<u8").tobytes()
            self._record(0x07, struct.pack("<HI", number, len(entries)) + entries)
        index = BytesIO()
        index.write(struct.pack("<QQQQI", *times, start, end - start, len(offsets)) + offsets)
        index.write(struct.pack("<Q", self.bio.tell() - end) + _text(name))
        index.write(struct.pack("<QQ", len(compressed), len(content)))
        content = index.getvalue()
        self._places.write(_SIZE.pack(len(content)) + content)

    def _chunk_places(self) -> Iterator[BytesIO]:
        """The ChunkIndex records of all chunks, without their heads."""
        self._places.seek(0)
        while size := self._places.read(_SIZE.size):
            record = BytesIO()
            record.write(self._places.read(*_SIZE.unpack(size)))
            yield record

    def _record(self, kind: int, content: bytes) -> None:
        self.bio.write(RECORD.pack(kind, len(content)) + content)


def _text(name: bytes) -> bytes:
    return struct.pack("<I", len(name)) + name


class ChunkedWriter(Writer):
    """rosbags' writer of bags, with `ChunkedMcap` below it."""

    STORAGE_PLUGINS = {StoragePlugin.MCAP: ChunkedMcap}  # noqa: RUF012 - as its base has it

    def write(self, connection: Connection, timestamp: int, data: bytes | memoryview) -> None:
        """Append a message to a connection of this open bag; it is not searched among all."""
        assert self.storage is not None
        self.storage.write(connection, timestamp, data)
        self.counts[connection.id] += 1
        if timestamp < self.min_timestamp:
            self.min_timestamp = timestamp
        if timestamp > self.max_timestamp:
            self.max_timestamp = timestamp

    def write_all(self, messages: Iterable[tuple[Connection, int, bytes]]) -> None:
        """Append many messages, whose times do not go back, to connections of this open bag."""
        assert isinstance(self.storage, ChunkedMcap)
        given = list(messages)
        if not given:
            return
        self.storage.write_all(given)
        for number, count in Counter([connection.id for connection, _, _ in given]).items():
            self.counts[number] += count
        self.min_timestamp = min(self.min_timestamp, given[0][1])
        self.max_timestamp = max(self.max_timestamp, given[-1][1])
