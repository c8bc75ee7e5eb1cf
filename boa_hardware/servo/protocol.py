# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dynamixel Protocol 2.0 as a pure codec: packets, CRC, byte stuffing, resynchronising stream
parser.

    instruction  FF FF FD 00 | ID | LEN_L LEN_H | INST | parameters    | CRC_L CRC_H    LEN =
    parameters + 3 status       FF FF FD 00 | ID | LEN_L LEN_H | 55   | ERR | data    | CRC_L CRC_H
    LEN = data + 4

Source: ROBOTIS e-manual, DYNAMIXEL Protocol 2.0 and CRC Calculation. Inside instruction and
parameters the sender replaces FF FF FD by FF FF FD FD; LEN and CRC are those of the stuffed packet.
So FF FF FD 00 occurs only at the start of a packet, except inside the reply to a Fast Sync Read,
which is not stuffed.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

HEADER = b"\xff\xff\xfd\x00"
BROADCAST = 0xFE
MAX_ID = 252
MAX_LENGTH = 1024  # longest LEN worth waiting for; the whole control table is 662 bytes
ALERT = 0x80  # bit of the error byte: Hardware Error Status is not 0

_PATTERN, _STUFFED = b"\xff\xff\xfd", b"\xff\xff\xfd\xfd"
_PREFIX = 7  # header, ID and LEN


class Instruction(IntEnum):
    """Instruction byte."""

    PING = 0x01
    READ = 0x02
    WRITE = 0x03
    REG_WRITE = 0x04
    ACTION = 0x05
    FACTORY_RESET = 0x06
    REBOOT = 0x08
    CLEAR = 0x10
    CONTROL_TABLE_BACKUP = 0x20
    STATUS = 0x55
    SYNC_READ = 0x82
    SYNC_WRITE = 0x83
    FAST_SYNC_READ = 0x8A
    BULK_READ = 0x92
    BULK_WRITE = 0x93
    FAST_BULK_READ = 0x9A


class ErrorCode(IntEnum):
    """Bits 0 to 6 of the error byte: why the servo refused an instruction."""

    NONE = 0
    RESULT_FAIL = 1
    INSTRUCTION = 2
    CRC = 3
    DATA_RANGE = 4
    DATA_LENGTH = 5
    DATA_LIMIT = 6
    ACCESS = 7


_ERROR_TEXT: dict[int, str] = {
    ErrorCode.RESULT_FAIL: "result fail (the instruction could not be carried out)",
    ErrorCode.INSTRUCTION: "instruction error (unknown instruction, or Action without Reg Write)",
    ErrorCode.CRC: "CRC error (the instruction arrived damaged)",
    ErrorCode.DATA_RANGE: "data range error (value outside the register's range, or Bus "
    "Watchdog tripped)",
    ErrorCode.DATA_LENGTH: "data length error (fewer bytes than the register has)",
    ErrorCode.DATA_LIMIT: "data limit error (value above the limit set in EEPROM)",
    ErrorCode.ACCESS: "access error (read-only or unknown address, or EEPROM locked by torque)",
}


@dataclass(frozen=True, slots=True)
class Packet:
    """One packet without header, stuffing and CRC.

    For a status packet `parameters` starts with the error byte.
    """

    id: int
    instruction: int
    parameters: bytes = b""


@dataclass(frozen=True, slots=True)
class Status:
    """One status packet: a servo's answer.

    Attributes:
        id: servo that answers.
        error: error byte; see `error_code`, `alert`.
        data: what was read, empty for a write.
    """

    id: int
    error: int
    data: bytes = b""

    @property
    def alert(self) -> bool:
        """A hardware error is pending: read Hardware Error Status."""
        return bool(self.error & ALERT)

    @property
    def error_code(self) -> int:
        """The error number without the alert bit, `ErrorCode` where it is a known one."""
        return self.error & ~ALERT


def describe_error(error: int) -> str:
    """An error byte in words; "" for 0."""
    parts = []
    code = error & ~ALERT
    if code:
        parts.append(_ERROR_TEXT.get(code, f"unknown error {code}"))
    if error & ALERT:
        parts.append("alert (hardware error pending)")
    return ", ".join(parts)


@cache
def _crc_table() -> tuple[int, ...]:
    """CRC of every byte."""
    table = []
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x8005 if crc & 0x8000 else crc << 1) & 0xFFFF
        table.append(crc)
    return tuple(table)


@cache
def _crc_pair_table() -> array[int]:
    """CRC of every pair of bytes: with one look-up for two bytes a reply costs half the time or
    less.
    """
    single = _crc_table()
    return array(
        "H",
        [(high << 8 & 0xFF00) ^ single[high >> 8 ^ low] for high in single for low in range(256)],
    )


def crc16(data: bytes | bytearray | memoryview, crc: int = 0) -> int:
    """CRC-16, polynomial 0x8005, start 0, most significant bit first, no reflection (e-manual, CRC
    Calculation).

    Args:
        data: bytes to add.
        crc: CRC of the bytes before them.
    """
    pairs, odd = divmod(len(data), 2)
    if odd:
        crc = (crc << 8 & 0xFF00) ^ _crc_table()[crc >> 8 ^ data[0]]
    table = _crc_pair_table()
    for pair in struct.unpack_from(f">{pairs}H", data, odd):
        crc = table[crc ^ pair]
    return crc


def stuff(body: bytes) -> bytes:
    """Instruction and parameters as they go on the wire."""
    return body.replace(_PATTERN, _STUFFED)


def unstuff(body: bytes) -> bytes:
    """Instruction and parameters as they were before `stuff`."""
    return body.replace(_STUFFED, _PATTERN)


def encode(packet: Packet) -> bytes:
    """Bytes of a packet: stuffed, with length and CRC."""
    body = stuff(bytes((packet.instruction,)) + packet.parameters)
    frame = HEADER + bytes((packet.id,)) + (len(body) + 2).to_bytes(2, "little") + body
    return frame + crc16(frame).to_bytes(2, "little")


def encode_status(status: Status) -> bytes:
    """Bytes of a status packet."""
    return encode(Packet(status.id, Instruction.STATUS, bytes((status.error,)) + status.data))


def as_status(packet: Packet) -> Status | None:
    """The status in a packet; None for an instruction or a status without error byte."""
    if packet.instruction != Instruction.STATUS or not packet.parameters:
        return None
    return Status(packet.id, packet.parameters[0], packet.parameters[1:])


def _word(value: int) -> bytes:
    return value.to_bytes(2, "little")


def ping(servo: int) -> bytes:
    """Ping one servo, or all with BROADCAST."""
    return encode(Packet(servo, Instruction.PING))


def read(servo: int, address: int, size: int) -> bytes:
    """Read `size` bytes from `address`."""
    return encode(Packet(servo, Instruction.READ, _word(address) + _word(size)))


def write(servo: int, address: int, data: bytes) -> bytes:
    """Write `data` to `address`."""
    return encode(Packet(servo, Instruction.WRITE, _word(address) + data))


def reboot(servo: int) -> bytes:
    """Restart one servo: RAM is lost, hardware errors are cleared."""
    return encode(Packet(servo, Instruction.REBOOT))


def sync_read(servos: Iterable[int], address: int, size: int, *, fast: bool = False) -> bytes:
    """Read the same registers of several servos; `fast`: they answer in one common packet."""
    instruction = Instruction.FAST_SYNC_READ if fast else Instruction.SYNC_READ
    return encode(Packet(BROADCAST, instruction, _word(address) + _word(size) + bytes(servos)))


def sync_write(data: Mapping[int, bytes], address: int) -> bytes:
    """Write to the same registers of several servos; nobody answers.

    All values have the same size.
    """
    size = len(next(iter(data.values())))
    return sync_write_joined(
        b"".join(bytes((servo,)) + value for servo, value in data.items()), address, size
    )


def sync_write_joined(values: bytes, address: int, size: int) -> bytes:
    """The same for values that are joined already: ID and `size` bytes of each servo in turn."""
    return encode(Packet(BROADCAST, Instruction.SYNC_WRITE, _word(address) + _word(size) + values))


def fast_sync_read_reply(statuses: Iterable[Status]) -> bytes:
    """Common reply to a Fast Sync Read: not stuffed, each CRC runs from the header to its block."""
    blocks = [bytes((status.error, status.id)) + status.data for status in statuses]
    length = 1 + sum(len(block) + 2 for block in blocks)
    frame = HEADER + bytes((BROADCAST,)) + _word(length) + bytes((Instruction.STATUS,))
    crc = crc16(frame)
    for block in blocks:
        crc = crc16(block, crc)
        frame += block + _word(crc)
        crc = crc16(_word(crc), crc)
    return frame


def parse_fast_sync_read(reply: bytes, servos: tuple[int, ...], size: int) -> dict[int, Status]:
    """Read the common reply to a Fast Sync Read, as far as it is whole.

    Args:
        reply: received bytes; may begin with noise and may end early.
        servos: IDs in the order of the request.
        size: bytes of data per servo.

    Returns:
        Status by ID of the servos that some right CRC covers: all of them when the last one is
        right, else those before the first block that is missing, damaged or from an unexpected
        servo.
    """
    stride, head = size + 4, _fast_head(len(servos), size)
    start = reply.find(head)
    if start < 0:
        return {}
    first = start + len(head)
    blocks = [reply[at : at + stride] for at in range(first, first + stride * len(servos), stride)]
    good = _good_blocks(head, blocks, servos, stride)
    return {
        servo: Status(servo, block[0], block[2:-2])
        for servo, block in zip(servos[:good], blocks, strict=False)
    }


def _fast_head(servos: int, size: int) -> bytes:
    """How the common reply of so many servos with `size` bytes each begins."""
    return (
        HEADER + bytes((BROADCAST,)) + _word(1 + (size + 4) * servos) + bytes((Instruction.STATUS,))
    )


def whole_fast_reply(reply: bytes, servos: int, size: int) -> bytes | None:
    """All blocks (error, ID, data, CRC) of a common reply that is complete and whose last CRC is
    right, else None.
    """
    head = _fast_head(servos, size)
    start = reply.find(head)
    end = start + len(head) + (size + 4) * servos
    if (
        start < 0
        or len(reply) < end
        or crc16(reply[start : end - 2]) != reply[end - 2] | reply[end - 1] << 8
    ):
        return None
    return reply[start + len(head) : end]


def _good_blocks(head: bytes, blocks: list[bytes], servos: tuple[int, ...], stride: int) -> int:
    """Number of leading blocks that are whole, from the expected servo and with a right CRC."""
    crc, good = crc16(head), 0
    for index, (block, servo) in enumerate(zip(blocks, servos, strict=True)):
        if len(block) < stride or block[1] != servo:
            return good
        crc = crc16(block[:-2], crc)
        if crc == block[-2] | block[-1] << 8:  # covers all blocks so far
            good = index + 1
        crc = crc16(block[-2:], crc)
    return good


class StreamParser:
    """Finds packets in a byte stream and resynchronises after noise, gaps and damaged packets.

    A packet counts when its header, length and CRC fit. A damaged header that promises more bytes
    than come does not block: a whole packet behind it is delivered as soon as it is complete.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.rejected = 0
        """Bytes thrown away so far because they belong to no good packet."""

    def clear(self) -> None:
        """Forget bytes of an incomplete packet."""
        self._buffer.clear()

    @property
    def pending(self) -> int:
        """Bytes that wait for the rest of a packet."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[Packet]:
        """Add received bytes and return the packets they complete, in order."""
        buffer = self._buffer
        buffer += data
        packets = []
        keep = start = 0  # everything before `keep` is settled
        undecided: int | None = None  # first header whose packet is not complete yet
        while (start := buffer.find(HEADER, start)) >= 0:
            end = self._packet_end(start)
            if end is None:
                undecided = start if undecided is None else undecided
            elif end > 0:
                packets.append(self._packet(start, end))
                self.rejected += start - keep
                keep, start, undecided = end, end, None
                continue
            start += 1
        self._drop_noise(keep, undecided)
        return packets

    def _packet_end(self, start: int) -> int | None:
        """End of the packet whose header is at `start`; 0: no good packet; None: more bytes are
        needed.
        """
        buffer = self._buffer
        if len(buffer) < start + _PREFIX:
            return None
        length = buffer[start + 5] | buffer[start + 6] << 8
        servo = buffer[start + 4]
        if not 3 <= length <= MAX_LENGTH or (servo > MAX_ID and servo != BROADCAST):
            return 0
        end = start + _PREFIX + length
        if len(buffer) < end:
            return None
        frame = bytes(buffer[start:end])
        whole = crc16(frame[:-2]) == frame[-2] | frame[-1] << 8
        body = frame[_PREFIX:-2]
        stuffed = body.count(_PATTERN) == body.count(_STUFFED)  # else the CRC was hit by chance
        return end if whole and stuffed else 0

    def _packet(self, start: int, end: int) -> Packet:
        buffer = self._buffer
        body = unstuff(bytes(buffer[start + _PREFIX : end - 2]))
        return Packet(buffer[start + 4], body[0], body[1:])

    def _drop_noise(self, keep: int, undecided: int | None) -> None:
        """Keep only what may still become a packet."""
        buffer = self._buffer
        if undecided is None:
            tail = next((n for n in (3, 2, 1) if buffer[keep:].endswith(HEADER[:n])), 0)
            undecided = len(buffer) - tail
        self.rejected += undecided - keep
        del buffer[:undecided]
