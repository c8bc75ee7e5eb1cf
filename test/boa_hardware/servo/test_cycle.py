# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Requests and replies of the cyclic exchange as bytes."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_hardware.servo.cycle import (
    BLOCK_ADDRESSES,
    BLOCK_SIZE,
    is_complete,
    parse_reply,
    read_request,
    reply_size,
    write_request,
)
from boa_hardware.servo.protocol import ALERT, Status, encode_status, fast_sync_read_reply

SERVOS = tuple(range(1, 13))


def block(
    current: int = 0, velocity: int = 0, position: int = 2048, voltage: int = 240, error: int = 0
) -> bytes:
    """The cyclic block as the e-manual's registers lay it out."""
    motion = struct.pack("<BhiiHB", error, current, velocity, position, voltage, 30)
    return motion + struct.pack("<BbhhH", 1, 5, 885, current, 100)


def reply(statuses: list[Status], *, fast: bool) -> bytes:
    return fast_sync_read_reply(statuses) if fast else b"".join(map(encode_status, statuses))


def test_the_block_is_error_motion_supply_and_what_was_written() -> None:
    controls = (64, 98, 100, 101, 102, 103, 120, 121)
    assert (70, *range(126, 136), 144, 145, 146, *controls) == BLOCK_ADDRESSES
    assert BLOCK_SIZE == 22


def test_requests_are_the_published_packets() -> None:
    expected = bytes.fromhex("FFFFFD00 FE 0D00 83 6600 0200 01 6400 02 9CFF E1DB")
    assert write_request((1, 2), np.array([100, -100])) == expected
    assert len(write_request(SERVOS, np.zeros(12, np.int64))) == 50
    assert len(read_request(SERVOS, fast=True)) == len(read_request(SERVOS, fast=False)) == 26


def test_sizes_on_the_wire() -> None:
    """Bytes per cycle of 12 servos: 396 with Fast Sync Read, 472 with Sync Read (the bus's time
    budget).
    """
    assert 50 + 26 + reply_size(12, fast=True) == 396
    assert 50 + 26 + reply_size(12, fast=False) == 472


values = st.lists(
    st.tuples(
        st.integers(0, 255),
        st.integers(-(2**15), 2**15 - 1),
        st.integers(-(2**31), 2**31 - 1),
        st.integers(-(2**31), 2**31 - 1),
        st.integers(1, 65535),
    ),
    min_size=12,
    max_size=12,
)


@given(values, st.booleans())
def test_replies_round_trip(rows: list[tuple[int, int, int, int, int]], fast: bool) -> None:
    statuses = [
        Status(servo, error, block(current, velocity, position, voltage, 0x20))
        for servo, (error, current, velocity, position, voltage) in zip(SERVOS, rows, strict=True)
    ]
    data = reply(statuses, fast=fast)
    assert is_complete(data, 12, fast=fast)
    parsed = parse_reply(data, SERVOS, fast=fast)
    assert parsed.valid.all()
    assert parsed.answered.all()
    assert parsed.error.tolist() == [row[0] for row in rows]
    assert parsed.block["present_current"].tolist() == [row[1] for row in rows]
    assert parsed.block["present_velocity"].tolist() == [row[2] for row in rows]
    assert parsed.block["present_position"].tolist() == [row[3] for row in rows]
    assert parsed.block["present_input_voltage"].tolist() == [row[4] for row in rows]
    assert set(parsed.block["hardware_error_status"].tolist()) == {0x20}


@given(st.integers(0, 11), st.booleans())
def test_a_reply_is_complete_only_with_its_last_byte(missing: int, fast: bool) -> None:
    """Slow reverse motion near count 253 is stuffed (FF FF FF FF FD): the reply is longer than its
    nominal size.
    """
    statuses = [Status(servo, 0, block(velocity=-1, position=0xFD)) for servo in SERVOS]
    data = reply(statuses, fast=fast)
    assert len(data) == reply_size(12, fast=fast) + (0 if fast else 12)
    assert is_complete(data, 12, fast=fast)
    assert not is_complete(data[: len(data) - 1 - missing], 12, fast=fast)
    assert parse_reply(data, SERVOS, fast=fast).block["present_position"].tolist() == [0xFD] * 12


def test_separate_replies_may_miss_any_servo() -> None:
    statuses = [Status(servo, 0, block()) for servo in SERVOS if servo not in (4, 9)]
    parsed = parse_reply(reply(statuses, fast=False), SERVOS, fast=False)
    assert np.flatnonzero(~parsed.valid).tolist() == [3, 8]


def test_a_restarted_servo_is_not_believed() -> None:
    """After a reboot the indirect map is gone and the block reads 0: position 0, with a right
    CRC.
    """
    statuses = [Status(1, 0, bytes(BLOCK_SIZE)), Status(2, 0, block())]
    for fast in (False, True):
        parsed = parse_reply(reply(statuses, fast=fast), (1, 2), fast=fast)
        assert parsed.answered.tolist() == [True, True]
        assert parsed.valid.tolist() == [False, True]
        assert parsed.lost_setup.tolist() == [True, False]


def test_a_refusal_without_data_is_an_answer_but_no_sample() -> None:
    parsed = parse_reply(encode_status(Status(1, ALERT | 7)), (1,), fast=False)
    assert (parsed.answered[0], parsed.valid[0], parsed.error[0]) == (True, False, ALERT | 7)


def test_strangers_and_repeats_change_nothing() -> None:
    first, second = Status(1, 0, block(position=100)), Status(1, 0, block(position=200))
    data = reply([Status(77, 0, block()), first, second], fast=False)
    parsed = parse_reply(data, (1,), fast=False)
    assert parsed.block["present_position"][0] == 100


@pytest.mark.parametrize("fast", [False, True])
def test_the_other_forms_reply_is_not_taken(fast: bool) -> None:
    """A reply that comes a tick late arrives when the other form was asked for, and is not mistaken
    for it.
    """
    late = reply([Status(servo, 0, block()) for servo in SERVOS], fast=not fast)
    assert not parse_reply(late, SERVOS, fast=fast).valid.any()


def test_a_common_reply_counts_up_to_the_first_servo_out_of_turn() -> None:
    """Its last CRC is right, so only the IDs tell."""
    turn = [1, 2, 4, 3, *range(5, 13)]
    parsed = parse_reply(
        reply([Status(servo, 0, block()) for servo in turn], fast=True), SERVOS, fast=True
    )
    assert not parsed.answered[2:].any()


@given(st.binary(max_size=9))
def test_noise_before_and_after_a_common_reply_does_not_matter(noise: bytes) -> None:
    data = reply([Status(servo, 0, block(position=servo)) for servo in SERVOS], fast=True)
    parsed = parse_reply(noise + data + noise, SERVOS, fast=True)
    assert parsed.valid.all()
    assert parsed.block["present_position"].tolist() == list(SERVOS)
