# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emulated adapter: the Lawicel protocol, and python-can's own driver as its client."""

from __future__ import annotations

import os
import random
from pathlib import Path

import can
import pytest
from can.interfaces.slcan import slcanBus
from hypothesis import given
from hypothesis import strategies as st

from boa_hardware.emulator.can_wire import ErrorCounters, Transmission, WireFrame
from boa_hardware.emulator.slcan import SlcanAdapter, line_end
from boa_hardware.emulator.spine_emulator import EmulatedSpine, SlcanPort, SlcanServer
from boa_hardware.emulator.spine_faults import SpineFaults
from boa_hardware.spine.slcan_driver import parse_frame

pytestmark = pytest.mark.realtime
PATIENCE = 120.0  # s, for a busy machine


class Rig:
    """An adapter and what it put on the bus."""

    def __init__(self) -> None:
        self.sent: list[WireFrame] = []
        self.counters = ErrorCounters()
        self.adapter = SlcanAdapter(lambda frame, now_ns: self.sent.append(frame), self.counters)

    def ask(self, text: str) -> bytes:
        return self.adapter.feed(text.encode() + b"\r", 0)

    def open(self) -> None:
        assert self.ask("S8") == self.ask("O") == b"\r"


def test_commands_of_the_manual() -> None:
    rig = Rig()
    assert rig.ask("V") == b"V1013\r"
    assert rig.ask("N")[:1] == b"N" and len(rig.ask("N")) == 6
    assert rig.ask("O") == b"\a"  # no bit rate yet
    assert rig.ask("S6") == b"\r"
    assert rig.ask("S9") == b"\a"
    assert rig.ask("C") == b"\a"  # not open
    assert rig.ask("S8") == b"\r"
    assert rig.ask("O") == b"\r"
    assert rig.ask("O") == b"\a"
    assert rig.ask("S4") == b"\a"  # only while closed
    assert rig.ask("Z1") == b"\a"
    assert rig.ask("F") == b"F00\r"
    assert rig.ask("C") == b"\r"
    assert rig.ask("F") == b"\a"
    assert rig.ask("") == b"\r"
    assert rig.ask("nonsense") == b"\a"


def test_frames_are_sent_only_when_open_and_well_formed() -> None:
    rig = Rig()
    assert rig.ask("t10021133") == b"\a"
    rig.open()
    assert rig.ask("t10021133") == b"z\r"
    assert rig.ask("T0000010021133") == b"Z\r"
    assert rig.ask("r1002") == b"z\r"
    assert rig.ask("t100211") == b"\a"  # a byte short
    assert rig.ask("t1002113344") == b"\a"  # a byte too many
    assert rig.ask("t8002113") == b"\a"
    assert rig.ask("t80021133") == b"\a"  # identifier above 0x7FF
    assert rig.ask("t1009" + "00" * 9) == b"\a"
    assert rig.sent == [
        WireFrame(0x100, b"\x11\x33"),
        WireFrame(0x100, b"\x11\x33", extended=True),
        WireFrame(0x100, b"", remote=True, length=2),
    ]


def test_listen_only_sends_nothing() -> None:
    rig = Rig()
    assert rig.ask("S8") == rig.ask("L") == b"\r"
    assert rig.ask("t1000") == b"\a"
    assert rig.adapter.format(WireFrame(0x100, b"\x01"), 0) == b"t100101\r"


def test_received_frames_and_time_stamps() -> None:
    rig = Rig()
    frame = WireFrame(0x2C1, b"\x01\xab", sender=1)
    assert rig.adapter.format(frame, 0) == b""  # closed
    assert rig.ask("S8") == rig.ask("Z1") == rig.ask("O") == b"\r"
    assert rig.adapter.format(frame, 4_660_000_000) == b"t2C1201AB1234\r"  # 4660 ms
    assert rig.adapter.format(frame, 61_000 * 10**6) == b"t2C1201AB03E8\r"  # wraps after 60 s
    assert rig.ask("C") == rig.ask("Z0") == rig.ask("O") == b"\r"
    assert rig.adapter.format(WireFrame(0x1ABCDEF0, b"", extended=True), 0) == b"T1ABCDEF00\r"
    assert (
        rig.adapter.format(WireFrame(0x3C1, bytes(32), fd=True), 0) == b"b3C1D" + b"00" * 32 + b"\r"
    )


def test_wrong_bit_rate_hears_nothing_and_reports_bus_errors() -> None:
    rig = Rig()
    assert rig.ask("S6") == rig.ask("O") == b"\r"
    assert rig.adapter.format(WireFrame(1, b""), 0) == b""
    assert rig.ask("t1000") == b"\a"
    assert int(rig.ask("F")[1:3], 16) & 0x80


def test_flags_tell_of_warning_passive_and_bus_off() -> None:
    rig = Rig()
    rig.open()
    rig.counters.transmit = 96
    assert rig.ask("F") == b"F04\r"
    rig.counters.transmit = 130
    assert rig.ask("F") == b"F24\r"
    rig.counters.transmit = 256
    assert rig.ask("t1000") == b"\a"
    assert rig.ask("F") == b"FA6\r"  # and the transmit buffer is full
    assert rig.ask("C") == rig.ask("O") == b"\r"
    assert rig.ask("F") == b"F00\r"
    assert rig.ask("t1000") == b"z\r"


@given(st.lists(st.binary(max_size=200), max_size=10))
def test_no_bytes_raise_and_the_next_command_is_understood(chunks: list[bytes]) -> None:
    rig = Rig()
    for chunk in chunks:
        rig.adapter.feed(chunk, 0)
    rig.adapter.feed(b"\r", 0)
    assert rig.ask("V") == b"V1013\r"


@given(st.integers(0, 0x1FFFFFFF), st.binary(max_size=8), st.booleans(), st.booleans())
def test_what_it_formats_is_what_our_driver_reads(
    identifier: int, data: bytes, extended: bool, remote: bool
) -> None:
    rig = Rig()
    rig.open()
    identifier &= 0x1FFFFFFF if extended else 0x7FF
    frame = WireFrame(
        identifier, b"" if remote else data, extended=extended, remote=remote, length=len(data)
    )
    parsed = parse_frame(rig.adapter.format(frame, 0)[:-1])
    assert parsed is not None
    assert (parsed.arbitration_id, parsed.is_extended_id, parsed.dlc) == (
        identifier,
        extended,
        len(data),
    )
    assert bytes(parsed.data) == frame.data


@pytest.fixture
def adapters() -> SlcanServer:
    server = SlcanServer(EmulatedSpine([], SpineFaults()), adapters=2)
    yield server
    server.close()


def test_python_cans_own_driver_is_a_client(adapters: SlcanServer) -> None:
    one, two = (
        slcanBus(str(port.path), bitrate=1_000_000, sleep_after_open=0) for port in adapters.ports
    )
    try:
        assert one.get_version(PATIENCE) == (10, 13)
        assert one.get_serial_number(PATIENCE) == "BOA1"
        frames = [
            can.Message(arbitration_id=0x123, is_extended_id=False, data=b"\1\2\3"),
            can.Message(arbitration_id=0x1234567, is_extended_id=True, data=bytes(8)),
            can.Message(arbitration_id=0x77, is_extended_id=False, is_remote_frame=True, dlc=4),
        ]
        for frame in frames:
            one.send(frame)
            received = two.recv(PATIENCE)
            assert received is not None
            assert received.equals(
                frame, timestamp_delta=None, check_channel=False, check_direction=False
            )
        assert one.recv(0.02) is None  # nobody hears himself
    finally:
        one.shutdown()
        two.shutdown()


@pytest.mark.parametrize(
    ("data", "cut", "end"),
    [
        (b"t0012AABB\rt0022CCDD\r", 0, 0),
        (b"t0012AABB\rt0022CCDD\r", 4, 10),
        (b"t0012AABB\rt0022CCDD\r", 10, 10),
        (b"t0012AABB\rt0022CCDD\r", 11, 20),
        (b"\at0022CCDD\r", 1, 1),
        (b"z\r\az\r", 4, 5),
    ],
)
def test_a_cut_line_ends_at_its_own_end(data: bytes, cut: int, end: int) -> None:
    assert line_end(data, cut) == end


def test_an_overflow_is_told_once_by_the_flags() -> None:
    adapter = SlcanAdapter(lambda frame, now_ns: None, ErrorCounters())
    adapter.feed(b"S8\rO\r", 0)
    adapter.note_overflow()
    assert adapter.feed(b"F\rF\r", 0) == b"F01\rF00\r"


def test_a_host_that_reads_slowly_loses_whole_lines_and_they_are_counted(tmp_path: Path) -> None:
    """It used to keep 18,088 bytes and then `t2C2z`: a torn line, of which python-can's logger
    dies.
    """
    port = SlcanPort(EmulatedSpine((), SpineFaults()), tmp_path / "can0", 0)
    host = os.open(port.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    os.write(host, b"S8\rO\r")
    port.exchange(0)
    dice, received, delivered = random.Random(7), bytearray(), 0

    def read(most: int) -> int:
        try:
            data = os.read(host, most)
        except BlockingIOError:
            return 0
        received.extend(data)
        return len(data)

    for tick in range(400):
        frames = [WireFrame(0x2C1 + link, dice.randbytes(8), sender=1) for link in range(39)]
        port.deliver([Transmission(frame, tick) for frame in frames])
        delivered += len(frames)
        port.flush()
        if dice.random() < 0.3:
            read(dice.randrange(1, 3000))
    while read(4096):
        port.flush()
    os.close(host)
    port.unplug()
    lines = bytes(received).removeprefix(b"\r\r").split(b"\r")
    assert lines.pop() == b""
    assert all(parse_frame(line) is not None for line in lines)
    assert port.lost > 1000
    assert len(lines) + port.lost == delivered
