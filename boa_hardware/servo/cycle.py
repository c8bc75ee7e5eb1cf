# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One cyclic exchange as data: request of each tick, decoding of the answer, result.

Each tick sends one Sync Write of Goal Current and one Fast Sync Read (or Sync Read) of `BLOCK`,
which bring-up has gathered through the first Indirect Addresses. All functions here are pure.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boa_description.arrays import Array, Flags
from boa_hardware.servo.obedience import Counts, Disobedience
from boa_hardware.servo.protocol import (
    BROADCAST,
    HEADER,
    Status,
    StreamParser,
    as_status,
    parse_fast_sync_read,
    sync_read,
    sync_write_joined,
    whole_fast_reply,
)
from boa_hardware.servo.registers import REGISTERS, indirect_data

Bytes = NDArray[np.uint8]

BLOCK = tuple(
    REGISTERS[name]
    for name in (
        "hardware_error_status",
        "present_current",
        "present_velocity",
        "present_position",
        "present_input_voltage",
        "present_temperature",
        "torque_enable",
        "bus_watchdog",
        "goal_pwm",
        "goal_current",
        "realtime_tick",
    )
)
MEASURED = (
    "present_position",
    "present_velocity",
    "present_current",
    "present_input_voltage",
    "present_temperature",
)
BLOCK_ADDRESSES = tuple(
    address for register in BLOCK for address in range(register.address, register.end)
)
BLOCK_SIZE = len(BLOCK_ADDRESSES)
BLOCK_START = indirect_data(1)
_BLOCK_DTYPE = np.dtype([(r.name, f"<{'i' if r.signed else 'u'}{r.size}") for r in BLOCK])
_GOAL = REGISTERS["goal_current"]
_GOAL_DTYPE = np.dtype([("id", "u1"), ("goal", "<i2")])
_FAST_DTYPE = np.dtype([("error", "u1"), ("id", "u1"), ("block", _BLOCK_DTYPE), ("crc", "<u2")])
_STATUS_OVERHEAD = 11  # bytes of a status packet around its data


@dataclass(frozen=True, slots=True)
class ServoCycle:
    """Answers of the servos in one tick; joint coordinates, SI units, arrays of shape (n_joints,).

    A servo that did not answer keeps its last values with their age; before its first answer they
    are NaN.

    Attributes:
        stamp_ns: when the request was sent, ns on CLOCK_MONOTONIC; the servos sample on receiving
            it.
        position, velocity, current, voltage, temperature: rad, rad/s, A, V, degC.
        error: error byte of the last status packet (alert bit included).
        hardware_error: Hardware Error Status of the last valid answer.
        age: s since the request of the last valid answer; inf before the first.
        valid: True where this tick brought a valid answer.
        misses: consecutive ticks without a valid answer.
        lost_setup: True where the answer shows that the servo has restarted and lost its indirect
            map.
        watchdog_expired: the bus was silent for so long that the Bus Watchdog, which may be a step
            early, has perhaps stopped servos under torque; those ignore Goal Current until they are
            armed again.
        late: answers to an earlier request came after its deadline.
        disobedient: servos that do not do what they are told.
    """

    stamp_ns: int
    position: Array
    velocity: Array
    current: Array
    voltage: Array
    temperature: Array
    error: Bytes
    hardware_error: Bytes
    age: Array
    valid: Flags
    misses: Counts
    lost_setup: Flags
    watchdog_expired: bool = False
    late: bool = False
    disobedient: tuple[Disobedience, ...] = ()


@dataclass(frozen=True, slots=True)
class CycleReply:
    """The readable part of one reply, raw counts; rows of servos that did not answer are zero and
    not `valid`.
    """

    block: NDArray[np.void]
    error: Bytes
    answered: Flags
    valid: Flags
    lost_setup: Flags


def write_request(servos: tuple[int, ...], goal: Counts) -> bytes:
    """Sync Write of Goal Current, counts, one per servo."""
    rows = np.empty(len(servos), _GOAL_DTYPE)
    rows["id"], rows["goal"] = servos, goal
    return sync_write_joined(rows.tobytes(), _GOAL.address, _GOAL.size)


def read_request(servos: tuple[int, ...], *, fast: bool) -> bytes:
    """Sync Read or Fast Sync Read of `BLOCK`."""
    return sync_read(servos, BLOCK_START, BLOCK_SIZE, fast=fast)


def reply_size(servos: int, *, fast: bool) -> int:
    """Bytes of a complete reply without stuffing."""
    return 8 + servos * (BLOCK_SIZE + 4) if fast else servos * (BLOCK_SIZE + _STATUS_OVERHEAD)


def parse_reply(reply: bytes, servos: tuple[int, ...], *, fast: bool) -> CycleReply:
    """Read a reply as far as it is good.

    An answer is valid when its CRC is right, it comes from one of `servos`, it holds the whole
    block and its input voltage is not 0. The last is how a servo that has restarted is told: its
    indirect map is gone, all its indirect data are 0, and no servo answers at 0 V.
    """
    rows = whole_fast_reply(reply, len(servos), BLOCK_SIZE) if fast else None
    if rows is not None:
        table = np.frombuffer(rows, _FAST_DTYPE)
        if table["id"].tobytes() == bytes(servos):
            return _all_answered(table)
    statuses = parse_fast_sync_read(reply, servos, BLOCK_SIZE) if fast else _separate(reply)
    answers = [statuses.get(servo) for servo in servos]
    blocks = [
        status.data if status and len(status.data) == BLOCK_SIZE else b"" for status in answers
    ]
    answered = np.array([status is not None for status in answers])
    error = np.array([status.error if status else 0 for status in answers], np.uint8)
    whole = np.array([bool(block) for block in blocks])
    block = np.frombuffer(b"".join(block or bytes(BLOCK_SIZE) for block in blocks), _BLOCK_DTYPE)
    lost = whole & (block["present_input_voltage"] == 0)
    return CycleReply(block, error, answered, whole & ~lost, lost)


def _all_answered(table: NDArray[np.void]) -> CycleReply:
    """The usual case, without a loop over servos: a row for each of them, as `_FAST_DTYPE`."""
    block = table["block"]
    lost = block["present_input_voltage"] == 0
    return CycleReply(block, table["error"], np.ones(len(table), bool), ~lost, lost)


def completed(reply: CycleReply, again: CycleReply) -> CycleReply:
    """A reply whose missing rows are filled from a second one, which has these rows, or all."""
    rows = np.flatnonzero(~reply.answered)
    chosen = rows if len(again.answered) == len(reply.answered) else slice(None)
    whole = CycleReply(*(getattr(reply, name).copy() for name in CycleReply.__slots__))
    for name in CycleReply.__slots__:
        getattr(whole, name)[rows] = getattr(again, name)[chosen]
    return whole


def is_complete(reply: bytes | bytearray, servos: int, *, fast: bool) -> bool:
    """The reply to the request is complete (by count of packets of its form, not by CRC)."""
    if len(reply) < reply_size(servos, fast=fast):
        return False
    return _packets_end(reply, 1 if fast else servos, common=fast)


def _packets_end(reply: bytes | bytearray, packets: int, *, common: bool) -> bool:
    """Follow the lengths of so many packets, which stuffing may have made longer: from single
    servos, or the `common` one of all. Others are late answers to earlier requests.
    """
    position = 0
    while packets:
        header = reply.find(HEADER, position)
        if header < 0 or header + 7 > len(reply):
            return False
        position = header + 7 + int.from_bytes(reply[header + 5 : header + 7], "little")
        packets -= (reply[header + 4] == BROADCAST) == common
    return position <= len(reply)


def _separate(reply: bytes) -> dict[int, Status]:
    """The status packets in a reply to Sync Read by ID; the first of each servo counts."""
    statuses: dict[int, Status] = {}
    for packet in StreamParser().feed(reply):
        status = as_status(packet)
        if status is not None:
            statuses.setdefault(status.id, status)
    return statuses
