# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the emulated servo stops, against the e-manual: watchdog, hardware errors, supply, reboot."""

from __future__ import annotations

import math

import pytest

from boa_hardware.emulator.servo import BOOT_TIME, OVERLOAD_TIME
from boa_hardware.servo import protocol
from boa_hardware.servo.protocol import ALERT, ErrorCode
from boa_hardware.servo.registers import CURRENT, POSITION, HardwareError, indirect_address
from test.boa_hardware.emulator.servo_bench import ID, Bench


def test_bus_watchdog_trips_and_must_be_cleared() -> None:
    """e-manual, Bus Watchdog(98), example steps 1 to 8, in current mode."""
    bench = Bench()
    bench.current_mode(watchdog=5)
    assert bench.write("goal_current", 100) == 0
    bench.wait(0.098)
    assert bench.servo.table["bus_watchdog"] == 5
    assert bench.joint.current == pytest.approx(100 * CURRENT)
    bench.wait(0.006)
    assert bench.joint.current == 0.0
    assert bench.read("bus_watchdog") == -1
    assert bench.write("goal_current", 50) == ErrorCode.DATA_RANGE
    assert bench.write("led", 1) == 0
    assert bench.write("bus_watchdog", 0) == 0
    bench.wait(0.05)
    assert bench.joint.current == 0.0  # stays still until there is a new goal
    assert bench.write("goal_current", 50) == 0
    bench.wait(0.05)
    assert bench.joint.current == pytest.approx(50 * CURRENT)


def test_any_instruction_to_anyone_feeds_the_watchdog() -> None:
    bench = Bench()
    bench.current_mode(watchdog=1)
    for _ in range(20):
        bench.wait(0.018)
        assert bench.send(protocol.read(ID + 1, 132, 4)) is None
    assert bench.servo.table["bus_watchdog"] == 1


def test_the_watchdog_sleeps_without_torque() -> None:
    bench = Bench()
    bench.current_mode(watchdog=1)
    assert bench.write("torque_enable", 0) == 0
    bench.wait(1.0, step=0.01)
    assert bench.read("bus_watchdog") == 1


def test_firmware_37_has_no_watchdog() -> None:
    assert Bench(firmware=37).write("bus_watchdog", 5) == ErrorCode.ACCESS


def test_shutdown_clears_torque_and_only_a_reboot_helps() -> None:
    bench = Bench()
    bench.current_mode()
    bench.servo.trip(HardwareError.OVERLOAD)
    assert bench.read("torque_enable") == 0
    assert bench.answer(protocol.ping(ID)).alert
    assert bench.write("torque_enable", 1) & ~ALERT != 0
    assert bench.read("hardware_error_status") == HardwareError.OVERLOAD
    assert bench.send(protocol.reboot(ID)) is not None
    assert bench.send(protocol.ping(ID)) is None  # starting
    bench.wait(BOOT_TIME + 0.01)
    assert bench.read("hardware_error_status") == 0
    assert bench.write("torque_enable", 1) == 0


def test_errors_outside_the_shutdown_mask_only_alert() -> None:
    bench = Bench()  # factory mask 52: no input voltage
    bench.current_mode()
    bench.servo.trip(HardwareError.VOLTAGE)
    assert bench.read("torque_enable") == 1
    assert bench.answer(protocol.ping(ID)).alert


def test_overload_of_a_stalled_joint() -> None:
    bench = Bench()
    bench.current_mode()
    bench.joint.locked = True
    assert bench.write("goal_current", 892) == 0
    bench.wait(OVERLOAD_TIME - 0.1, step=0.02)
    assert bench.read("torque_enable") == 1
    bench.wait(0.2, step=0.02)
    assert (bench.read("torque_enable"), bench.read("hardware_error_status")) == (
        0,
        HardwareError.OVERLOAD,
    )


def test_overheating() -> None:
    bench = Bench()
    bench.current_mode()
    bench.joint.temperature = 80.9
    bench.wait(0.002)
    assert (bench.read("torque_enable"), bench.read("hardware_error_status")) == (
        0,
        HardwareError.OVERHEATING,
    )


def test_reboot_loses_ram_keeps_eeprom_and_forgets_turns() -> None:
    bench = Bench(eeprom={"return_delay_time": 0, "current_limit": 300})
    bench.joint.position = 2 * math.pi * 3 + 1.0
    assert bench.read("present_position") == round((2 * math.pi * 3 + 1.0) / POSITION)
    assert bench.write("bus_watchdog", 9) == 0
    assert bench.write("goal_current", 0) == 0
    bench.send(protocol.write(ID, indirect_address(1), (70).to_bytes(2, "little")))
    bench.send(protocol.reboot(ID))
    bench.wait(BOOT_TIME + 0.01)
    assert bench.read("present_position") == round(1.0 / POSITION)
    assert bench.read("bus_watchdog") == 0
    assert bench.read("goal_current") == 300
    assert bench.read("return_delay_time") == 0
    assert bench.read("indirect_address_1") == 224
    block = bench.send(protocol.read(ID, 224, 14))
    assert block is not None
    assert block.data == bytes(14)  # the trap: a position of 0 with a right CRC


def test_brown_out_is_a_reboot_for_as_long_as_it_lasts() -> None:
    bench = Bench()
    bench.current_mode(watchdog=5)
    assert bench.write("goal_current", 100) == 0
    bench.joint.voltage = 5.0
    bench.wait(0.05)
    assert bench.joint.current == 0.0
    assert bench.send(protocol.ping(ID)) is None
    bench.joint.voltage = 24.0
    bench.wait(BOOT_TIME - 0.05)
    assert bench.send(protocol.ping(ID)) is None
    bench.wait(0.1)
    assert (bench.read("torque_enable"), bench.read("bus_watchdog")) == (0, 0)
