# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bosch BNO055: registers to SI units, and whether the values can be true.

Source: data sheet BST-BNO055-DS000. The chip sends quaternions as w, x, y, z; ROS wants x, y, z, w.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import NamedTuple

from boa_description.robot import Block

FIRST_REGISTER = 0x08  # ACC_DATA_X_LSB
LAST_REGISTER = 0x35  # CALIB_STAT
BLOCK_SIZE = LAST_REGISTER - FIRST_REGISTER + 1
IMUPLUS, NDOF = 0x08, 0x0C  # operation modes; NDOF uses the magnetometer, which the servos disturb

DEGREE = 16.0  # LSB per deg and per deg/s
RADIAN = 900.0  # LSB per rad and per rad/s
METRE_PER_SECOND2 = 100.0
MILLI_G = 1e-3 * 9.80665  # m/s2 per LSB
MICROTESLA = 16.0
QUATERNION = 2.0**14

Triple = tuple[float, float, float]


class Quaternion(NamedTuple):
    """Orientation in the order of ROS."""

    x: float
    y: float
    z: float
    w: float

    @property
    def norm(self) -> float:
        """1 for an orientation."""
        return math.sqrt(sum(component**2 for component in self))

    @property
    def yaw(self) -> float:
        """Heading, rad, counter-clockwise positive seen from above."""
        x, y, z, w = self
        return math.atan2(2 * (w * z + x * y), 1 - 2 * (y**2 + z**2))


class Units(Block):
    """UNIT_SEL (0x3B): what the chip was told to send."""

    milli_g: bool = False
    radian_rate: bool = False
    radian_angle: bool = False

    @property
    def register(self) -> int:
        """Value of UNIT_SEL."""
        return self.milli_g | self.radian_rate << 1 | self.radian_angle << 2


UNITS_AT_RESET = Units()


@dataclass(frozen=True, slots=True)
class Bno055Reading:
    """One sample, SI units; the chip's own axes.

    Attributes:
        acceleration, linear_acceleration, gravity: m/s2.
        magnetic_field: T.
        rate: rad/s.
        euler: heading (clockwise positive, 0 to 2 pi), roll, pitch, rad.
        orientation: unit quaternion in the order of ROS.
        temperature: degC.
        calibration: system, gyroscope, accelerometer, magnetometer; 0 none to 3 full.
    """

    acceleration: Triple
    magnetic_field: Triple
    rate: Triple
    euler: Triple
    orientation: Quaternion
    linear_acceleration: Triple
    gravity: Triple
    temperature: int
    calibration: tuple[int, int, int, int]


def decode(block: bytes, units: Units = UNITS_AT_RESET) -> Bno055Reading:
    """Decode registers 0x08 to 0x35 as read in one transfer.

    Raises:
        ValueError: the block does not have 46 bytes.
    """
    if len(block) != BLOCK_SIZE:
        raise ValueError(f"BNO055: {len(block)} bytes, registers 0x08 to 0x35 are {BLOCK_SIZE}")
    words = struct.unpack("<22h", block[:44])
    temperature, calibration = struct.unpack("<bB", block[44:])
    acceleration = MILLI_G if units.milli_g else 1 / METRE_PER_SECOND2
    rate = 1 / RADIAN if units.radian_rate else math.radians(1 / DEGREE)
    angle = 1 / RADIAN if units.radian_angle else math.radians(1 / DEGREE)
    w, x, y, z = (word / QUATERNION for word in words[12:16])
    return Bno055Reading(
        acceleration=_scaled(words[0:3], acceleration),
        magnetic_field=_scaled(words[3:6], 1e-6 / MICROTESLA),
        rate=_scaled(words[6:9], rate),
        euler=_scaled(words[9:12], angle),
        orientation=Quaternion(x, y, z, w),
        linear_acceleration=_scaled(words[16:19], acceleration),
        gravity=_scaled(words[19:22], acceleration),
        temperature=temperature,
        calibration=(
            calibration >> 6 & 3,
            calibration >> 4 & 3,
            calibration >> 2 & 3,
            calibration & 3,
        ),
    )


def _scaled(words: tuple[int, ...], scale: float) -> Triple:
    x, y, z = words
    return x * scale, y * scale, z * scale


class Plausible(Block):
    """Ranges of a BNO055 in a fusion mode (data sheet), with room for rounding."""

    acceleration: float = 4 * 9.80665 * 1.01
    # x and y; z reaches 2500 uT, far above the earth's field anyway
    magnetic_field: float = 1300e-6 * 1.01
    rate: float = math.radians(2000) * 1.001
    gravity: float = 9.80665
    # the fusion makes a vector of constant length, rounded to 0.01 per axis
    gravity_tolerance: float = 0.05
    norm_tolerance: float = 0.02


RANGES = Plausible()


def implausible(reading: Bno055Reading, limits: Plausible = RANGES) -> tuple[str, ...]:
    """Names of the quantities that cannot be true; a wrong word on the chip's bus shows up here."""
    turn = 2 * math.pi * 1.001
    norm = math.sqrt(sum(component**2 for component in reading.gravity))
    checks = {
        "acceleration": max(map(abs, reading.acceleration)) <= limits.acceleration,
        "magnetic_field": max(map(abs, reading.magnetic_field)) <= limits.magnetic_field,
        "rate": max(map(abs, reading.rate)) <= limits.rate,
        "euler": -0.001 <= reading.euler[0] <= turn
        and max(map(abs, reading.euler[1:])) <= turn / 2,
        "orientation": abs(reading.orientation.norm - 1) <= limits.norm_tolerance,
        "linear_acceleration": max(map(abs, reading.linear_acceleration))
        <= limits.acceleration + limits.gravity,
        "gravity": abs(norm - limits.gravity) <= limits.gravity_tolerance,
    }
    return tuple(name for name, good in checks.items() if not good)
