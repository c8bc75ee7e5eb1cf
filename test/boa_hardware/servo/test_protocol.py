# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The codec against published packets, ROBOTIS's own encoder and the rules of the e-manual."""

from __future__ import annotations

import pytest
from dynamixel_sdk import Protocol2PacketHandler
from hypothesis import example, given
from hypothesis import strategies as st

from boa_hardware.servo import protocol
from boa_hardware.servo.protocol import (
    BROADCAST,
    HEADER,
    MAX_ID,
    Instruction,
    Packet,
    Status,
    StreamParser,
    as_status,
    crc16,
    encode,
    encode_status,
    stuff,
    unstuff,
)


def packet(text: str) -> bytes:
    return bytes.fromhex(text)


# (bytes, packet): the worked examples of the e-manual's Protocol 2.0 page
EMANUAL = {
    "ping 1": ("FFFFFD00 01 0300 01 194E", Packet(1, 0x01)),
    "ping status": ("FFFFFD00 01 0700 55 00 0604 26 655D", Packet(1, 0x55, b"\x00\x06\x04\x26")),
    "ping all": ("FFFFFD00 FE 0300 01 3142", Packet(0xFE, 0x01)),
    "ping status 2": ("FFFFFD00 02 0700 55 00 0604 26 6F6D", Packet(2, 0x55, b"\x00\x06\x04\x26")),
    "read 132": ("FFFFFD00 01 0700 02 8400 0400 1D15", Packet(1, 0x02, b"\x84\x00\x04\x00")),
    "read status": (
        "FFFFFD00 01 0800 55 00 A6000000 8CC0",
        Packet(1, 0x55, b"\x00\xa6\x00\x00\x00"),
    ),
    "write 116": (
        "FFFFFD00 01 0900 03 7400 00020000 CA89",
        Packet(1, 0x03, b"\x74\x00\x00\x02\x00\x00"),
    ),
    "write status": ("FFFFFD00 01 0400 55 00 A10C", Packet(1, 0x55, b"\x00")),
    "reg write": (
        "FFFFFD00 01 0900 04 6800 C8000000 AE8E",
        Packet(1, 0x04, b"\x68\x00\xc8\x00\x00\x00"),
    ),
    "action": ("FFFFFD00 01 0300 05 02CE", Packet(1, 0x05)),
    "factory reset": ("FFFFFD00 01 0400 06 01 A1E6", Packet(1, 0x06, b"\x01")),
    "reboot": ("FFFFFD00 01 0300 08 2F4E", Packet(1, 0x08)),
    "clear": ("FFFFFD00 01 0800 10 0144584C22 B1DC", Packet(1, 0x10, b"\x01DXL\x22")),
    "sync read": (
        "FFFFFD00 FE 0900 82 8400 0400 0102 CEFA",
        Packet(0xFE, 0x82, b"\x84\x00\x04\x00\x01\x02"),
    ),
    "sync read status 2": (
        "FFFFFD00 02 0800 55 00 1F080000 BABE",
        Packet(2, 0x55, b"\x00\x1f\x08\x00\x00"),
    ),
    "sync write": (
        "FFFFFD00 FE 1100 83 7400 0400 01 96000000 02 AA000000 8287",
        Packet(0xFE, 0x83, bytes.fromhex("74000400 0196000000 02AA000000")),
    ),
    "bulk read": (
        "FFFFFD00 FE 0D00 92 01 9000 0200 02 9200 0100 1A05",
        Packet(0xFE, 0x92, bytes.fromhex("0190000200 0292000100")),
    ),
    "bulk status 1": ("FFFFFD00 01 0600 55 00 7700 C369", Packet(1, 0x55, b"\x00\x77\x00")),
    "bulk status 2": ("FFFFFD00 02 0500 55 00 24 8BA9", Packet(2, 0x55, b"\x00\x24")),
    "bulk write": (
        "FFFFFD00 FE 1000 93 01 2000 0200 A000 02 1F00 0100 50 B768",
        Packet(0xFE, 0x93, bytes.fromhex("0120000200A000 021F00010050")),
    ),
    "fast sync read": (
        "FFFFFD00 FE 0A00 8A 8400 0400 030704 20F2",
        Packet(0xFE, 0x8A, b"\x84\x00\x04\x00\x03\x07\x04"),
    ),
    "alert": ("FFFFFD00 01 0400 55 80 A28F", Packet(1, 0x55, b"\x80")),
    "watchdog refusal": ("FFFFFD00 01 0400 55 04 BA8C", Packet(1, 0x55, b"\x04")),
    "torque on": ("FFFFFD00 01 0600 03 4000 01 DB66", Packet(1, 0x03, b"\x40\x00\x01")),
    "goal current": (
        "FFFFFD00 FE 0D00 83 6600 0200 01 6400 02 9CFF E1DB",
        Packet(0xFE, 0x83, bytes.fromhex("66000200 016400 029CFF")),
    ),
    "fast sync read of the cycle": (
        "FFFFFD00 FE 0A00 8A 7E00 0A00 010203 699B",
        Packet(0xFE, 0x8A, bytes.fromhex("7E000A00 010203")),
    ),
}


@pytest.mark.parametrize("name", EMANUAL)
def test_published_packets(name: str) -> None:
    text, expected = EMANUAL[name]
    assert encode(expected) == packet(text)
    assert StreamParser().feed(packet(text)) == [expected]


def test_builders_give_the_published_packets() -> None:
    assert protocol.ping(1) == packet(EMANUAL["ping 1"][0])
    assert protocol.read(1, 132, 4) == packet(EMANUAL["read 132"][0])
    assert protocol.write(1, 116, (512).to_bytes(4, "little")) == packet(EMANUAL["write 116"][0])
    assert protocol.write(1, 64, b"\x01") == packet(EMANUAL["torque on"][0])
    assert protocol.reboot(1) == packet(EMANUAL["reboot"][0])
    assert protocol.sync_read((1, 2), 132, 4) == packet(EMANUAL["sync read"][0])
    assert protocol.sync_read((3, 7, 4), 132, 4, fast=True) == packet(EMANUAL["fast sync read"][0])
    goals = {
        1: (100).to_bytes(2, "little", signed=True),
        2: (-100).to_bytes(2, "little", signed=True),
    }
    assert protocol.sync_write(goals, 102) == packet(EMANUAL["goal current"][0])
    assert encode_status(Status(1, 0x80)) == packet(EMANUAL["alert"][0])


def test_the_manuals_misprinted_fast_bulk_read_has_another_crc() -> None:
    """The page prints the CRC 20 F2 of the Fast Sync Read example; ROBOTIS's encoder says DA 2D."""
    body = bytes.fromhex("FFFFFD00 FE 1200 9A 03 8400 0400 07 7C00 0200 04 9200 0100")
    theirs = Protocol2PacketHandler().updateCRC(0, list(body), len(body))
    assert crc16(body) == theirs != 0xF220


@given(st.binary(max_size=300))
def test_crc_is_robotis_crc(data: bytes) -> None:
    assert crc16(data) == Protocol2PacketHandler().updateCRC(0, data, len(data))


@given(st.binary(max_size=60), st.integers(0, 60))
def test_crc_continues(data: bytes, cut: int) -> None:
    assert crc16(data[cut:], crc16(data[:cut])) == crc16(data)


# bytes that make stuffing happen
tricky = st.lists(st.sampled_from([0xFF, 0xFD, 0x00, 0x55, 0x7E]), max_size=40).map(bytes)
payload = st.one_of(st.binary(max_size=60), tricky)


@given(payload)
@example(b"\xff\xff\xfd\xfd\xff\xfd\xfd")
def test_stuffing_round_trip_and_no_header_inside(body: bytes) -> None:
    stuffed = stuff(body)
    assert unstuff(stuffed) == body
    assert HEADER not in stuffed
    assert stuffed.count(b"\xff\xff\xfd") == stuffed.count(b"\xff\xff\xfd\xfd")


@given(payload)
def test_stuffing_is_that_of_robotis(body: bytes) -> None:
    """Their `addStuffing` computes the right bytes (it is `txPacket` that drops them)."""
    frame = [0xFF, 0xFF, 0xFD, 0, 1, *(len(body) + 3).to_bytes(2, "little"), 0x03, *body, 0, 0]
    theirs = bytes(Protocol2PacketHandler().addStuffing(frame))
    assert stuff(b"\x03" + body) == theirs[7:-2]


packets = st.builds(
    Packet,
    st.one_of(st.integers(0, MAX_ID), st.just(BROADCAST)),
    st.sampled_from([int(instruction) for instruction in Instruction]),
    payload,
)


@given(st.lists(packets, max_size=6), st.data())
def test_packets_survive_any_chunking(sent: list[Packet], data: st.DataObject) -> None:
    stream, parser, received = b"".join(map(encode, sent)), StreamParser(), []
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        received += parser.feed(stream[:cut])
        stream = stream[cut:]
    assert received == sent
    assert (parser.rejected, parser.pending) == (0, 0)


@given(st.lists(st.tuples(st.binary(max_size=30), packets), max_size=5), st.binary(max_size=30))
def test_noise_between_packets_is_skipped(parts: list[tuple[bytes, Packet]], tail: bytes) -> None:
    """Noise may swallow nothing; it may only, by chance, contain a packet of its own."""
    parser = StreamParser()
    received = parser.feed(b"".join(noise + encode(sent) for noise, sent in parts) + tail)
    remaining = iter(received)
    assert all(any(found == sent for found in remaining) for _, sent in parts)


def test_a_damaged_length_does_not_block_the_next_packet() -> None:
    damaged = bytearray(encode(Packet(1, 0x55, b"\x00abcd")))
    damaged[5:7] = (1000).to_bytes(2, "little")
    parser = StreamParser()
    assert parser.feed(bytes(damaged)) == []
    assert parser.feed(protocol.ping(7)) == [Packet(7, Instruction.PING)]
    assert parser.pending == 0
    assert parser.rejected == len(damaged)


def test_the_parser_does_not_hoard_noise() -> None:
    parser = StreamParser()
    for _ in range(100):
        assert parser.feed(b"\x12\x34" * 50 + HEADER[:2]) == []
        assert parser.pending <= 3


def test_statuses_are_told_from_instructions() -> None:
    assert as_status(Packet(1, 0x55, b"\x84\x01\x02")) == Status(1, 0x84, b"\x01\x02")
    assert as_status(Packet(1, 0x02, b"\x84\x01")) is None
    assert as_status(Packet(1, 0x55)) is None
    assert Status(1, 0x84).alert
    assert Status(1, 0x84).error_code == 4


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (0, ""),
        (1, "result fail"),
        (2, "instruction error"),
        (3, "CRC error"),
        (4, "data range"),
        (5, "data length"),
        (6, "data limit"),
        (7, "access error"),
        (0x80, "alert"),
        (0x87, "access error (read-only or unknown address, or EEPROM locked by torque), alert"),
        (0x2A, "unknown error 42"),
    ],
)
def test_every_error_byte_in_words(error: int, words: str) -> None:
    assert protocol.describe_error(error).startswith(words)
    assert bool(protocol.describe_error(error)) == bool(error)


# the common reply to a Fast Sync Read

SERVOS = (3, 7, 4)
blocks = st.lists(
    st.tuples(st.integers(0, 255), st.binary(min_size=4, max_size=4)), min_size=3, max_size=3
)


def reply_of(values: list[tuple[int, bytes]]) -> tuple[bytes, list[Status]]:
    statuses = [
        Status(servo, error, data) for servo, (error, data) in zip(SERVOS, values, strict=True)
    ]
    return protocol.fast_sync_read_reply(statuses), statuses


@given(blocks, st.binary(max_size=9).filter(lambda noise: b"\xff" not in noise))
def test_fast_reply_round_trip(values: list[tuple[int, bytes]], noise: bytes) -> None:
    reply, statuses = reply_of(values)
    assert protocol.parse_fast_sync_read(noise + reply, SERVOS, 4) == {
        status.id: status for status in statuses
    }


@given(blocks)
def test_fast_reply_is_read_by_robotis(values: list[tuple[int, bytes]]) -> None:
    """Length, layout and last CRC as ROBOTIS's receiver expects them."""
    reply, _ = reply_of(values)

    class Port:
        is_using = False
        rest = bytearray(reply)

        def readPort(self, length: int) -> bytes:
            taken = bytes(self.rest[:length])
            del self.rest[:length]
            return taken

        def isPacketTimeout(self) -> bool:
            return not self.rest

    data, result, _ = Protocol2PacketHandler().fastSyncReadRx(Port(), BROADCAST, len(SERVOS) * 8)
    assert result == 0
    assert bytes(data) == reply[8:]


def test_fast_reply_holds_headers_unharmed() -> None:
    """Velocity -1 before position 253: FF FF FD 00 inside the reply, which nobody stuffs."""
    reply, statuses = reply_of(
        [(0, b"\xff\xff\xfd\x00"), (0, b"\xff\xff\xff\xff"), (0, b"\xfd\x00\x00\x00")]
    )
    assert reply.count(HEADER) == 2
    assert protocol.parse_fast_sync_read(reply, SERVOS, 4) == {
        status.id: status for status in statuses
    }


@given(blocks, st.integers(0, 31))
def test_a_short_fast_reply_gives_the_servos_before_the_cut(
    values: list[tuple[int, bytes]], length: int
) -> None:
    reply, statuses = reply_of(values)
    whole = max(0, (length - 8) // 8)
    assert protocol.parse_fast_sync_read(reply[:length], SERVOS, 4) == {
        s.id: s for s in statuses[:whole]
    }


@given(blocks, st.integers(8, 31), st.integers(1, 255))
def test_a_damaged_fast_reply_gives_the_servos_before_the_damage(
    values: list[tuple[int, bytes]], at: int, flip: int
) -> None:
    reply, statuses = reply_of(values)
    damaged = reply[:at] + bytes((reply[at] ^ flip,)) + reply[at + 1 :]
    assert protocol.parse_fast_sync_read(damaged, SERVOS, 4) == {
        s.id: s for s in statuses[: (at - 8) // 8]
    }


def test_fast_reply_with_odd_inner_crcs_counts_when_the_last_one_is_right() -> None:
    """Only the last CRC is documented for certain; servos with other inner ones are accepted as a
    whole.
    """
    reply, statuses = reply_of([(0, b"abcd"), (0x80, b"efgh"), (0, b"ijkl")])
    odd = bytearray(reply[:-2])
    odd[14:16] = b"\x00\x00"
    odd += crc16(odd).to_bytes(2, "little")
    assert protocol.parse_fast_sync_read(bytes(odd), SERVOS, 4) == {s.id: s for s in statuses}


def test_a_stranger_in_a_fast_reply_ends_it() -> None:
    stranger = [Status(3, 0, b"abcd"), Status(9, 0, b"efgh"), Status(4, 0, b"ijkl")]
    reply = protocol.fast_sync_read_reply(stranger)
    assert list(protocol.parse_fast_sync_read(reply, SERVOS, 4)) == [3]
