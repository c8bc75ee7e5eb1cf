# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""ROBOTIS's own dynamixel-sdk, unchanged, as a client of the emulated servos."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from dynamixel_sdk import (
    COMM_RX_TIMEOUT,
    COMM_SUCCESS,
    GroupBulkRead,
    GroupBulkWrite,
    GroupSyncRead,
    GroupSyncWrite,
    PacketHandler,
    PortHandler,
    port_handler,
)

from boa_hardware.emulator.servo import BOOT_TIME
from boa_hardware.emulator.servo_chain import ServoChain
from boa_hardware.emulator.servo_line import ServoLine
from boa_hardware.servo.protocol import ALERT
from boa_hardware.servo.registers import HardwareError
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint
from test.boa_hardware.free_joint import FreeJoint, free_chain

pytestmark = pytest.mark.realtime

IDS = (1, 2, 3)
ANSWER = 14  # bytes, to a ping
SETTINGS = ServoBusSettings(joints=tuple(ServoJoint(id=number) for number in IDS), baud=1_000_000)
# ms; the SDK waits for an answer twice as long and 2 ms more: a busy machine gets time for it
PATIENT, USUAL = 60_000, port_handler.LATENCY_TIMER
PRESENT_POSITION, GOAL_CURRENT, LED, TORQUE_ENABLE = 132, 102, 65, 64


class Clock:
    """Of the servos, s; the test may let some time pass at once."""

    def __init__(self) -> None:
        self.skipped = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.skipped


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def chain(clock: Clock) -> ServoChain:
    return free_chain(SETTINGS, now=clock())


@pytest.fixture
def port(chain: ServoChain, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[PortHandler]:
    monkeypatch.setattr(port_handler, "LATENCY_TIMER", PATIENT)
    with ServoLine(chain, clock=clock) as line:
        port = PortHandler(line.port)
        assert port.openPort()
        assert port.setBaudRate(1_000_000)
        yield port
        port.closePort()


@pytest.fixture
def packets() -> PacketHandler:
    return PacketHandler(2.0)


def test_ping(port: PortHandler, packets: PacketHandler, monkeypatch: pytest.MonkeyPatch) -> None:
    assert packets.ping(port, 2) == (1150, COMM_SUCCESS, 0)
    monkeypatch.setattr(port_handler, "LATENCY_TIMER", USUAL)
    assert packets.ping(port, 9)[1] == COMM_RX_TIMEOUT


def test_broadcast_ping(
    port: PortHandler, packets: PacketHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK listens for 0.8 s, here from the last answer on."""
    read, missing = port.readPort, [ANSWER * len(IDS)]

    def counted(length: int) -> bytes:
        data = read(length)
        missing[0] -= len(data)
        if missing[0] > 0:
            port.packet_start_time = port.getCurrentTime()
        return data

    monkeypatch.setattr(port, "readPort", counted)
    expected = {servo: [1150, 46] for servo in IDS}
    assert packets.broadcastPing(port) == (expected, COMM_SUCCESS)


def test_read_and_write(port: PortHandler, packets: PacketHandler, chain: ServoChain) -> None:
    assert packets.read4ByteTxRx(port, 1, PRESENT_POSITION) == (
        2048,
        COMM_SUCCESS,
        0,
    )
    assert packets.write1ByteTxRx(port, 1, LED, 1) == (COMM_SUCCESS, 0)
    assert packets.read1ByteTxRx(port, 1, LED) == (1, COMM_SUCCESS, 0)
    assert packets.write2ByteTxRx(port, 1, GOAL_CURRENT, 0xFFF6) == (
        COMM_SUCCESS,
        0,
    )
    assert chain.servo(1).table["goal_current"] == -10


def test_errors_and_alerts(port: PortHandler, packets: PacketHandler, chain: ServoChain) -> None:
    assert packets.write4ByteTxRx(port, 1, PRESENT_POSITION, 0) == (
        COMM_SUCCESS,
        7,
    )
    assert packets.write1ByteTxRx(port, 1, TORQUE_ENABLE, 2) == (COMM_SUCCESS, 4)
    assert packets.write2ByteTxRx(port, 1, GOAL_CURRENT, 1188) == (
        COMM_SUCCESS,
        6,
    )
    chain.servo(2).trip(HardwareError.OVERLOAD)
    _, result, error = packets.read4ByteTxRx(port, 2, PRESENT_POSITION)
    assert (result, error) == (COMM_SUCCESS, ALERT)
    assert "Hardware error" in packets.getRxPacketError(error)


def test_reg_write_and_action(port: PortHandler, packets: PacketHandler, chain: ServoChain) -> None:
    for servo in IDS:
        assert packets.regWriteTxRx(port, servo, LED, 1, [1]) == (
            COMM_SUCCESS,
            0,
        )
    assert not any(servo.table["led"] for servo in chain.servos)
    packets.action(port, 254)
    assert packets.read1ByteTxRx(port, 3, LED) == (1, COMM_SUCCESS, 0)


def test_sync_write_and_sync_read(
    port: PortHandler, packets: PacketHandler, chain: ServoChain
) -> None:
    write = GroupSyncWrite(port, packets, GOAL_CURRENT, 2)
    for servo in IDS:
        assert write.addParam(servo, [servo * 10, 0])
    assert write.txPacket() == COMM_SUCCESS
    read = GroupSyncRead(port, packets, GOAL_CURRENT, 2)
    for servo in IDS:
        assert read.addParam(servo)
    assert read.txRxPacket() == COMM_SUCCESS
    assert [read.getData(servo, GOAL_CURRENT, 2) for servo in IDS] == [10, 20, 30]


def test_fast_sync_read(port: PortHandler, packets: PacketHandler) -> None:
    read = GroupSyncRead(port, packets, 126, 10)
    for servo in IDS:
        read.addParam(servo)
    assert read.fastSyncRead() == COMM_SUCCESS
    assert [read.getData(servo, PRESENT_POSITION, 4) for servo in IDS] == [2048] * 3


def test_bulk_write_and_bulk_read(port: PortHandler, packets: PacketHandler) -> None:
    write = GroupBulkWrite(port, packets)
    assert write.addParam(1, LED, 1, [1])
    assert write.addParam(2, GOAL_CURRENT, 2, [7, 0])
    assert write.txPacket() == COMM_SUCCESS
    read = GroupBulkRead(port, packets)
    assert read.addParam(1, LED, 1)
    assert read.addParam(2, GOAL_CURRENT, 2)
    assert read.txRxPacket() == COMM_SUCCESS
    assert (read.getData(1, LED, 1), read.getData(2, GOAL_CURRENT, 2)) == (1, 7)


def test_reboot(port: PortHandler, packets: PacketHandler, chain: ServoChain, clock: Clock) -> None:
    chain.servo(1).trip(HardwareError.OVERLOAD)
    assert packets.reboot(port, 1)[0] == COMM_SUCCESS
    clock.skipped += BOOT_TIME
    assert packets.read1ByteTxRx(port, 1, 70) == (0, COMM_SUCCESS, 0)


def test_factory_reset_and_clear(
    port: PortHandler, packets: PacketHandler, chain: ServoChain
) -> None:
    joint = chain.servo(2).physics
    assert isinstance(joint, FreeJoint)
    joint.position = 10.0
    assert packets.clearMultiTurn(port, 2) == (COMM_SUCCESS, 0)
    assert packets.factoryReset(port, 2, 0x02) == (COMM_SUCCESS, 0)
    assert chain.servo(2).table["current_limit"] == 1188
    assert chain.servo(2).baud == 1_000_000
