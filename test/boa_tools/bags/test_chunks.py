# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A bag whose messages are appended many at once is byte for byte the bag of one by one."""

from __future__ import annotations

import tempfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rosbags.rosbag2 import Reader

from boa_control.messages.message_columns import MessageColumn, by_ticks
from boa_control.messages.topics import CLOCK, DEBUG, EVENTS
from boa_tools.bags import chunks
from boa_tools.bags.chunk_reader import ChunkedReader
from boa_tools.bags.rosbag import BagWriter, bag_messages

TOPICS = (CLOCK, DEBUG, EVENTS)


def ticks(first: int, count: int) -> list[MessageColumn]:
    """Messages of several sizes, of every fifth tick none; the first column has all ticks."""
    columns = [
        MessageColumn(TOPICS[2], [bytes([k % 251]) * 9 for k in range(first, first + count)])
    ]
    for i in range(4):
        given = [k for k in range(count) if (first + k) % 5 > i]
        raws = [bytes([(first + k) % 251]) * (10 + 7 * i) for k in given]
        columns.append(MessageColumn(TOPICS[i % 3], raws, given))
    return columns


@pytest.mark.parametrize("size", [300, 2**20])
def test_many_at_once(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of 300 bytes end in the middle of a call, those of 1 MB do not."""
    monkeypatch.setattr(chunks, "CHUNK_SIZE", size)
    stamps, given = list(range(1000, 1200)), by_ticks(ticks(0, 200), 200)
    for name in ("one", "many"):
        (tmp_path / name).mkdir()
        with BagWriter(tmp_path / name / "bag", TOPICS) as bag:
            if name == "many":
                bag.write_all(stamps[:70], ticks(0, 70))
                bag.write_all([], [MessageColumn(CLOCK, [])])
                bag.write_all(stamps[70:], ticks(70, 130))
                continue
            for stamp, messages in zip(stamps, given, strict=True):
                for topic, raw in messages:
                    bag.write(topic, stamp, raw)
    one, many = (tmp_path / name / "bag" / "bag.mcap" for name in ("one", "many"))
    assert one.read_bytes() == many.read_bytes()
    read = [(m.topic, m.time_ns, m.raw) for m in bag_messages(tmp_path / "many" / "bag", TOPICS)]
    assert read == [
        (topic.name, stamp, raw)
        for stamp, messages in zip(stamps, given, strict=True)
        for topic, raw in messages
    ]


def test_a_growing_bag_takes_no_more_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a kilobyte for each chunk would be 8 MB for an hour, 6 % of a run."""
    monkeypatch.setattr(chunks, "CHUNK_SIZE", 100)
    with BagWriter(tmp_path / "bag", TOPICS) as bag:
        bag.write_all(range(500), ticks(0, 500))
        tracemalloc.start()
        for begin in range(500, 2500, 500):
            bag.write_all(range(begin, begin + 500), ticks(begin, 500))
            if begin == 500:
                before = tracemalloc.get_traced_memory()[0]
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
    # 1500 ticks with 4500 messages in more than a thousand chunks
    assert grown < 50_000
    assert sum(1 for _ in bag_messages(tmp_path / "bag", TOPICS)) == 7500


def test_where_the_chunks_are_waits_on_the_disk_of_the_bag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with BagWriter(tmp_path / "bag", TOPICS) as bag:
        bag.write_all(range(200), ticks(0, 200))
        assert [file.name for file in (tmp_path / "bag").iterdir()] == ["bag.mcap"], "no name"
    assert sum(1 for _ in bag_messages(tmp_path / "bag", TOPICS)) == 600


def test_no_room_for_where_the_chunks_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing that file fails once more, and the bag is given up all the same."""
    monkeypatch.setattr(chunks, "CHUNK_SIZE", 100)
    full = Path("/dev/full").open("r+b")  # noqa: SIM115 - the bag closes it
    monkeypatch.setattr(chunks, "TemporaryFile", lambda **_: full)
    bag = BagWriter(tmp_path / "bag", TOPICS)
    bag.open()
    mcap = bag._writer.storage
    assert isinstance(mcap, chunks.ChunkedMcap)
    with pytest.raises(OSError, match="No space left"):
        bag.write_all(range(2000), ticks(0, 2000))
    bag.close()
    assert mcap.bio.closed


@settings(max_examples=25)  # each is a bag on the disk
@given(st.lists(st.integers(0, 40), min_size=1, max_size=30), st.booleans())
def test_messages_are_read_in_the_order_of_their_times(times: list[int], ascending: bool) -> None:
    """As rosbags reads them, whether or not chunks overlap; chunks are of a few messages."""
    times = sorted(times) if ascending else times
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "CHUNK_SIZE", 300)
        path = Path(folder) / "bag"
        with BagWriter(path, TOPICS) as bag:
            for k, time_ns in enumerate(times):
                bag.write(TOPICS[k % 3], time_ns, bytes([k]) * 40)
        with Reader(path) as reader:
            expected = [(c.topic, time_ns, bytes(raw)) for c, time_ns, raw in reader.messages()]
        with ChunkedReader(path) as reader:
            read = [(c.topic, time_ns, bytes(raw)) for c, time_ns, raw in reader.messages()]
    assert read == expected and len(read) == len(times)
