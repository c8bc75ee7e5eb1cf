# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The CAN wire: frame lengths, arbitration, error counters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_hardware.emulator.can_wire import (
    CanWire,
    ErrorCounters,
    WireFrame,
    fd_frame_ns,
    frame_bits,
)

US = 1000


def reference_bits(
    identifier: int, data: bytes, extended: bool = False, remote: bool = False, length: int = 0
) -> int:
    """Length of a frame, bit by bit as ISO 11898-1 describes it."""
    size = length if remote else len(data)
    if extended:
        head = [
            0,
            *_bits(identifier >> 18, 11),
            1,
            1,
            *_bits(identifier & 0x3FFFF, 18),
            int(remote),
            0,
            0,
        ]
    else:
        head = [0, *_bits(identifier, 11), int(remote), 0, 0]
    bits = [*head, *_bits(size, 4), *(bit for byte in data for bit in _bits(byte, 8))]
    crc = 0
    for bit in bits:
        invert = bit ^ (crc >> 14 & 1)
        crc = crc << 1 & 0x7FFF
        if invert:
            crc ^= 0x4599
    bits += _bits(crc, 15)
    total, run, last = 0, 0, None
    for bit in bits:
        run = run + 1 if bit == last else 1
        last, total = bit, total + 1
        if run == 5:
            last, run, total = 1 - bit, 1, total + 1
    return total + 1 + 1 + 1 + 7 + 3


def _bits(value: int, width: int) -> list[int]:
    return [value >> shift & 1 for shift in range(width - 1, -1, -1)]


@given(st.integers(0, 0x7FF), st.binary(max_size=8))
def test_length_equals_a_bit_by_bit_construction(identifier: int, data: bytes) -> None:
    assert frame_bits(WireFrame(identifier, data)) == reference_bits(identifier, data)


@given(st.integers(0, 0x1FFFFFFF), st.binary(max_size=8), st.booleans(), st.booleans())
def test_extended_and_remote_frames(
    identifier: int, data: bytes, extended: bool, remote: bool
) -> None:
    identifier &= 0x1FFFFFFF if extended else 0x7FF
    size, data = len(data), b"" if remote else data
    frame = WireFrame(identifier, data, extended=extended, remote=remote, length=size)
    assert frame_bits(frame) == reference_bits(identifier, data, extended, remote, size)


@given(st.integers(0, 0x7FF), st.binary(min_size=8, max_size=8))
def test_eight_bytes_take_111_to_135_bits(identifier: int, data: bytes) -> None:
    assert 111 <= frame_bits(WireFrame(identifier, data)) <= 135


def test_all_zero_payload_has_a_stuff_bit_after_every_fifth_zero() -> None:
    # identifier 10101010101, length code 1000: then 3 + 64 zeros; neither header nor this CRC needs
    # a stuff bit
    assert frame_bits(WireFrame(0x555, bytes(8))) == 111 + (3 + 64) // 5


def test_lowest_identifier_goes_first_but_none_is_interrupted() -> None:
    wire = CanWire()
    wire.submit(WireFrame(0x300, b"", sender=3), 0)
    wire.submit(WireFrame(0x100, b"", sender=1), 10 * US)
    wire.submit(WireFrame(0x200, b"", sender=2), 5 * US)
    heard = list(wire.advance(10_000 * US))
    assert [item.frame.identifier for item in heard] == [0x300, 0x100, 0x200]
    durations = [wire.duration_ns(item.frame) for item in heard]
    assert [item.end_ns for item in heard] == [sum(durations[: k + 1]) for k in range(3)]


def test_a_standard_frame_wins_against_an_extended_one_with_the_same_base() -> None:
    wire = CanWire()
    wire.submit(WireFrame(0x100 << 18, b"", sender=1, extended=True), 0)
    wire.submit(WireFrame(0x100, b"", sender=2), 0)
    assert [item.frame.extended for item in wire.advance(10**9)] == [False, True]


def test_idle_bus_starts_when_a_frame_is_ready() -> None:
    wire = CanWire()
    frame = WireFrame(1, b"")
    wire.submit(frame, 700 * US)
    assert list(wire.advance(700 * US)) == []
    (heard,) = wire.advance(10**9)
    assert heard.end_ns == 700 * US + wire.duration_ns(frame)
    assert wire.next_end_ns() is None


def test_thirty_nine_sensor_frames_take_between_4_3_and_5_3_ms() -> None:
    wire = CanWire()
    for link in range(1, 14):
        for opcode in (0x0B, 0x0C, 0x0E):
            wire.submit(WireFrame(opcode << 6 | link, bytes([link, opcode] * 4), sender=link), 0)
    last = list(wire.advance(10**9))[-1]
    assert 39 * 111 * US <= last.end_ns <= 39 * 135 * US


def test_destroyed_frame_is_repeated_and_counted() -> None:
    hits = iter([True, True, False])
    wire = CanWire(destroyed=lambda frame, now_ns: next(hits))
    frame = WireFrame(0x123, b"\1", sender=4)
    wire.submit(frame, 0)
    (heard,) = wire.advance(10**9)
    assert heard.end_ns > 3 * wire.duration_ns(frame)
    assert wire.counters[4].transmit == 8 + 8 - 1
    assert wire.counters[0].receive == 1 + 1 - 1


def test_brain_goes_bus_off_after_32_destroyed_frames_in_a_row_and_stays_so() -> None:
    tries: list[int] = []

    def destroyed(frame: WireFrame, now_ns: int) -> bool:
        tries.append(frame.identifier)
        return True

    wire = CanWire(destroyed=destroyed)
    wire.submit(WireFrame(0x140, b"\0", sender=0), 0)
    assert list(wire.advance(10**12)) == []
    assert len(tries) == 32  # 256 / 8
    assert wire.counters[0].off and wire.counters[0].passive
    wire.submit(WireFrame(0x140, b"\0", sender=0), 10**12)
    assert list(wire.advance(2 * 10**12)) == [] and len(tries) == 32
    wire.counters[0].reset()
    assert not wire.counters[0].off


def test_error_passive_from_128() -> None:
    counters = ErrorCounters()
    for _ in range(15):
        counters.sent(good=False)
    assert counters.transmit == 120 and counters.warning and not counters.passive
    counters.sent(good=False)
    assert counters.passive and not counters.off
    counters.sent(good=True)
    assert counters.transmit == 127 and not counters.passive


def test_withdrawn_frames_are_not_sent() -> None:
    wire = CanWire()
    for k in range(3):
        wire.submit(WireFrame(k, b"", sender=k), 0)
    wire.withdraw(1)
    assert [item.frame.sender for item in wire.advance(10**9)] == [0, 2]


@pytest.mark.parametrize(("size", "least"), [(8, 45), (32, 80), (64, 130)])
def test_can_fd_frames_at_5_mbit(size: int, least: float) -> None:
    duration = fd_frame_ns(size, 1_000_000, 5_000_000) / US
    assert least < duration < 2 * least
    assert fd_frame_ns(size, 1_000_000, 2_000_000) > fd_frame_ns(size, 1_000_000, 5_000_000)
