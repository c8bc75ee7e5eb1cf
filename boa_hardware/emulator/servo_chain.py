"""Several emulated servos on one RS-485 line: who receives what, who answers when.

No I/O, no threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from boa_hardware.emulator.servo import EmulatedServo
from boa_hardware.emulator.servo_physics import FreeJoint, ServoPhysics
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


class ServoChain:
    """The servos of one line. Not thread-safe.

    Args:
        servos: in any order; broadcast pings are answered by ascending ID.
    """

    def __init__(self, servos: Sequence[EmulatedServo]) -> None:
        self.servos = sorted(servos, key=lambda servo: servo.id)
        self._parser = StreamParser()
        self._received: tuple[float, dict[int, EmulatedServo]] = (-1.0, {})

    def servo(self, servo_id: int) -> EmulatedServo:
        """The servo with this ID. Raises KeyError."""
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
            return [
                self._spread(status, end, per_byte) for status in _damaged(data, listening, end)
            ]
        answers: list[Answer] = []
        for packet in packets:
            answers += self._answer(packet, listening, end, per_byte)
        return answers

    def _spread(self, status: Status, end: float, per_byte: float) -> Answer:
        frame = encode_status(status)
        begin = end + TURNAROUND
        return Answer(begin, begin + len(frame) * per_byte, frame)

    def _answer(
        self, packet: Packet, listening: list[EmulatedServo], end: float, per_byte: float
    ) -> list[Answer]:
        """Answers to one instruction whose last byte arrives at `end`."""
        instruction = packet.instruction
        if packet.id != BROADCAST or instruction == Instruction.PING:
            replies = [(servo, servo.execute(packet, end)) for servo in listening]
            return _one_by_one(
                [(s, status) for s, status in replies if status is not None], end, per_byte
            )
        if self._received[0] != end:  # packets of one transmission are received together
            self._received = end, {servo.id: servo for servo in listening if servo.receives(end)}
        present = self._received[1]
        if instruction in (Instruction.SYNC_WRITE, Instruction.BULK_WRITE):
            _write_all(packet, present)
            return []
        readings = list(_readings(packet))
        if instruction in (Instruction.SYNC_READ, Instruction.BULK_READ):
            return _one_by_one(
                [(present.get(r.servo), _read(r, present)) for r in readings], end, per_byte
            )
        if instruction in (Instruction.FAST_SYNC_READ, Instruction.FAST_BULK_READ):
            return _together(readings, present, end, per_byte)
        for servo in listening:
            servo.execute(packet, end)
        return []


def configured_chain(
    settings: ServoBusSettings,
    physics: Sequence[ServoPhysics] | None = None,
    *,
    firmware: int = 46,
    now: float = 0.0,
) -> ServoChain:
    """Servos as `boa servo configure` leaves them; each on a `FreeJoint` at joint angle 0 unless
    `physics` is given.

    Args:
        settings: IDs, baud rate and limits.
        physics: one per joint, in joint order.
        firmware: version of every servo.
        now: time of power-up on the clock of the line, s.
    """
    joints = (
        physics
        if physics is not None
        else [FreeJoint(position=joint.zero) for joint in settings.joints]
    )
    eeprom = {**required_eeprom(settings), "baud_rate": baud_code(settings.baud)}
    return ServoChain(
        [
            EmulatedServo(servo, joint, eeprom=eeprom, firmware=firmware, now=now)
            for servo, joint in zip(settings.ids, joints, strict=True)
        ]
    )


def _one_by_one(
    replies: Sequence[tuple[EmulatedServo | None, Status | None]], end: float, per_byte: float
) -> list[Answer]:
    """Separate status packets, each after its neighbour; a silent servo costs the next one
    `SILENCE`.
    """
    answers, free = [], end
    for servo, status in replies:
        if servo is None or status is None:
            free += SILENCE
            continue
        frame = encode_status(status)
        start = free + servo.return_delay + TURNAROUND
        free = start + len(frame) * per_byte
        answers.append(Answer(start, free, frame))
    return answers


def _together(
    readings: list[_Reading], present: dict[int, EmulatedServo], end: float, per_byte: float
) -> list[Answer]:
    """One common packet. Each servo continues its neighbour's CRC, so it ends at the first that is
    silent.
    """
    statuses: list[Status] = []
    for reading in readings:
        servo = present.get(reading.servo)
        status = _read(reading, present) if servo and servo.firmware >= FIRMWARE_FAST_READ else None
        if status is None:
            break
        statuses.append(status)
    if not statuses:
        return []
    padding = [Status(r.servo, 0, bytes(r.size)) for r in readings[len(statuses) :]]
    frame = fast_sync_read_reply(statuses + padding)
    frame = frame[: len(frame) - sum(reading.size + 4 for reading in readings[len(statuses) :])]
    start = end + present[readings[0].servo].return_delay + TURNAROUND
    return [Answer(start, start + len(frame) * per_byte, frame)]


def _read(reading: _Reading, present: dict[int, EmulatedServo]) -> Status | None:
    """One servo's part of a sync or bulk read. A refusal carries zeros, so that a common packet
    keeps its length.
    """
    servo = present.get(reading.servo)
    if servo is None or servo.table["status_return_level"] < 1:
        return None
    try:
        return servo.status(servo.read(reading.address, reading.size))
    except RefusedError as refused:
        return servo.status(bytes(reading.size), refused.code)


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


def _write_all(packet: Packet, present: dict[int, EmulatedServo]) -> None:
    for servo_id, address, data in _writes(packet):
        servo = present.get(servo_id)
        if servo is None or not data:
            continue
        try:
            servo.write(address, data)
        except RefusedError:
            continue  # a sync write is never answered: a refusal stays unseen


def _damaged(data: bytes, listening: list[EmulatedServo], now: float) -> Iterator[Status]:
    """The answer to a whole instruction with a wrong CRC: the servo whose ID it bears says so."""
    if not data.startswith(HEADER) or len(data) < 10 or len(data) != 7 + _word(data, 5):
        return
    if crc16(data[:-2]) == _word(data, len(data) - 2):
        return
    for servo in listening:
        if servo.id == data[4] and servo.awake(now):
            status = servo.status(error=ErrorCode.CRC)
            if status is not None and servo.table["status_return_level"] == 2:
                yield status


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little")
