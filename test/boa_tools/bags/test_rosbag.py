# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bags: read by the format's own library, too; damage is found wherever it lies in the messages."""

from __future__ import annotations

import resource
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader
from rosbags.rosbag2 import StoragePlugin, Writer

from boa_control.messages.cdr import message, serialize, typestore
from boa_control.messages.topics import EVENTS, JOINT_STATES
from boa_description.errors import BoaError
from boa_tools.bags import chunk_reader
from boa_tools.bags.rosbag import BagWriter, Message, bag_messages, bag_summary, check_bag

ZSTD_FRAME = b"\x28\xb5\x2f\xfd"
RNG = np.random.default_rng(0)
CONTENT = [
    (JOINT_STATES if k % 3 else EVENTS, 10 * k, RNG.bytes(60) + bytes(60)) for k in range(600)
]


@pytest.fixture
def bag(tmp_path) -> Path:
    with BagWriter(tmp_path / "bag", [JOINT_STATES, EVENTS], scenario="name: x\n") as writer:
        for topic, time_ns, raw in CONTENT:
            writer.write(topic, time_ns, raw)
    return tmp_path / "bag"


def test_the_format_s_own_library_reads_the_same(bag):
    with (bag / "bag.mcap").open("rb") as stream:
        theirs = [
            Message(channel.topic, item.log_time, item.data)
            for _, channel, item in make_reader(stream, validate_crcs=True).iter_messages()
        ]
    assert theirs == [Message(topic.name, time_ns, raw) for topic, time_ns, raw in CONTENT]
    assert list(bag_messages(bag, [JOINT_STATES, EVENTS])) == theirs


def test_the_file_alone_says_what_its_folder_says(bag):
    check_bag(bag)
    check_bag(bag / "bag.mcap")
    assert bag_summary(bag / "bag.mcap") == bag_summary(bag)
    assert bag_summary(bag).scenario == "name: x\n"


def test_one_wrong_bit_is_found_wherever_it_lies_in_the_messages(bag):
    file = bag / "bag.mcap"
    content = file.read_bytes()
    start = content.index(ZSTD_FRAME)
    # MCAP: the size stands before the chunk's records
    length = int.from_bytes(content[start - 8 : start], "little")
    for place in np.linspace(start, start + length - 1, 50).astype(int):
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(
            BoaError, match=r"cannot be read: .* copy that is whole; 'boa bag recover'"
        ):
            check_bag(bag)


def test_a_message_lost_from_a_recording_without_checksums_is_found(tmp_path):
    """As other recorders write it: neither compressed nor with a checksum. One record gets another
    kind.
    """
    text = serialize(message("std_msgs/msg/String", data="look for me"))
    with Writer(tmp_path / "bag", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connection = writer.add_connection(EVENTS.name, EVENTS.msgtype, typestore=typestore())
        for k in range(3):
            writer.write(connection, k, text)
    check_bag(tmp_path / "bag")
    file = tmp_path / "bag" / "bag.mcap"
    content = bytearray(file.read_bytes())
    # opcode, length, channel, sequence and two times before it
    record = content.index(bytes(text)) - 22 - 8 - 1
    assert content[record] == 0x05
    content[record] = 0x55
    file.write_bytes(content)
    for given in (tmp_path / "bag", file):
        with pytest.raises(
            BoaError, match=f"is damaged: it gives 2 of 3 messages on {EVENTS.name}; take a copy"
        ):
            check_bag(given)


@pytest.fixture
def small_disk():
    """The kernel refuses to let a file grow beyond 2 MB, here by a limit of the process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


# the first write that fails is a message's, or the end's
@pytest.mark.parametrize("size", [100_000, 1_000_000])
def test_a_bag_on_a_full_disk_is_given_up_once(tmp_path, small_disk, size):
    writer = BagWriter(tmp_path / "bag", [JOINT_STATES])
    writer.open()
    with pytest.raises(OSError, match="File too large"):
        for k in range(30):
            writer.write(JOINT_STATES, k, RNG.bytes(size))
        writer.close()
    writer.close()
    with pytest.raises(BoaError):
        check_bag(tmp_path / "bag")


def test_a_small_file_that_unpacks_to_gigabytes_is_refused(bag, monkeypatch):
    monkeypatch.setattr(chunk_reader, "LARGEST_CHUNK", 1000)
    with pytest.raises(BoaError, match=r"cannot be read: a chunk of \d+ bytes; at most 1000"):
        check_bag(bag)
