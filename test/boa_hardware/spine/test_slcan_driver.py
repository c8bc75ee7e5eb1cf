# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The slcan receive path: strict, quick, and what of python-can's it replaces."""

from __future__ import annotations

import os
import random
import tty
from collections.abc import Iterator
from contextlib import contextmanager

import can
import pytest
from can.interfaces.slcan import slcanBus
from can.util import CAN_FD_DLC
from hypothesis import given
from hypothesis import strategies as st

from boa_hardware.spine.collector import Collector
from boa_hardware.spine.settings import SpineSettings
from boa_hardware.spine.slcan_driver import LineSplitter, SlcanBus, parse_frame

DLC_CODES = {length: code for code, length in enumerate(CAN_FD_DLC)}


@st.composite
def messages(draw: st.DrawFn) -> can.Message:
    extended = draw(st.booleans())
    identifier = draw(st.integers(0, 0x1FFFFFFF if extended else 0x7FF))
    kind = draw(st.sampled_from(["data", "remote", "fd"]))
    length = draw(st.sampled_from(CAN_FD_DLC if kind == "fd" else CAN_FD_DLC[:9]))
    data = draw(st.binary(min_size=length, max_size=length))
    return can.Message(
        arbitration_id=identifier,
        is_extended_id=extended,
        is_remote_frame=kind == "remote",
        is_fd=kind == "fd",
        bitrate_switch=kind == "fd" and draw(st.booleans()),
        dlc=length,
        data=None if kind == "remote" else data,
    )


def line_of(frame: can.Message) -> bytes:
    """The Lawicel line of a frame, written after the protocol's description."""
    letter = (
        "r"
        if frame.is_remote_frame
        else "b"
        if frame.bitrate_switch
        else "d"
        if frame.is_fd
        else "t"
    )
    head = f"{frame.arbitration_id:08X}" if frame.is_extended_id else f"{frame.arbitration_id:03X}"
    data = "" if frame.is_remote_frame else frame.data.hex().upper()
    letter = letter.upper() if frame.is_extended_id else letter
    return f"{letter}{head}{DLC_CODES[frame.dlc]:X}{data}".encode()


@given(messages())
def test_every_frame_is_read_back(frame: can.Message) -> None:
    parsed = parse_frame(line_of(frame))
    assert parsed is not None
    assert parsed.equals(frame, timestamp_delta=None, check_channel=False, check_direction=False)


@given(messages())
def test_a_line_that_lost_or_gained_characters_at_its_end_is_no_frame(frame: can.Message) -> None:
    line = line_of(frame)
    assert all(parse_frame(line[:end]) is None for end in range(len(line)))
    assert parse_frame(line + b"0") is None


@given(st.binary(max_size=40))
def test_no_line_raises(line: bytes) -> None:
    parsed = parse_frame(line)
    assert parsed is None or len(parsed.data) == (0 if parsed.is_remote_frame else parsed.dlc)


def test_a_time_stamp_is_refused() -> None:
    assert parse_frame(b"t2C120102") is not None
    assert parse_frame(b"t2C1201021A2B") is None


@given(
    st.lists(
        st.binary(max_size=30).map(lambda raw: raw.replace(b"\r", b"").replace(b"\a", b"")),
        max_size=20,
    ),
    st.data(),
)
def test_lines_survive_any_cutting_into_chunks(lines: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(line + data.draw(st.sampled_from([b"\r", b"\a"])) for line in lines)
    splitter, found = LineSplitter(), []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += splitter.feed(stream[:size])
        stream = stream[size:]
    assert found == [line for line in lines if line]


def test_a_line_without_end_is_forgotten_and_the_next_good_one_is_read() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"x" * 500) == []
    assert splitter.feed(b"\rt1230\r") == [b"t1230"]


def test_mutated_streams_never_raise_and_the_next_clean_set_is_whole() -> None:
    """25,000 damaged lines: bytes changed, lost, inserted, doubled. Slcan has no checksum, so a
    hexadecimal digit that became another one cannot be told; a wrong length or identifier can.
    """
    generator = random.Random(4)
    clean = [
        f"t{opcode << 6 | link:03X}8{payload}".encode()
        for link in range(1, 14)
        for opcode, payload in (
            (0x0B, "0000803F00000040"),
            (0x0C, "0000803F00000040"),
            (0x0E, "0100000002000000"),
        )
    ]
    splitter, collector = LineSplitter(), Collector(SpineSettings(), 13)

    def feed(data: bytes) -> None:
        for line in splitter.feed(data):
            frame = parse_frame(line)
            if frame is not None and not frame.is_extended_id and not frame.is_remote_frame:
                assert len(frame.data) == frame.dlc
                collector.accept(frame.arbitration_id, frame.data, 1)

    for _ in range(25_000 // len(clean)):
        collector.begin(0)
        feed(b"".join(_damaged(line, generator) + b"\r" for line in clean))
        collector.close()
        collector.begin(0)
        feed(b"\r" + b"".join(line + b"\r" for line in clean))
        assert collector.complete
        assert collector.close().values[:, 0].tolist() == [1.0] * 13


def _damaged(line: bytes, generator: random.Random) -> bytes:
    damaged = bytearray(line)
    for _ in range(generator.randint(1, 3)):
        position = generator.randrange(len(damaged))
        kind = generator.randrange(4)
        if kind == 0:
            damaged[position] = generator.randrange(256)
        elif kind == 1 and len(damaged) > 1:
            del damaged[position]
        elif kind == 2:
            damaged.insert(position, generator.randrange(256))
        else:
            damaged[position:position] = damaged[: generator.randrange(len(damaged))]
    return bytes(damaged)


# --- what python-can 4.6.1 does, and why its receive path is replaced -----------------------------


@contextmanager
def stock_driver(data: bytes) -> Iterator[slcanBus]:
    """python-can's driver on a loop-back port that holds `data`."""
    bus = slcanBus("loop://", sleep_after_open=0)
    try:
        bus.serialPortOrig.reset_input_buffer()
        bus.serialPortOrig.write(data)
        yield bus
    finally:
        bus.shutdown()


def test_stock_driver_takes_a_truncated_line_for_a_frame() -> None:
    with stock_driver(b"t2C180102\r") as bus:
        frame = bus.recv(0.1)
        assert frame is not None and frame.dlc == 8 and len(frame.data) == 2
    assert parse_frame(b"t2C180102") is None


def test_stock_driver_never_recovers_from_one_bad_byte() -> None:
    with stock_driver(b"\xff\rt1230\rt1230\r") as bus:
        for _ in range(3):
            with pytest.raises(can.CanOperationError):
                bus.recv(0.1)
    lines = LineSplitter().feed(b"\xff\rt1230\rt1230\r")
    assert [parse_frame(line) is not None for line in lines] == [False, True, True]


@contextmanager
def driver() -> Iterator[tuple[SlcanBus, int]]:
    """Our driver on a pseudo-terminal, and the adapter's end of it."""
    master, slave = os.openpty()
    tty.setraw(master)
    tty.setraw(slave)
    bus = SlcanBus(os.ttyname(slave), bitrate=1_000_000, sleep_after_open=0)
    try:
        yield bus, master
    finally:
        bus.shutdown()
        os.close(master)
        os.close(slave)


def test_driver_opens_at_the_bit_rate_without_time_stamps() -> None:
    with driver() as (_, master):
        sent = b""
        while not sent.endswith(b"O\r") or sent.count(b"O\r") < 2:
            sent += os.read(master, 200)
    assert sent.startswith(b"C\rS8\r")
    assert b"Z0\rO\r" in sent


def test_driver_reads_many_frames_and_what_is_between_them() -> None:
    with driver() as (bus, master):
        os.write(master, b"\r\az\rt12320102\rF24\rgarbage\r\xff\xfe\rT000001231AA\rZ\r")
        first, second = bus.recv(120.0), bus.recv(120.0)
        assert bus.recv(0.0) is None
        assert first is not None and (first.arbitration_id, bytes(first.data)) == (0x123, b"\1\2")
        assert second is not None and second.is_extended_id and bytes(second.data) == b"\xaa"
        assert bus.flags == 0x24
        assert bus.refusals == 1
        assert bus.malformed_lines == 2


def test_a_vanished_line_is_an_operation_error() -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    bus = SlcanBus(os.ttyname(slave), sleep_after_open=0)
    os.close(slave)
    os.close(master)
    with pytest.raises(can.CanOperationError, match="gone"):
        bus.recv(0.1)
    with pytest.raises(can.CanError):
        bus.shutdown()
