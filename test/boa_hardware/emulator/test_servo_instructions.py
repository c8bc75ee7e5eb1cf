# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emulated servo's answers to instructions, against the e-manual and the SDK."""

from __future__ import annotations

import math

import pytest

from boa_hardware.emulator.servo import BOOT_TIME, EmulatedServo
from boa_hardware.servo import protocol
from boa_hardware.servo.protocol import BROADCAST, ErrorCode, Instruction, Packet, Status
from boa_hardware.servo.registers import POSITION
from test.boa_hardware.emulator.servo_bench import ID, Bench
from test.boa_hardware.free_joint import FreeJoint


def test_only_the_own_id_answers() -> None:
    bench = Bench()
    assert bench.send(protocol.ping(ID + 1)) is None
    assert bench.send(protocol.ping(BROADCAST)) is not None
    assert bench.send(protocol.read(BROADCAST, 132, 4)) is None
    assert bench.send(protocol.write(BROADCAST, 65, b"\x01")) is None
    assert bench.read("led") == 1


def test_unknown_instructions_and_action_without_reg_write() -> None:
    bench = Bench()
    for packet in (
        Packet(ID, 0x77),
        Packet(ID, Instruction.ACTION),
        Packet(ID, Instruction.READ, b"\x00"),
    ):
        assert bench.call(packet) == Status(ID, ErrorCode.INSTRUCTION)


def test_reg_write_waits_for_action() -> None:
    bench = Bench()
    assert bench.call(Packet(ID, Instruction.REG_WRITE, b"\x41\x00\x01")) == Status(ID, 0)
    assert (bench.read("led"), bench.read("registered_instruction")) == (0, 1)
    assert bench.call(Packet(ID, Instruction.ACTION)) == Status(ID, 0)
    assert (bench.read("led"), bench.read("registered_instruction")) == (1, 0)


@pytest.mark.parametrize(
    ("level", "read_answers", "write_answers"),
    [(0, False, False), (1, True, False), (2, True, True)],
)
def test_status_return_level(level: int, read_answers: bool, write_answers: bool) -> None:
    bench = Bench()
    bench.servo.table["status_return_level"] = level
    assert bench.send(protocol.ping(ID)) is not None
    assert (bench.send(protocol.read(ID, 132, 4)) is not None) == read_answers
    assert (bench.send(protocol.write(ID, 65, b"\x01")) is not None) == write_answers
    assert bench.servo.table["led"] == 1


def test_secondary_id_obeys_but_keeps_still_and_cannot_write_eeprom() -> None:
    bench = Bench(eeprom={"secondary_id": 100})
    assert bench.send(protocol.write(100, 65, b"\x01")) is None
    assert bench.read("led") == 1
    assert bench.send(protocol.write(100, 9, b"\x00")) is None
    assert bench.read("return_delay_time") == 250


def test_a_silenced_servo_hears_but_does_not_answer() -> None:
    bench = Bench()
    bench.servo.silent = True
    assert bench.send(protocol.write(ID, 65, b"\x01")) is None
    bench.servo.silent = False
    assert bench.read("led") == 1


def test_a_new_id_is_answered_from_the_old_one() -> None:
    """SDK 4.1.0, write1ByteTxRx(1, 7, 12), waits for a status of the ID that it has addressed."""
    servo = EmulatedServo(1, FreeJoint())
    request = bytes.fromhex("FF FF FD 00 01 06 00 03 07 00 0C 9A E3")
    assert servo.handle(request, 0.0) == bytes.fromhex("FF FF FD 00 01 04 00 55 00 A1 0C")
    assert servo.id == 12
    assert servo.handle(protocol.ping(1), 0.0) == b""


def test_factory_reset_options() -> None:
    bench = Bench(eeprom={"baud_rate": 5, "current_limit": 300})
    assert bench.call(Packet(BROADCAST, Instruction.FACTORY_RESET, b"\xff")) is None
    assert bench.read("current_limit") == 300  # ignored as a broadcast
    assert bench.call(Packet(ID, Instruction.FACTORY_RESET, b"\x02")) == Status(ID, 0)
    bench.wait(BOOT_TIME + 0.01)
    assert (bench.read("id"), bench.read("baud_rate"), bench.read("current_limit")) == (ID, 5, 1188)
    assert bench.call(Packet(ID, Instruction.FACTORY_RESET, b"\x01")) == Status(ID, 0)
    bench.wait(BOOT_TIME + 0.01)
    assert (bench.read("id"), bench.read("baud_rate")) == (ID, 1)


def test_a_factory_reset_of_everything_is_answered_from_the_old_id() -> None:
    bench = Bench(eeprom={"baud_rate": 5})
    assert bench.call(Packet(ID, Instruction.FACTORY_RESET, b"\xff")) == Status(ID, 0)
    assert (bench.servo.id, bench.servo.baud) == (1, 57_600)


def test_clear_forgets_turns_only_at_rest() -> None:
    bench = Bench()
    clear = Packet(ID, Instruction.CLEAR, b"\x01DXL\x22")
    bench.joint.position = 2 * math.pi + 1.0
    bench.joint.velocity = 3.0
    assert bench.read("moving") == 1
    assert bench.call(clear) == Status(ID, ErrorCode.RESULT_FAIL)
    bench.joint.velocity = 0.0
    assert bench.read("moving") == 0
    assert bench.call(clear) == Status(ID, 0)
    assert bench.read("present_position") == round(1.0 / POSITION)
