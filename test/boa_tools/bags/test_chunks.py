"""A bag whose messages are appended many at once is byte for byte the bag of one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from boa_control.messages.topics import CLOCK, DEBUG, EVENTS, Topic
from boa_tools.bags import chunks
from boa_tools.bags.rosbag import BagWriter, bag_messages

TOPICS = (CLOCK, DEBUG, EVENTS)


def ticks(count: int) -> list[list[tuple[Topic, bytes]]]:
    """Messages of several sizes, of some ticks none."""
    return [
        [(TOPICS[(k + i) % 3], bytes([k % 251]) * (10 + 7 * i)) for i in range(k % 5)]
        for k in range(count)
    ]


@pytest.mark.parametrize("size", [300, 2**20])
def test_many_at_once(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of 300 bytes end in the middle of a call, those of 1 MB do not."""
    monkeypatch.setattr(chunks, "CHUNK_SIZE", size)
    stamps, given = list(range(1000, 1200)), ticks(200)
    for name in ("one", "many"):
        (tmp_path / name).mkdir()
        with BagWriter(tmp_path / name / "bag", TOPICS) as bag:
            if name == "many":
                bag.write_all(stamps[:70], given[:70])
                bag.write_all([], [])
                bag.write_all(stamps[70:], given[70:])
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
