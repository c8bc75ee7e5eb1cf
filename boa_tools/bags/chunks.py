# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""MCAP chunks that are compressed and written by a thread of their own, and assembled with little
work per message.

Records as the MCAP specification has them (https://mcap.dev/spec): Message (0x05), Chunk (0x06),
MessageIndex (0x07), ChunkIndex. Everything else of the file is rosbags'.
"""

import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
from rosbags.interfaces import Connection
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.rosbag2.enums import CompressionMode
from rosbags.rosbag2.storage_mcap import McapWriter, PendingChunk

from boa_description.arrays import Integers

CHUNK_SIZE = 2**20  # bytes before compression
LATEST = 2**63 - 1  # ns; before the first message

RECORD = struct.Struct("<BQ")  # opcode and length, before every record
MESSAGE = struct.Struct("<BQHIQQ")  # then channel, sequence, time of recording and of publishing
MESSAGE_RECORD = 0x05  # opcode
_SIZE = struct.Struct("<I")
_ENTRY = struct.Struct("<QQ")  # time and place of a message in the index of a chunk
MESSAGE_HEAD = MESSAGE.size - RECORD.size
_HEADS = np.dtype(  # `MESSAGE` of many messages
    {
        "names": ["opcode", "length", "channel", "sequence", "recorded", "published"],
        "formats": ["u1", "<u8", "<u2", "<u4", "<u8", "<u8"],
        "offsets": [0, 1, 9, 11, 15, 23],
        "itemsize": MESSAGE.size,
    }
)


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
        # times and places of the messages of the chunk, by channel
        self._index: defaultdict[int, bytearray] = defaultdict(bytearray)
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
        self._index[number] += _ENTRY.pack(timestamp, place)
        head = MESSAGE.pack(
            MESSAGE_RECORD, MESSAGE_HEAD + len(data), number, 0, timestamp, timestamp
        )
        chunk.bio.write(head + data)
        if place > CHUNK_SIZE:
            self.close_chunk()

    def write_all(self, channels: Integers, times: Integers, raws: Sequence[bytes]) -> None:
        """Append many messages, whose times, ns, do not go back; the same bytes as by `write`.

        Args:
            channels: numbers of the connections, shape (N,).
            times: shape (N,). raws: N messages.
        """
        count = len(raws)
        sizes = np.fromiter(map(len, raws), np.int64, count)
        heads = np.zeros(count, _HEADS)
        heads["opcode"], heads["channel"] = MESSAGE_RECORD, channels
        heads["length"] = MESSAGE_HEAD + sizes
        heads["recorded"] = heads["published"] = times
        packed = heads.tobytes()
        records = [b""] * (2 * count)
        records[::2] = [packed[k : k + MESSAGE.size] for k in range(0, len(packed), MESSAGE.size)]
        records[1::2] = raws
        ends = np.cumsum(MESSAGE.size + sizes)
        start = 0
        while start < count:
            before = int(ends[start - 1]) if start else 0
            places = self.chunk.bio.tell() + np.append(before, ends[start : count - 1]) - before
            within = int(np.searchsorted(places, CHUNK_SIZE, side="right"))  # the next is the last
            end = min(start + within + 1, count)
            part = slice(start, end)
            content = b"".join(records[2 * start : 2 * end])
            self._append(content, channels[part], times[part], places)
            if start + within < count:
                self.close_chunk()
            start = end

    def _append(
        self, records: bytes, channels: Integers, times: Integers, places: Integers
    ) -> None:
        """Append records to the chunk, and to its index."""
        chunk = self.chunk
        chunk.bio.write(records)
        chunk.message_start_time = min(chunk.message_start_time, int(times[0]))
        chunk.message_end_time = max(chunk.message_end_time, int(times[-1]))
        entries = np.column_stack((times, places[: len(times)])).astype("<u8")
        numbers, first = np.unique(channels, return_index=True)
        for number in numbers[np.argsort(first)].tolist():
            self._index[number] += entries[channels == number].tobytes()

    def close_chunk(self) -> None:
        """Hand the chunk to the thread, which has finished the one before by then."""
        chunk, index = self.chunk, self._index
        self.message_start_time = min(self.message_start_time, chunk.message_start_time)
        self.message_end_time = max(self.message_end_time, chunk.message_end_time)
        for number, entries in index.items():
            self.channel_stats[number] += len(entries) // _ENTRY.size
        self.chunk = PendingChunk(LATEST, 0, BytesIO(), defaultdict(list))
        self._index = defaultdict(bytearray)
        self._wait()
        self._job = self._thread.submit(self._write_chunk, chunk, index)

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

    def _write_chunk(self, chunk: PendingChunk, index: Mapping[int, bytearray]) -> None:
        """In the thread: the chunk and the index of its messages, by channel."""
        content = chunk.bio.getvalue()
        compressed = self.compressor(content)
        name = self.compression.encode()
        times = chunk.message_start_time, chunk.message_end_time
        start = self.bio.tell()
        head = struct.pack("<QQQI", *times, len(content), 0) + _text(name)
        self._record(0x06, head + struct.pack("<Q", len(compressed)) + compressed)
        end = self.bio.tell()
        offsets = b""
        for number, entries in index.items():
            offsets += struct.pack("<HQ", number, self.bio.tell())
            self._record(0x07, struct.pack("<HI", number, len(entries)) + entries)
        place = BytesIO()
        place.write(struct.pack("<QQQQI", *times, start, end - start, len(offsets)) + offsets)
        place.write(struct.pack("<Q", self.bio.tell() - end) + _text(name))
        place.write(struct.pack("<QQ", len(compressed), len(content)))
        content = place.getvalue()
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

    def write_all(self, channels: Integers, times: Integers, raws: Sequence[bytes]) -> None:
        """Append many messages to connections of this open bag, as `ChunkedMcap.write_all`."""
        assert isinstance(self.storage, ChunkedMcap)
        self.storage.write_all(channels, times, raws)
        for number, count in enumerate(np.bincount(channels).tolist()):
            if count:
                self.counts[number] += count
        self.min_timestamp = min(self.min_timestamp, int(times[0]))
        self.max_timestamp = max(self.max_timestamp, int(times[-1]))
