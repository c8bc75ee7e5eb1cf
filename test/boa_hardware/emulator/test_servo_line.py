# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The line: port, wire time, half duplex, plug. With a clock of the test where time matters."""

from __future__ import annotations

import os
import select
import time
from pathlib import Path

import pytest
import serial

from boa_hardware.emulator.servo_chain import TURNAROUND
from boa_hardware.emulator.servo_faults import LineFault, LineFaults
from boa_hardware.emulator.servo_line import ServoLine
from boa_hardware.servo import protocol
from boa_hardware.servo.protocol import BROADCAST
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint
from test.boa_hardware.free_joint import free_chain

pytestmark = pytest.mark.realtime

SETTINGS = ServoBusSettings(joints=tuple(ServoJoint(id=number) for number in (1, 2, 3)))
BYTE = 10 / 3e6
PING = protocol.ping(1)
PONG = 14


class Bench:
    """A line that is turned by hand, with its own clock."""

    def __init__(self, faults: LineFaults | None = None, latency: float = 0.0) -> None:
        self.now = 100.0
        self.line = ServoLine(
            free_chain(SETTINGS, now=100.0), faults, latency=latency, clock=lambda: self.now
        )
        self.line.plug()
        self.host = serial.Serial(self.line.port, 3_000_000, timeout=0)

    def close(self) -> None:
        self.host.close()
        self.line.stop()

    def send(self, data: bytes) -> None:
        self.host.write(data)
        assert select.select(self.line.descriptors, (), (), 120.0)[0]
        self.line.turn(readable=True)

    def received_at(self, now: float) -> bytes:
        """Everything the host has got by `now`."""
        self.now = now
        self.line.turn(readable=False)
        return self.host.read(4096)


@pytest.fixture
def bench() -> object:
    bench = Bench()
    yield bench
    bench.close()


def test_an_answer_takes_the_time_of_request_turnaround_and_reply(bench: Bench) -> None:
    bench.send(PING)
    due = 100.0 + (len(PING) + PONG) * BYTE + TURNAROUND
    assert bench.received_at(due - 1e-6) == b""
    assert len(bench.received_at(due + 1e-6)) == PONG


def test_the_hosts_baud_rate_sets_the_time_and_who_hears(bench: Bench) -> None:
    bench.host.baudrate = 1_000_000
    bench.send(PING)
    assert bench.received_at(101.0) == b""  # servos are at 3 Mbit/s
    with bench.line.lock:
        bench.line.chain.servo(1).table["baud_rate"] = 3
    bench.send(PING)
    due = 101.0 + (len(PING) + PONG) * 10 / 1e6 + TURNAROUND
    assert bench.received_at(due - 1e-6) == b""
    assert len(bench.received_at(due + 1e-6)) == PONG


def test_adapter_latency_comes_on_top() -> None:
    bench = Bench(latency=1e-3)
    bench.send(PING)
    due = 100.0 + (len(PING) + PONG) * BYTE + TURNAROUND + 1e-3
    assert bench.received_at(due - 1e-6) == b""
    assert len(bench.received_at(due + 1e-6)) == PONG
    bench.close()


def test_speaking_into_an_answer_destroys_both(bench: Bench) -> None:
    bench.send(protocol.ping(BROADCAST))
    bench.now = 100.0 + len(PING) * BYTE + TURNAROUND + PONG * BYTE / 2
    bench.send(PING)
    assert bench.line.collisions == 1
    assert bench.received_at(101.0) == b""
    bench.send(PING)
    assert len(bench.received_at(102.0)) == PONG


def test_speaking_before_the_answer_makes_servos_give_up_but_is_heard(bench: Bench) -> None:
    bench.send(protocol.ping(BROADCAST))
    bench.now = 100.0 + len(PING) * BYTE + TURNAROUND / 2
    bench.send(PING)
    assert bench.line.collisions == 0
    assert len(bench.received_at(101.0)) == PONG


def test_requests_queue_behind_each_other_on_the_wire(bench: Bench) -> None:
    write = protocol.write(BROADCAST, 65, b"\x01")
    bench.send(write)
    bench.send(PING)
    due = 100.0 + (len(write) + len(PING) + PONG) * BYTE + TURNAROUND
    assert bench.received_at(due - 1e-6) == b""
    assert len(bench.received_at(due + 1e-6)) == PONG


def test_faults_strike_requests_and_replies() -> None:
    bench = Bench(
        LineFaults(
            [
                LineFault(kind="lose", where="request", stop=101.0),
                LineFault(kind="lose", where="reply", stop=102.0),
            ]
        )
    )
    for now in (100.5, 101.5):
        bench.now = now
        bench.send(protocol.write(1, 65, b"\x01"))
        assert bench.received_at(now + 0.1) == b""
        # a lost reply is a write that happened
        assert bench.line.chain.servo(1).table["led"] == (now > 101)
    bench.now = 103.0
    bench.send(PING)
    assert len(bench.received_at(103.1)) == PONG
    bench.close()


def test_a_line_that_is_unplugged_vanishes_and_comes_back_under_its_name(bench: Bench) -> None:
    port = bench.line.port
    bench.line.unplug()
    assert not Path(port).exists()
    with pytest.raises((OSError, serial.SerialException)):
        bench.host.write(b"x")
        bench.host.read(1)
    bench.line.plug()
    bench.line.plug()
    assert Path(port).exists()
    bench.host.close()
    bench.host = serial.Serial(port, 3_000_000, timeout=0)
    bench.send(PING)
    assert len(bench.received_at(200.0)) == PONG


def test_servos_live_on_while_unplugged(bench: Bench) -> None:
    """Their watchdogs run: a robot whose cable is pulled stops."""
    servo = bench.line.chain.servo(1)
    servo.table["torque_enable"] = 1
    servo.table["bus_watchdog"] = 5
    servo.receives(100.0)
    bench.line.unplug()
    bench.now = 100.2
    bench.line.turn(readable=False)
    assert servo.table["bus_watchdog"] == -1


def test_the_thread_answers_and_stops() -> None:
    with ServoLine(free_chain(SETTINGS, now=time.monotonic())) as line:
        with serial.Serial(line.port, 3_000_000, timeout=600) as host:
            host.write(PING)
            assert len(host.read(PONG)) == PONG
        port = line.port
    assert not os.path.lexists(port)
    line.stop()
