# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""An emulated servo on the bench, with a clock that stands still until it is moved."""

from __future__ import annotations

from collections.abc import Mapping

from boa_hardware.emulator.servo import EmulatedServo
from boa_hardware.servo import protocol
from boa_hardware.servo.protocol import ALERT, Packet, Status, StreamParser
from boa_hardware.servo.registers import REGISTERS
from test.boa_hardware.free_joint import FreeJoint

ID = 5


class Bench:
    """A servo with a clock that stands still until it is moved."""

    def __init__(self, eeprom: Mapping[str, int] | None = None, firmware: int = 46) -> None:
        self.joint = FreeJoint()
        self.servo = EmulatedServo(ID, self.joint, eeprom=eeprom, firmware=firmware)
        self.now = 0.0

    def call(self, packet: Packet) -> Status | None:
        """Send one instruction as bytes; the status that comes back as bytes."""
        answer = self.servo.handle(protocol.encode(packet), self.now)
        answers = [protocol.as_status(p) for p in StreamParser().feed(answer)]
        assert len(answers) <= 1
        return answers[0] if answers else None

    def send(self, data: bytes) -> Status | None:
        return self.call(StreamParser().feed(data)[0])

    def answer(self, data: bytes) -> Status:
        """The answer, where one must come."""
        status = self.send(data)
        assert status is not None
        return status

    def write(self, name: str, raw: int, servo: int = ID) -> int:
        """Write a register; the error byte of the answer."""
        entry = REGISTERS[name]
        data = raw.to_bytes(entry.size, "little", signed=raw < 0)
        return self.answer(protocol.write(servo, entry.address, data)).error

    def read(self, name: str) -> int:
        entry = REGISTERS[name]
        status = self.answer(protocol.read(ID, entry.address, entry.size))
        assert status.error & ~ALERT == 0
        return entry.decode(status.data)

    def wait(self, seconds: float, step: float = 0.002) -> None:
        """Let time pass without traffic."""
        for _ in range(round(seconds / step)):
            self.now += step
            self.servo.advance(self.now)

    def current_mode(self, watchdog: int = 0) -> None:
        assert self.write("operating_mode", 0) == 0
        assert self.write("goal_current", 0) == 0
        assert self.write("bus_watchdog", watchdog) == 0
        assert self.write("torque_enable", 1) == 0
