# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""CEVA BNO085 (BNO08X): SHTP cargo with SH-2 input reports to SI units.

Sources: SH-2 Reference Manual (input reports, Q points), BNO08X data sheet (report 0x05: i, j, k,
real). Fixed point: value = word / 2^Q.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from bno055 import Quaternion

HEADER_SIZE = 4
CHANNEL_REPORTS = 3
TIMEBASE, REBASE = 0xFB, 0xFA
DELAY_STEP = 1e-4  # s


@dataclass(frozen=True, slots=True)
class ReportKind:
    """One SH-2 input report: its name, number of 16 bit words of data and their Q points."""

    name: str
    q_points: tuple[int, ...]

    @property
    def size(self) -> int:
        """Bytes of the whole report: id, sequence, status, delay, data."""
        return 4 + 2 * len(self.q_points)


REPORTS: dict[int, ReportKind] = {
    0x01: ReportKind("acceleration", (8, 8, 8)),  # m/s2
    0x02: ReportKind("rate", (9, 9, 9)),  # rad/s
    0x03: ReportKind("magnetic_field", (4, 4, 4)),  # uT
    0x04: ReportKind("linear_acceleration", (8, 8, 8)),
    0x05: ReportKind("rotation_vector", (14, 14, 14, 14, 12)),  # i, j, k, real, accuracy in rad
    0x06: ReportKind("gravity", (8, 8, 8)),
    # without magnetometer: relative yaw
    0x08: ReportKind("game_rotation_vector", (14, 14, 14, 14)),
}


@dataclass(frozen=True, slots=True)
class Report:
    """One decoded input report.

    Attributes:
        kind: as in `REPORTS`.
        sequence: counts up with each report of this kind, modulo 256.
        accuracy: 0 unreliable to 3 high.
        delay: s between the cargo's time base and the sample.
        values: in the report's order and SI units (magnetic field in T).
    """

    kind: str
    sequence: int
    accuracy: int
    delay: float
    values: tuple[float, ...]

    @property
    def orientation(self) -> Quaternion:
        """The rotation vector as a quaternion in the order of ROS.

        Raises:
            ValueError: the report holds no rotation vector.
        """
        if not self.kind.endswith("rotation_vector"):
            raise ValueError(f"BNO085: a report of {self.kind} holds no orientation")
        return Quaternion(*self.values[:4])  # i, j, k, real is x, y, z, w


class MalformedCargoError(ValueError):
    """The bytes are no whole SHTP cargo with known reports."""


def decode_cargo(cargo: bytes) -> tuple[Report, ...]:
    """Decode one SHTP transfer from the channel of input reports.

    Raises:
        MalformedCargoError: wrong length or channel, or an unknown or truncated report.
    """
    if len(cargo) < HEADER_SIZE:
        raise MalformedCargoError(f"BNO085: {len(cargo)} bytes, an SHTP header has {HEADER_SIZE}")
    length, channel, _ = struct.unpack("<HBB", cargo[:HEADER_SIZE])
    if length & 0x8000:
        raise MalformedCargoError("BNO085: this transfer continues an earlier one; join them first")
    if length != len(cargo):
        raise MalformedCargoError(f"BNO085: the header says {length} bytes, {len(cargo)} were read")
    if channel != CHANNEL_REPORTS:
        raise MalformedCargoError(
            f"BNO085: channel {channel}; input reports come on channel {CHANNEL_REPORTS}"
        )
    return tuple(_reports(cargo[HEADER_SIZE:]))


def _reports(data: bytes) -> Iterator[Report]:
    base = 0.0
    while data:
        identifier = data[0]
        if identifier in (TIMEBASE, REBASE):
            if len(data) < 5:
                raise MalformedCargoError("BNO085: truncated time base")
            (ticks,) = struct.unpack("<i", data[1:5])
            base = (-ticks if identifier == TIMEBASE else base / DELAY_STEP + ticks) * DELAY_STEP
            data = data[5:]
            continue
        kind = REPORTS.get(identifier)
        if kind is None:
            raise MalformedCargoError(f"BNO085: unknown report 0x{identifier:02X}")
        if len(data) < kind.size:
            raise MalformedCargoError(f"BNO085: truncated report of {kind.name}")
        yield _report(kind, data[: kind.size], base)
        data = data[kind.size :]


def _report(kind: ReportKind, data: bytes, base: float) -> Report:
    _, sequence, status, delay_low = struct.unpack("<BBBB", data[:4])
    words = struct.unpack(f"<{len(kind.q_points)}h", data[4:])
    scale = 1e-6 if kind.name == "magnetic_field" else 1.0
    values = tuple(word / 2**q * scale for word, q in zip(words, kind.q_points, strict=True))
    delay = base + ((status >> 2) << 8 | delay_low) * DELAY_STEP
    return Report(kind.name, sequence, status & 3, delay, values)
