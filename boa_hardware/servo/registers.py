# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The control table of the Dynamixel XH540-V150-R as data.

Source: ROBOTIS e-manual, XH540-V150-R, control tables of the EEPROM and the RAM area. Values are
little-endian, signed ones two's complement. EEPROM can be written only while Torque Enable is 0;
RAM is lost at power-off and at a REBOOT instruction.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntFlag
from types import MappingProxyType
from typing import Literal

from boa_description.errors import BoaError, unknown_name

MODEL_NUMBER = 1150
MODEL_NAME = "XH540-V150-R"
FIRMWARE_FAST_READ = 45  # Fast Sync Read and Fast Bulk Read
FIRMWARE_BACKUP = 45  # Control Table Backup
FIRMWARE_WATCHDOG = 38  # Bus Watchdog
EEPROM_END = 64  # first address of the RAM area
TABLE_SIZE = 662
COUNTS_PER_TURN = 4096

CURRENT = 2.69e-3  # A per count
VELOCITY = 0.229 * 2 * math.pi / 60  # rad/s per count
POSITION = 2 * math.pi / COUNTS_PER_TURN  # rad per count
VOLTAGE = 0.1  # V per count
PWM = 0.113e-2  # duty per count
PWM_FULL = 885  # counts of Goal PWM and PWM Limit: 100 %
ACCELERATION = 214.577 * 2 * math.pi / 3600  # rad/s2 per count
WATCHDOG_TICK = 0.02  # s per count of Bus Watchdog
WATCHDOG_TRIPPED = -1

CURRENT_CONTROL = 0  # Operating Mode: Goal Current alone drives the motor
POSITION_CONTROL = 3  # Operating Mode after a factory reset

# Baud Rate register -> bit/s
BAUD_RATES: Mapping[int, int] = MappingProxyType(
    {
        0: 9_600,
        1: 57_600,
        2: 115_200,
        3: 1_000_000,
        4: 2_000_000,
        5: 3_000_000,
        6: 4_000_000,
        7: 4_500_000,
    }
)


class HardwareError(IntFlag):
    """Bits of Hardware Error Status and of Shutdown."""

    VOLTAGE = 0x01
    OVERHEATING = 0x04
    ENCODER = 0x08
    ELECTRICAL_SHOCK = 0x10
    OVERLOAD = 0x20


@dataclass(frozen=True, slots=True)
class Register:
    """One entry of the control table.

    Attributes:
        name: in snake case, as in the e-manual.
        address, size: first byte and number of bytes.
        access: "R" read only, "RW" writable.
        default: value after a factory reset (EEPROM) or a start (RAM); None where the servo
            computes it.
        minimum, maximum: valid raw range; None where the e-manual gives none.
        unit: SI unit of `scale`, "" for codes and counts of nothing.
        scale: SI value of one count.
        signed: two's complement.
        limited_by: EEPROM register whose value bounds the magnitude, "" for none.
    """

    name: str
    address: int
    size: int
    access: Literal["R", "RW"] = "RW"
    default: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    unit: str = ""
    scale: float = 1.0
    signed: bool = False
    limited_by: str = ""

    @property
    def end(self) -> int:
        """First address behind the register."""
        return self.address + self.size

    @property
    def eeprom(self) -> bool:
        """Kept without power; writable only while Torque Enable is 0."""
        return self.address < EEPROM_END

    @property
    def writable(self) -> bool:
        """The e-manual lists the register as RW."""
        return self.access == "RW"

    def decode(self, data: bytes | bytearray | memoryview) -> int:
        """Raw value of `size` bytes as they come from the bus."""
        return int.from_bytes(data, "little", signed=self.signed)

    def encode(self, raw: int) -> bytes:
        """Bytes of a raw value.

        Raises:
            BoaError: `raw` is outside the register's range.
        """
        low, high = self.limits
        if not low <= raw <= high:
            raise BoaError(
                f"register {self.name} ({self.address}): {raw} is outside {low} to {high}"
            )
        return raw.to_bytes(self.size, "little", signed=self.signed)

    @property
    def limits(self) -> tuple[int, int]:
        """Smallest and largest raw value: the e-manual's range, else what fits into the bytes."""
        bits = 8 * self.size
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if self.signed else (0, (1 << bits) - 1)
        return (
            low if self.minimum is None else self.minimum,
            high if self.maximum is None else self.maximum,
        )

    def to_si(self, raw: int) -> float:
        """SI value of a raw value."""
        return raw * self.scale


_R: Literal["R"] = "R"
_RW: Literal["RW"] = "RW"
_GAIN = 16_383

EEPROM_REGISTERS = (
    Register("model_number", 0, 2, _R, MODEL_NUMBER),
    Register("model_information", 2, 4, _R),
    Register("firmware_version", 6, 1, _R),
    Register("id", 7, 1, _RW, 1, 0, 252),
    Register("baud_rate", 8, 1, _RW, 1, 0, 7),
    Register("return_delay_time", 9, 1, _RW, 250, 0, 254, "s", 2e-6),
    Register("drive_mode", 10, 1, _RW, 0, 0, 15),
    Register("operating_mode", 11, 1, _RW, POSITION_CONTROL, 0, 16),
    Register("secondary_id", 12, 1, _RW, 255, 0, 255),
    Register("protocol_type", 13, 1, _RW, 2, 1, 2),
    Register("homing_offset", 20, 4, _RW, 0, -1_044_479, 1_044_479, "rad", POSITION, signed=True),
    Register("moving_threshold", 24, 4, _RW, 10, 0, 1_023, "rad/s", VELOCITY),
    Register("temperature_limit", 31, 1, _RW, 80, 0, 100, "degC"),
    Register("max_voltage_limit", 32, 2, _RW, 300, 110, 300, "V", VOLTAGE),
    Register("min_voltage_limit", 34, 2, _RW, 110, 110, 300, "V", VOLTAGE),
    Register("pwm_limit", 36, 2, _RW, PWM_FULL, 0, PWM_FULL, "1", PWM),
    Register("current_limit", 38, 2, _RW, 1_188, 0, 1_188, "A", CURRENT),
    Register("velocity_limit", 44, 4, _RW, 230, 0, 1_023, "rad/s", VELOCITY),
    Register("max_position_limit", 48, 4, _RW, 4_095, 0, 4_095, "rad", POSITION),
    Register("min_position_limit", 52, 4, _RW, 0, 0, 4_095, "rad", POSITION),
    Register("external_port_mode_1", 56, 1, _RW, 3, 0, 3),
    Register("external_port_mode_2", 57, 1, _RW, 3, 0, 3),
    Register("external_port_mode_3", 58, 1, _RW, 3, 0, 3),
    Register("startup_configuration", 60, 1, _RW, 0, 0, 3),
    Register("shutdown", 63, 1, _RW, 52, 0, 63),
)

RAM_REGISTERS = (
    Register("torque_enable", 64, 1, _RW, 0, 0, 1),
    Register("led", 65, 1, _RW, 0, 0, 1),
    Register("status_return_level", 68, 1, _RW, 2, 0, 2),
    Register("registered_instruction", 69, 1, _R, 0, 0, 1),
    Register("hardware_error_status", 70, 1, _R, 0),
    Register("velocity_i_gain", 76, 2, _RW, 1_920, 0, _GAIN),
    Register("velocity_p_gain", 78, 2, _RW, 100, 0, _GAIN),
    Register("position_d_gain", 80, 2, _RW, 0, 0, _GAIN),
    Register("position_i_gain", 82, 2, _RW, 0, 0, _GAIN),
    Register("position_p_gain", 84, 2, _RW, 800, 0, _GAIN),
    Register("feedforward_2nd_gain", 88, 2, _RW, 0, 0, _GAIN),
    Register("feedforward_1st_gain", 90, 2, _RW, 0, 0, _GAIN),
    Register("bus_watchdog", 98, 1, _RW, 0, WATCHDOG_TRIPPED, 127, "s", WATCHDOG_TICK, signed=True),
    Register(
        "goal_pwm", 100, 2, _RW, None, -885, 885, "1", PWM, signed=True, limited_by="pwm_limit"
    ),
    Register(
        "goal_current",
        102,
        2,
        _RW,
        None,
        -1_188,
        1_188,
        "A",
        CURRENT,
        signed=True,
        limited_by="current_limit",
    ),
    Register(
        "goal_velocity",
        104,
        4,
        _RW,
        None,
        -1_023,
        1_023,
        "rad/s",
        VELOCITY,
        signed=True,
        limited_by="velocity_limit",
    ),
    Register("profile_acceleration", 108, 4, _RW, 0, 0, 32_767, "rad/s2", ACCELERATION),
    Register("profile_velocity", 112, 4, _RW, 0, 0, 32_767, "rad/s", VELOCITY),
    Register(
        "goal_position", 116, 4, _RW, None, -1_048_575, 1_048_575, "rad", POSITION, signed=True
    ),
    Register("realtime_tick", 120, 2, _R, None, 0, 32_767, "s", 1e-3),
    Register("moving", 122, 1, _R, 0, 0, 1),
    Register("moving_status", 123, 1, _R, 0),
    Register("present_pwm", 124, 2, _R, unit="1", scale=PWM, signed=True),
    Register("present_current", 126, 2, _R, unit="A", scale=CURRENT, signed=True),
    Register("present_velocity", 128, 4, _R, unit="rad/s", scale=VELOCITY, signed=True),
    Register("present_position", 132, 4, _R, unit="rad", scale=POSITION, signed=True),
    Register("velocity_trajectory", 136, 4, _R, unit="rad/s", scale=VELOCITY, signed=True),
    Register("position_trajectory", 140, 4, _R, unit="rad", scale=POSITION, signed=True),
    Register("present_input_voltage", 144, 2, _R, unit="V", scale=VOLTAGE),
    Register("present_temperature", 146, 1, _R, unit="degC"),
    Register("backup_ready", 147, 1, _R, 0, 0, 1),
    Register("external_port_data_1", 152, 2),
    Register("external_port_data_2", 154, 2),
    Register("external_port_data_3", 156, 2),
)

INDIRECT_SLOTS = 56
_INDIRECT_BLOCK = 28  # slots 1..28 and 29..56 lie in two separate address ranges


def indirect_address(slot: int) -> int:
    """Address of the two-byte register Indirect Address `slot`, 1 to 56."""
    return (
        168 + 2 * (slot - 1) if slot <= _INDIRECT_BLOCK else 578 + 2 * (slot - 1 - _INDIRECT_BLOCK)
    )


def indirect_data(slot: int) -> int:
    """Address of the byte Indirect Data `slot`, 1 to 56."""
    return 224 + slot - 1 if slot <= _INDIRECT_BLOCK else 634 + slot - 1 - _INDIRECT_BLOCK


INDIRECT_REGISTERS = tuple(
    register
    for slot in range(1, INDIRECT_SLOTS + 1)
    for register in (
        Register(
            f"indirect_address_{slot}",
            indirect_address(slot),
            2,
            _RW,
            indirect_data(slot),
            EEPROM_END,
            TABLE_SIZE - 1,
        ),
        Register(f"indirect_data_{slot}", indirect_data(slot), 1, _RW, 0),
    )
)

REGISTERS: Mapping[str, Register] = MappingProxyType(
    {register.name: register for register in EEPROM_REGISTERS + RAM_REGISTERS + INDIRECT_REGISTERS}
)


def register(name: str) -> Register:
    """The register called `name`.

    Raises:
        BoaError: no such register; names the nearest one.
    """
    try:
        return REGISTERS[name]
    except KeyError:
        plain = [known for known in REGISTERS if not known.startswith("indirect_")]
        raise unknown_name("register", name, plain, MODEL_NAME) from None


def baud_code(baud: int) -> int:
    """Value of the Baud Rate register for `baud`, bit/s.

    Raises:
        BoaError: the servo does not know this rate.
    """
    for code, rate in BAUD_RATES.items():
        if rate == baud:
            return code
    raise BoaError(f"baud rate {baud}: {MODEL_NAME} has {', '.join(map(str, BAUD_RATES.values()))}")


def describe_hardware_error(status: int) -> str:
    """Bits of Hardware Error Status in words, e.g. "overload, overheating"; "none" for 0."""
    known = [
        flag.name.lower().replace("_", " ") for flag in HardwareError if status & flag and flag.name
    ]
    unknown = status & ~sum(HardwareError)
    return ", ".join(known + ([f"unknown bits 0x{unknown:02X}"] if unknown else [])) or "none"
