# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Registers that a servo reads in every cycle, put together once per change of its table."""

from __future__ import annotations

from dataclasses import dataclass

from boa_hardware.emulator.servo_table import ControlTable
from boa_hardware.servo.protocol import ALERT
from boa_hardware.servo.registers import BAUD_RATES, WATCHDOG_TICK

REVERSE = 0x01  # bit of Drive Mode


@dataclass(frozen=True, slots=True)
class ServoSetup:
    """Names are those of the registers; bits, counts and units are resolved.

    Attributes:
        version: of the table they were read from.
        baud: bit/s. return_delay, watchdog: s; 0 switches the watchdog off.
        sign: -1 where Drive Mode reverses the direction.
        alert: bit of the error byte in every status packet.
    """

    version: int
    id: int
    baud: int
    mode: int
    sign: int
    torque_on: bool
    alert: int
    return_delay: float
    watchdog: float
    temperature_limit: int
    voltage_limits: tuple[int, int]
    homing_offset: int
    moving_threshold: int

    @classmethod
    def of(cls, table: ControlTable) -> ServoSetup:
        """The present values of a table."""
        count = table["bus_watchdog"]
        return cls(
            version=table.version,
            id=table["id"],
            baud=BAUD_RATES[table["baud_rate"]],
            mode=table["operating_mode"],
            sign=-1 if table["drive_mode"] & REVERSE else 1,
            torque_on=bool(table["torque_enable"]),
            alert=ALERT if table["hardware_error_status"] else 0,
            return_delay=table["return_delay_time"] * 2e-6,
            watchdog=max(count, 0) * WATCHDOG_TICK,
            temperature_limit=table["temperature_limit"],
            voltage_limits=(table["min_voltage_limit"], table["max_voltage_limit"]),
            homing_offset=table["homing_offset"],
            moving_threshold=table["moving_threshold"],
        )
