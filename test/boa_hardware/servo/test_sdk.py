# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Defects of dynamixel-sdk as installed, each shown on it, and what replaces it here."""

from __future__ import annotations

import itertools
import os
import time
import tty
from collections.abc import Iterator

import dynamixel_sdk
import pytest

from boa_hardware.servo.cycle import BLOCK_SIZE, parse_reply
from boa_hardware.servo.errors import BusGoneError
from boa_hardware.servo.protocol import ALERT, Status, encode_status, write
from boa_hardware.servo.registers import BAUD_RATES, HardwareError
from boa_hardware.servo.sdk import PacketHandler, ServoPort, latency_timer
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint
from test.boa_hardware.free_joint import free_chain


class FakePort:
    """Keeps what is sent and plays back what is to be received."""

    def __init__(self, received: bytes = b"") -> None:
        self.is_using = False
        self.sent = b""
        self._received = bytearray(received)
        self.now = 0.0

    def clearPort(self) -> None:
        pass

    def writePort(self, packet: list[int]) -> int:
        self.sent += bytes(packet)
        return len(packet)

    def readPort(self, length: int) -> bytes:
        taken = bytes(self._received[:length])
        del self._received[:length]
        return taken

    def setPacketTimeout(self, length: int) -> None:
        pass

    def isPacketTimeout(self) -> bool:
        return not self._received


@pytest.fixture
def terminal() -> Iterator[tuple[int, str]]:
    """A bare pseudo-terminal: its master and the path of its other end."""
    master, slave = os.openpty()
    tty.setraw(slave)
    yield master, os.ttyname(slave)
    for descriptor in (master, slave):
        os.close(descriptor)


def test_the_installed_version_is_the_one_examined() -> None:
    from importlib.metadata import version

    assert version("dynamixel-sdk") == "4.1.0"


STUFFED_WRITE = [0xFF, 0xFF, 0xFD, 0x00]  # a value that needs stuffing


def test_sdk_sends_unstuffed_and_we_do_not() -> None:
    theirs, ours = FakePort(), FakePort()
    dynamixel_sdk.Protocol2PacketHandler().writeTxOnly(theirs, 1, 116, 4, STUFFED_WRITE)
    PacketHandler().writeTxOnly(ours, 1, 116, 4, STUFFED_WRITE)
    assert b"\xff\xff\xfd\xfd" not in theirs.sent
    assert ours.sent == write(1, 116, bytes(STUFFED_WRITE))
    assert b"\xff\xff\xfd\xfd\x00" in ours.sent


SHORTENED = bytes((0xFF, 0xFF, 0xFD, 0x11, 0xFF, 0xFD, 0xFD, 0x22))


def test_sdk_eats_a_byte_behind_a_stuffed_pattern_and_we_do_not() -> None:
    reply = encode_status(Status(1, 0, SHORTENED))
    theirs, _, _ = dynamixel_sdk.Protocol2PacketHandler().readRx(FakePort(reply), 1, len(SHORTENED))
    ours, _, _ = PacketHandler().readRx(FakePort(reply), 1, len(SHORTENED))
    assert bytes(theirs) != SHORTENED
    assert bytes(ours) == SHORTENED


def test_sdk_drops_the_error_byte_of_sync_reads_and_we_do_not() -> None:
    reply = encode_status(Status(1, ALERT, bytes(BLOCK_SIZE)))
    group = dynamixel_sdk.GroupSyncRead(
        FakePort(reply), dynamixel_sdk.Protocol2PacketHandler(), 224, BLOCK_SIZE
    )
    group.addParam(1)
    assert group.rxPacket() == dynamixel_sdk.COMM_SUCCESS
    assert ALERT not in vars(group).values()  # nowhere to be found
    assert group.data_dict[1] == [0] * BLOCK_SIZE
    assert parse_reply(reply, (1,), fast=False).error[0] == ALERT


def test_sdk_gives_zero_for_missing_data_and_we_do_not() -> None:
    group = dynamixel_sdk.GroupSyncRead(FakePort(), dynamixel_sdk.Protocol2PacketHandler(), 132, 4)
    group.addParam(1)
    assert group.rxPacket() != dynamixel_sdk.COMM_SUCCESS
    assert group.getData(1, 132, 4) == 0  # a joint angle, to who does not ask first
    # `ServoBus.cycle` then keeps the old angle, see test_bus
    assert not parse_reply(b"", (1,), fast=False).valid[0]


def test_sdk_waits_34_ms_longer_than_the_wire_and_on_a_clock_that_steps(
    terminal: tuple[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    port = dynamixel_sdk.PortHandler(terminal[1])
    port.setBaudRate(3_000_000)
    port.setPacketTimeout(224)
    assert port.packet_timeout == pytest.approx(224 * 10 / 3000 + 34.0)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3600.0)  # NTP sets the clock
    assert port.isPacketTimeout()
    port.closePort()

    ours = ServoPort(terminal[1], 3_000_000)
    ours.openPort()
    ours.set_deadline(time.monotonic_ns() + 10**12)
    assert not ours.isPacketTimeout()
    ours.closePort()


def test_sdk_refuses_the_servos_fastest_rate_and_we_do_not(terminal: tuple[int, str]) -> None:
    assert not dynamixel_sdk.PortHandler(terminal[1]).setBaudRate(4_500_000)
    for baud in BAUD_RATES.values():
        port = ServoPort(terminal[1], baud)
        assert port.openPort()
        port.closePort()


def test_two_programs_may_open_one_sdk_port_but_not_ours(terminal: tuple[int, str]) -> None:
    first, second = dynamixel_sdk.PortHandler(terminal[1]), dynamixel_sdk.PortHandler(terminal[1])
    assert first.openPort()
    assert second.openPort()
    first.closePort()
    second.closePort()
    ours = ServoPort(terminal[1], 1_000_000)
    ours.openPort()
    with pytest.raises(BusGoneError, match="it is used by this program itself; stop that program"):
        ServoPort(terminal[1], 1_000_000).openPort()
    ours.closePort()


def test_sdk_spins_while_it_waits_and_we_sleep(
    terminal: tuple[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def reads_of(
        port: dynamixel_sdk.PortHandler, handler: dynamixel_sdk.Protocol2PacketHandler
    ) -> int:
        count = itertools.count()
        real = port.readPort
        port.readPort = lambda length: (next(count), real(length))[1]
        port.openPort()
        handler.ping(port, 1)
        port.closePort()
        return next(count)

    # theirs; a busy machine must not change how often it looks
    clock = itertools.count(time.time(), 1e-4)
    monkeypatch.setattr(time, "time", lambda: next(clock))
    theirs = reads_of(
        dynamixel_sdk.PortHandler(terminal[1]), dynamixel_sdk.Protocol2PacketHandler()
    )
    ours = reads_of(ServoPort(terminal[1], 1_000_000), PacketHandler())
    assert ours < 10 < theirs


def test_sdk_reads_of_our_emulator_show_the_lost_alert() -> None:
    """The same defect end to end: the servo reports overload in its sync read, the SDK's group
    shows nothing.
    """
    settings = ServoBusSettings(joints=(ServoJoint(id=1),))
    chain = free_chain(settings)
    chain.servo(1).trip(HardwareError.OVERLOAD)
    from boa_hardware.servo.protocol import sync_read

    answer = chain.handle(sync_read((1,), 132, 4), 0.0, settings.baud)[0].data
    group = dynamixel_sdk.GroupSyncRead(
        FakePort(answer), dynamixel_sdk.Protocol2PacketHandler(), 132, 4
    )
    group.addParam(1)
    assert group.rxPacket() == dynamixel_sdk.COMM_SUCCESS
    assert group.isAvailable(1, 132, 4)
    assert answer[8] == ALERT


def test_ports_that_cannot_be_opened_say_why(tmp_path: object) -> None:
    with pytest.raises(BusGoneError, match="no such port"):
        ServoPort("/dev/no-such-servo-port", 1_000_000).openPort()
    with pytest.raises(BusGoneError, match="no serial port is given; `boa doctor`"):
        ServoPort("", 1_000_000).openPort()
    with pytest.raises(BusGoneError, match="not open"):
        ServoPort("/dev/no-such-servo-port", 1_000_000).writePort(b"x")
    assert latency_timer("/dev/no-such-servo-port") is None


def test_a_vanished_port_is_told_from_silence(terminal: tuple[int, str]) -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    port = ServoPort(os.ttyname(slave), 1_000_000)
    port.openPort()
    port.set_deadline(time.monotonic_ns())
    assert port.readPort(10) == b""
    os.close(master)
    os.close(slave)
    with pytest.raises(BusGoneError, match="has gone"):
        port.readPort(10)
    with pytest.raises(BusGoneError, match="has gone"):
        port.writePort(b"x")
    with pytest.raises(BusGoneError, match="has gone"):
        port.clearPort()
    port.closePort()


def test_a_late_answer_to_a_write_is_not_taken_for_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK hands out the CRC of that packet (0xA1, published vector) as the byte that was
    read.
    """
    late = list(bytes.fromhex("FFFFFD000104005500A10C"))
    right = list(encode_status(Status(1, 0, b"\x05")))
    results = []
    for handler in (dynamixel_sdk.Protocol2PacketHandler(), PacketHandler()):
        answers = [(late, dynamixel_sdk.COMM_SUCCESS), (right, dynamixel_sdk.COMM_SUCCESS)]
        monkeypatch.setattr(handler, "txPacket", lambda port, packet: dynamixel_sdk.COMM_SUCCESS)
        monkeypatch.setattr(handler, "rxPacket", lambda port, fast, answers=answers: answers.pop(0))
        results.append(handler.readTxRx(ServoPort("nowhere", 1_000_000), 1, 64, 1)[0])
    assert results == [[0xA1], [0x05]]
