# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several emulated servos on one RS-485 line: who receives what, who answers when.

No I/O, no threads.
"""

import contextlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from boa_hardware.emulator.collision import superpose
from boa_hardware.emulator.servo import EmulatedServo
from boa_hardware.emulator.servo_physics import ServoPhysics
from boa_hardware.emulator.servo_table import RefusedError
from boa_hardware.servo.handshake import required_eeprom
from boa_hardware.servo.protocol import (
    BROADCAST,
    HEADER,
    ErrorCode,
    Instruction,
    Packet,
    Status,
    StreamParser,
    crc16,
    encode_status,
    fast_sync_read_reply,
)
from boa_hardware.servo.registers import FIRMWARE_FAST_READ, baud_code
from boa_hardware.servo.settings import ServoBusSettings

BITS_PER_BYTE = 10  # 8N1
# s from the end of a request (or of the neighbour's answer) to an answer; as the Bit-Bots measured
TURNAROUND = 50e-6
# s after which the next servo of a Sync Read gives up waiting for a silent one; assumption
SILENCE = 0.5e-3


@dataclass(frozen=True, slots=True)
class Answer:
    """Bytes that servos put on the line.

    Attributes:
        start, end: when the first bit leaves and the last has arrived, s.
        data: the bytes.
    """

    start: float
    end: float
    data: bytes


@dataclass(frozen=True, slots=True)
class _Reading:
    """The registers of one servo in a sync or bulk read."""

    servo: int
    address: int
    size: int


Present = Mapping[int, Sequence[EmulatedServo]]
"""The servos that receive a packet, by ID; several where they share one."""


class ServoChain:
    """The servos of one line. Not thread-safe.

    Servos that share an ID obey and answer at the same time, so their answers collide.

    Args:
        servos: in any order; broadcast pings are answered by ascending ID.
    """

    def __init__(self, servos: Sequence[EmulatedServo]) -> None:
        self.servos = sorted(servos, key=lambda servo: servo.id)
        self._parser = StreamParser()
        self._received: tuple[float, Present] = (-1.0, {})
        self._dice = random.Random(0)  # how answers that collide lie on each other

    def servo(self, servo_id: int) -> EmulatedServo:
        """The (first) servo with this ID. Raises KeyError."""
        for servo in self.servos:
            if servo.id == servo_id:
                return servo
        raise KeyError(servo_id)

    def advance(self, now: float) -> None:
        """Let time pass without traffic; call at least every 10 ms."""
        for servo in self.servos:
            servo.advance(now)

    def handle(self, data: bytes, start: float, baud: int) -> list[Answer]:
        """Bytes the host sends from `start` on at `baud`; the answers with their times on the wire.

        Servos set to another baud rate receive noise and stay silent.
        """
        per_byte = BITS_PER_BYTE / baud
        listening = [servo for servo in self.servos if servo.baud == baud]
        packets = self._parser.feed(data)
        end = start + len(data) * per_byte
        if not packets:
            damaged = _damaged(data, listening, end)
            return self._one_by_one([damaged] if damaged else [], end, per_byte)
        answers: list[Answer] = []
        for packet in packets:
            answers += self._answer(packet, listening, end, per_byte)
        return answers

    def _answer(
        self, packet: Packet, listening: list[EmulatedServo], end: float, per_byte: float
    ) -> list[Answer]:
        """Answers to one instruction whose last byte arrives at `end`."""
        instruction = packet.instruction
        if packet.id != BROADCAST or instruction == Instruction.PING:
            # by ascending ID; those that share one answer at once
            replies = [
                _spoken([(servo, servo.execute(packet, end)) for servo in group])
                for _, group in sorted(_by_id(listening).items())
            ]
            return self._one_by_one([reply for reply in replies if reply], end, per_byte)
        if self._received[0] != end:  # packets of one transmission are received together
            self._received = end, _by_id([servo for servo in listening if servo.receives(end)])
        present = self._received[1]
        if instruction in (Instruction.SYNC_WRITE, Instruction.BULK_WRITE):
            _write_all(packet, present)
            return []
        readings = list(_readings(packet))
        if instruction in (Instruction.SYNC_READ, Instruction.BULK_READ):
            return self._one_by_one(
                [
                    _spoken([(servo, _read(reading, servo)) for servo in present[reading.servo]])
                    if reading.servo in present
                    else []
                    for reading in readings
                ],
                end,
                per_byte,
            )
        if instruction in (Instruction.FAST_SYNC_READ, Instruction.FAST_BULK_READ):
            return self._together(readings, present, end, per_byte)
        for servo in listening:
            servo.execute(packet, end)
        return []

    def _one_by_one(
        self, replies: Sequence[Sequence[tuple[EmulatedServo, Status]]], end: float, per_byte: float
    ) -> list[Answer]:
        """Separate status packets, each after its neighbour; a silent servo costs the next one
        `SILENCE`. Those of one entry are sent at once.
        """
        answers, free = [], end
        for together in replies:
            if not together:
                free += SILENCE
                continue
            frame = self._superposed([encode_status(status) for _, status in together], per_byte)
            start = free + together[0][0].return_delay + TURNAROUND
            free = start + len(frame) * per_byte
            answers.append(Answer(start, free, frame))
        return answers

    def _together(
        self, readings: list[_Reading], present: Present, end: float, per_byte: float
    ) -> list[Answer]:
        """One common packet. Each servo continues its neighbour's CRC, so it ends at the first that
        is silent, and behind the first ID that several share.
        """
        statuses: list[Status] = []
        collided = b""
        for reading in readings:
            spoken = _spoken(
                [
                    (servo, _fast_read(reading, servo))
                    for servo in present.get(reading.servo, ())
                    if servo.firmware >= FIRMWARE_FAST_READ
                ]
            )
            if not spoken:
                break
            if len(spoken) > 1:
                blocks = [bytes((status.error, status.id)) + status.data for _, status in spoken]
                collided = self._superposed([block + bytes(2) for block in blocks], per_byte)
                break
            statuses.append(spoken[0][1])
        if not statuses and not collided:
            return []
        missing = readings[len(statuses) :]
        frame = fast_sync_read_reply(
            [*statuses, *(Status(reading.servo, 0, bytes(reading.size)) for reading in missing)]
        )
        frame = frame[: len(frame) - sum(reading.size + 4 for reading in missing)] + collided
        start = end + present[readings[0].servo][0].return_delay + TURNAROUND
        return [Answer(start, start + len(frame) * per_byte, frame)]

    def _superposed(self, frames: Sequence[bytes], per_byte: float) -> bytes:
        return superpose(frames, self._dice, round(BITS_PER_BYTE / per_byte))


def _spoken(
    replies: Sequence[tuple[EmulatedServo, Status | None]],
) -> list[tuple[EmulatedServo, Status]]:
    """The replies that there are."""
    return [(servo, status) for servo, status in replies if status is not None]


def _by_id(servos: Sequence[EmulatedServo]) -> Present:
    present: dict[int, list[EmulatedServo]] = {}
    for servo in servos:
        present.setdefault(servo.id, []).append(servo)
    return present


def configured_chain(
    settings: ServoBusSettings,
    physics: Sequence[ServoPhysics],
    *,
    ids: Sequence[int] | None = None,
    firmware: int = 46,
    now: float = 0.0,
) -> ServoChain:
    """Servos as `boa servo configure` leaves them.

    Args:
        settings: IDs, baud rate and limits.
        physics: one per joint, in joint order.
        ids: that the servos have instead of those of `settings`, in joint order.
        firmware: version of every servo.
        now: time of power-up on the clock of the line, s.
    """
    eeprom = {**required_eeprom(settings), "baud_rate": baud_code(settings.baud)}
    return ServoChain(
        [
            EmulatedServo(servo, joint, eeprom=eeprom, firmware=firmware, now=now)
            for servo, joint in zip(ids or settings.ids, physics, strict=True)
        ]
    )


def _read(reading: _Reading, servo: EmulatedServo) -> Status | None:
    """One servo's answer to a sync or bulk read; a refusal has no data, as that of a read."""
    if servo.table["status_return_level"] < 1:
        return None
    try:
        return servo.status(servo.read(reading.address, reading.size))
    except RefusedError as refused:
        return servo.status(error=refused.code)


def _fast_read(reading: _Reading, servo: EmulatedServo) -> Status | None:
    """One servo's block of a common packet. A refusal carries zeros, so that the packet keeps its
    length (assumption).
    """
    status = _read(reading, servo)
    if status is None or len(status.data) == reading.size:
        return status
    return Status(status.id, status.error, bytes(reading.size))


def _readings(packet: Packet) -> Iterator[_Reading]:
    """Servos that a read instruction addresses, with their blocks, in order."""
    data = packet.parameters
    if packet.instruction in (Instruction.SYNC_READ, Instruction.FAST_SYNC_READ):
        for servo in data[4:]:
            yield _Reading(servo, _word(data, 0), _word(data, 2))
    elif packet.instruction in (Instruction.BULK_READ, Instruction.FAST_BULK_READ):
        for at in range(0, len(data) - 4, 5):
            yield _Reading(data[at], _word(data, at + 1), _word(data, at + 3))


def _writes(packet: Packet) -> Iterator[tuple[int, int, bytes]]:
    """Servo, address and bytes of each write in a sync or bulk write."""
    data, at = packet.parameters, 0
    if packet.instruction == Instruction.SYNC_WRITE:
        address, size = _word(data, 0), _word(data, 2)
        for at in range(4, len(data) - size, size + 1):
            yield data[at], address, data[at + 1 : at + 1 + size]
        return
    while at + 5 <= len(data):
        size = _word(data, at + 3)
        yield data[at], _word(data, at + 1), data[at + 5 : at + 5 + size]
        at += 5 + size


def _write_all(packet: Packet, present: Present) -> None:
    for servo_id, address, data in _writes(packet):
        for servo in present.get(servo_id, ()):
            # a sync write is never answered: a refusal stays unseen
            with contextlib.suppress(RefusedError):
                if data:
                    servo.write(address, data)


def _damaged(
    data: bytes, listening: list[EmulatedServo], now: float
) -> list[tuple[EmulatedServo, Status]]:
    """The answer to a whole instruction with a wrong CRC: the servo whose ID it bears says so."""
    if not data.startswith(HEADER) or len(data) < 10 or len(data) != 7 + _word(data, 5):
        return []
    if crc16(data[:-2]) == _word(data, len(data) - 2):
        return []
    return _spoken(
        [
            (servo, servo.status(error=ErrorCode.CRC))
            for servo in listening
            if servo.id == data[4] and servo.awake(now) and servo.table["status_return_level"] == 2
        ]
    )


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little")
