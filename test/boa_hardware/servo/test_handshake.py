# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Expected, found, missing, wrong."""

from __future__ import annotations

import pytest

from boa_hardware.emulator.servo_chain import ServoChain
from boa_hardware.servo.bringup import bring_up
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.eeprom import configure
from boa_hardware.servo.errors import BringUpError
from boa_hardware.servo.handshake import handshake, required_eeprom
from boa_hardware.servo.registers import HardwareError
from boa_hardware.servo.settings import ServoBusSettings
from test.boa_hardware.free_joint import free_chain
from test.boa_hardware.virtual_line import VirtualClock, VirtualLine


def test_all_right(bus: ServoBus) -> None:
    report = handshake(bus.link, bus.settings)
    assert report.ok
    assert report.fast_read
    assert (report.missing, dict(report.wrong)) == ((), {})
    report.require_ok()
    assert "found     1 2 3 4\n" in str(report)


def test_missing_servos_are_named(bus: ServoBus, chain: ServoChain) -> None:
    chain.servo(2).silent = True
    chain.servo(4).silent = True
    report = handshake(bus.link, bus.settings)
    assert report.missing == (2, 4)
    with pytest.raises(
        BringUpError, match=r"(?s)expected  1 2 3 4.*found     1 3.*missing   2 4.*check cable"
    ):
        report.require_ok()


def test_nobody_there_suggests_supply_and_baud_rate(bus: ServoBus, chain: ServoChain) -> None:
    for servo in chain.servos:
        servo.table["baud_rate"] = 3
    report = handshake(bus.link, bus.settings)
    assert report.missing == (1, 2, 3, 4)
    assert "24 V supply" in str(report)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("model_number", 1120, "model 1120 instead of 1150"),
        ("firmware_version", 37, "firmware 37 has no Bus Watchdog"),
        (
            "return_delay_time",
            250,
            "return_delay_time is 250 instead of 0; run `boa servo configure`, with your wiring as "
            "--settings",
        ),
        ("operating_mode", 3, "operating_mode is 3 instead of 0"),
        ("drive_mode", 8, "drive_mode is 8 instead of 0"),
        ("current_limit", 1188, "current_limit is 1188 instead of 892"),
        ("shutdown", 52, "shutdown is 52 instead of 61"),
        ("temperature_limit", 60, "temperature_limit is 60 instead of 80"),
        ("min_voltage_limit", 200, "min_voltage_limit is 200 instead of 110"),
        ("max_voltage_limit", 240, "max_voltage_limit is 240 instead of 300"),
        ("startup_configuration", 1, "startup_configuration is 1 instead of 0"),
        ("secondary_id", 5, "secondary_id is 5 instead of 255"),
        ("homing_offset", 100, "homing_offset is 100 instead of 0"),
    ],
)
def test_wrong_values_are_named_with_the_remedy(
    bus: ServoBus, chain: ServoChain, name: str, value: int, words: str
) -> None:
    chain.servo(3).table[name] = value
    report = handshake(bus.link, bus.settings)
    assert list(report.wrong) == [3]
    assert words in str(report)
    with pytest.raises(BringUpError):
        report.require_ok()


def test_pending_hardware_errors_are_named(bus: ServoBus, chain: ServoChain) -> None:
    chain.servo(1).trip(HardwareError.ELECTRICAL_SHOCK)
    text = str(handshake(bus.link, bus.settings))
    assert "servo 1: hardware error: electrical shock" in text
    assert "`boa servo reboot --id 1`" in text


@pytest.mark.parametrize("level", [0, 1])
def test_a_servo_that_answers_pings_only_is_not_missing(
    bus: ServoBus, chain: ServoChain, level: int
) -> None:
    """Level 1 answers reads as well, and every register it is asked for; only level 0 is seen."""
    chain.servo(2).table["status_return_level"] = level
    report = handshake(bus.link, bus.settings)
    assert report.missing == ()
    assert report.ok is (level == 1)
    if level == 0:
        assert "servo 2 answers pings but not the read" in str(report)
        assert "Status Return Level" in str(report)


def test_bring_up_and_configure_raise_the_status_return_level(
    bus: ServoBus, chain: ServoChain
) -> None:
    for servo in chain.servos:
        servo.table["status_return_level"] = 0
    assert bring_up(bus).ok
    chain.servo(1).table["status_return_level"] = 0
    assert configure(bus.link, 1, required_eeprom(bus.settings)) == []


def test_the_handshake_writes_nothing(bus: ServoBus, chain: ServoChain) -> None:
    before = [bytes(servo.table.memory[:64]) for servo in chain.servos]
    chain.servo(3).table["torque_enable"] = 1
    handshake(bus.link, bus.settings)
    assert chain.servo(3).torque_on
    assert [bytes(servo.table.memory[:64]) for servo in chain.servos] == before


def test_old_firmware_is_a_note_not_an_error(settings: ServoBusSettings) -> None:
    old = free_chain(settings, firmware=44)
    with (
        VirtualLine(old, None, VirtualClock()) as line,
        ServoBus("virtual", settings, line.host) as bus,
    ):
        report = handshake(bus.link, bus.settings)
    assert report.ok
    assert not report.fast_read
    assert "note: servos 1 2 3 4 have firmware below 45" in str(report)


def test_wanted_values_are_valid_and_safe(settings: ServoBusSettings) -> None:
    from boa_hardware.servo.registers import register

    wanted = required_eeprom(settings)
    for name, value in wanted.items():
        assert register(name).eeprom
        register(name).encode(value)
    assert wanted["current_limit"] * 2.69e-3 <= 2.4
    assert wanted["drive_mode"] & 0x08 == 0
