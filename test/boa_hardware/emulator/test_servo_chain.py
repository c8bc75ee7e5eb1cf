# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several servos on one line: who answers, in which order, when."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from boa_hardware.emulator.servo import EmulatedServo
from boa_hardware.emulator.servo_chain import (
    SILENCE,
    TURNAROUND,
    Answer,
    ServoChain,
)
from boa_hardware.servo import protocol
from boa_hardware.servo.cycle import BLOCK_ADDRESSES
from boa_hardware.servo.protocol import (
    BROADCAST,
    ErrorCode,
    Instruction,
    Packet,
    Status,
    StreamParser,
    encode,
)
from boa_hardware.servo.registers import indirect_address
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint
from test.boa_hardware.free_joint import FreeJoint, free_chain

BAUD = 3_000_000
BYTE = 10 / BAUD
SETTINGS = ServoBusSettings(joints=tuple(ServoJoint(id=number) for number in (3, 1, 2)))


def chain(firmware: int = 46) -> ServoChain:
    return free_chain(SETTINGS, firmware=firmware)


def statuses(answers: Iterable[Answer]) -> list[Status | None]:
    return [protocol.as_status(p) for a in answers for p in StreamParser().feed(a.data)]


def ids(answers: Iterable[Answer]) -> list[int]:
    return [status.id for status in statuses(answers) if status]


def test_broadcast_ping_is_answered_by_ascending_id() -> None:
    assert ids(chain().handle(protocol.ping(BROADCAST), 0.0, BAUD)) == [1, 2, 3]


def test_sync_read_is_answered_in_the_order_of_the_request() -> None:
    assert ids(chain().handle(protocol.sync_read((2, 3, 1), 132, 4), 0.0, BAUD)) == [2, 3, 1]


def test_answers_take_the_wires_time() -> None:
    request = protocol.sync_read((1, 2), 132, 4)
    first, second = chain().handle(request, 1.0, BAUD)
    assert first.start == pytest.approx(1.0 + len(request) * BYTE + TURNAROUND)
    assert first.end - first.start == pytest.approx(15 * BYTE)
    assert second.start == pytest.approx(first.end + TURNAROUND)


def test_return_delay_time_counts_for_every_servo() -> None:
    slow = chain()
    for servo in slow.servos:
        servo.table["return_delay_time"] = 250
    quick = chain().handle(protocol.sync_read((1, 2, 3), 132, 4), 0.0, BAUD)
    late = slow.handle(protocol.sync_read((1, 2, 3), 132, 4), 0.0, BAUD)
    assert late[-1].end - quick[-1].end == pytest.approx(3 * 500e-6)


def test_a_silent_servo_in_a_sync_read_only_costs_time() -> None:
    broken = chain()
    broken.servo(2).silent = True
    answers = broken.handle(protocol.sync_read((1, 2, 3), 132, 4), 0.0, BAUD)
    assert ids(answers) == [1, 3]
    assert answers[1].start == pytest.approx(answers[0].end + SILENCE + TURNAROUND)


def test_fast_sync_read_is_one_packet_and_ends_at_a_silent_servo() -> None:
    servos = chain()
    (answer,) = servos.handle(protocol.sync_read((1, 2, 3), 132, 4, fast=True), 0.0, BAUD)
    assert list(protocol.parse_fast_sync_read(answer.data, (1, 2, 3), 4)) == [1, 2, 3]
    servos.servo(2).silent = True
    (answer,) = servos.handle(protocol.sync_read((1, 2, 3), 132, 4, fast=True), 0.0, BAUD)
    assert list(protocol.parse_fast_sync_read(answer.data, (1, 2, 3), 4)) == [1]
    servos.servo(1).silent = True
    assert servos.handle(protocol.sync_read((1, 2, 3), 132, 4, fast=True), 0.0, BAUD) == []


def test_old_firmware_ignores_fast_sync_read() -> None:
    old = chain(firmware=44)
    assert old.handle(protocol.sync_read((1, 2), 132, 4, fast=True), 0.0, BAUD) == []
    assert ids(old.handle(protocol.sync_read((1, 2), 132, 4), 0.0, BAUD)) == [1, 2]


def test_bulk_read_and_write() -> None:
    servos = chain()
    write = Packet(
        BROADCAST, Instruction.BULK_WRITE, bytes.fromhex("01 4100 0100 01  02 6600 0200 0500")
    )
    assert servos.handle(encode(write), 0.0, BAUD) == []
    read = Packet(BROADCAST, Instruction.BULK_READ, bytes.fromhex("01 4100 0100  02 6600 0200"))
    assert statuses(servos.handle(encode(read), 0.0, BAUD)) == [
        Status(1, 0, b"\x01"),
        Status(2, 0, b"\x05\x00"),
    ]
    fast = Packet(BROADCAST, Instruction.FAST_BULK_READ, read.parameters)
    (answer,) = servos.handle(encode(fast), 0.0, BAUD)
    assert answer.data[8:11] == b"\x00\x01\x01"


def test_a_sync_write_is_never_answered_even_when_refused() -> None:
    servos = chain()
    limit = SETTINGS.current_limit_counts
    goals = {1: (limit + 1).to_bytes(2, "little"), 2: (7).to_bytes(2, "little")}
    assert servos.handle(protocol.sync_write(goals, 102), 0.0, BAUD) == []
    assert servos.servo(2).table["goal_current"] == 7
    # the refused goal left the start value: the limit
    assert servos.servo(1).table["goal_current"] == limit


def test_the_wrong_baud_rate_is_noise() -> None:
    servos = chain()
    assert servos.handle(protocol.ping(1), 0.0, 1_000_000) == []
    servos.servo(1).table["baud_rate"] = 3
    assert ids(servos.handle(protocol.ping(BROADCAST), 0.0, 1_000_000)) == [1]
    assert ids(servos.handle(protocol.ping(BROADCAST), 0.0, BAUD)) == [2, 3]


def test_a_damaged_instruction_is_answered_by_a_crc_error() -> None:
    damaged = bytearray(protocol.read(2, 132, 4))
    damaged[-1] ^= 1
    assert statuses(chain().handle(bytes(damaged), 0.0, BAUD)) == [Status(2, ErrorCode.CRC)]


def test_unmapped_indirect_data_read_zero() -> None:
    """They point to themselves, so a servo that has lost its map answers zeros without an error."""
    servos = chain()
    for servo in (1, 3):
        mapping = b"".join(address.to_bytes(2, "little") for address in BLOCK_ADDRESSES)
        servos.handle(protocol.write(servo, indirect_address(1), mapping), 0.0, BAUD)
    (answer,) = servos.handle(protocol.sync_read((1, 2, 3), 224, 14, fast=True), 0.0, BAUD)
    parsed = protocol.parse_fast_sync_read(answer.data, (1, 2, 3), 14)
    assert parsed[1].data == parsed[3].data != bytes(14)
    assert parsed[2].data == bytes(14)


def test_a_sync_read_of_an_undefined_address_is_refused_without_data() -> None:
    """Data behind an error would be taken for a value; a Fast Sync Read keeps its length."""
    servos = chain()
    refused = [Status(1, ErrorCode.ACCESS), Status(2, ErrorCode.ACCESS)]
    assert statuses(servos.handle(protocol.sync_read((1, 2), 400, 4), 0.0, BAUD)) == refused
    (answer,) = servos.handle(protocol.sync_read((1, 2), 400, 4, fast=True), 0.0, BAUD)
    parsed = protocol.parse_fast_sync_read(answer.data, (1, 2), 4)
    assert parsed == {number: Status(number, ErrorCode.ACCESS, bytes(4)) for number in (1, 2)}


def sharing(count: int) -> ServoChain:
    """Servos with ID 1 at different joint angles, and one with ID 9."""
    joints = [FreeJoint(position=0.3 * number) for number in range(count)]
    eeprom = {"baud_rate": 5, "return_delay_time": 0}
    servos = [EmulatedServo(1, joint, eeprom=eeprom) for joint in joints]
    return ServoChain([*servos, EmulatedServo(9, FreeJoint(), eeprom=eeprom)])


@pytest.mark.parametrize("count", [2, 10])
def test_servos_with_one_id_answer_at_once_and_destroy_each_other(count: int) -> None:
    """They differ in the moment of their answers by some bits at 3 Mbit/s."""
    servos = sharing(count)
    for request in (protocol.ping(1), protocol.read(1, 132, 4), protocol.sync_read((1,), 132, 4)):
        for _ in range(10):
            (answer,) = servos.handle(request, 0.0, BAUD)
            assert len(answer.data) > 2
            assert StreamParser().feed(answer.data) == []


def test_others_answer_whole_beside_a_collision() -> None:
    servos = sharing(10)
    assert ids(servos.handle(protocol.ping(BROADCAST), 0.0, BAUD)) == [9]
    assert ids(servos.handle(protocol.sync_read((9, 1), 132, 4), 0.0, BAUD)) == [9]
    (answer,) = servos.handle(protocol.sync_read((9, 1), 132, 4, fast=True), 0.0, BAUD)
    assert list(protocol.parse_fast_sync_read(answer.data, (9, 1), 4)) == [9]
    (answer,) = servos.handle(protocol.sync_read((1, 9), 132, 4, fast=True), 0.0, BAUD)
    assert protocol.parse_fast_sync_read(answer.data, (1, 9), 4) == {}


def test_all_servos_with_one_id_obey() -> None:
    servos = sharing(3)
    servos.handle(protocol.sync_write({1: b"\x01"}, 65), 0.0, BAUD)
    assert [servo.table["led"] for servo in servos.servos] == [1, 1, 1, 0]
    servos.handle(protocol.write(1, 65, b"\x00"), 0.0, BAUD)
    assert not any(servo.table["led"] for servo in servos.servos)


def test_unknown_servos_raise() -> None:
    with pytest.raises(KeyError):
        chain().servo(9)
