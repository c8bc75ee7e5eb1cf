# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emulated servo's operating modes and goals against the e-manual."""

from __future__ import annotations

import math

from test.boa_hardware.emulator.servo_bench import Bench


def test_start_and_change_of_mode_set_goal_current_to_the_limit() -> None:
    bench = Bench(eeprom={"current_limit": 300})
    assert bench.read("goal_current") == 300  # as after power-up
    assert bench.write("goal_current", 0) == 0
    assert bench.write("operating_mode", 0) == 0
    assert bench.read("goal_current") == 300  # the trap: torque on now would be full current
    assert bench.write("goal_current", 0) == 0
    assert bench.write("operating_mode", 0) == 0  # no change, no reset
    assert bench.read("goal_current") == 0


def test_forgetting_the_trap_drives_at_full_current() -> None:
    bench = Bench(eeprom={"operating_mode": 0})
    assert bench.write("torque_enable", 1) == 0
    bench.wait(0.01)
    assert bench.joint.current > 1.0


def test_startup_configuration_may_switch_torque_on() -> None:
    bench = Bench(eeprom={"startup_configuration": 1})
    assert bench.read("torque_enable") == 1


def test_torque_by_goal_update() -> None:
    bench = Bench(eeprom={"drive_mode": 0x08, "operating_mode": 0})
    assert bench.write("goal_current", 1) == 0
    assert bench.read("torque_enable") == 1


def test_reverse_mode_turns_position_velocity_and_current() -> None:
    plain, reverse = Bench(), Bench(eeprom={"drive_mode": 0x01})
    for bench in (plain, reverse):
        bench.current_mode()
        assert bench.write("goal_current", 200) == 0
        bench.wait(0.1)
    assert plain.joint.position > math.pi > reverse.joint.position
    for name in ("present_current", "present_velocity"):
        assert plain.read(name) == reverse.read(name) > 0


def test_homing_offset_adds_to_the_position() -> None:
    assert Bench(eeprom={"homing_offset": -100}).read("present_position") == 1948


def test_position_mode_holds_the_goal() -> None:
    bench = Bench()
    assert bench.write("torque_enable", 1) == 0
    assert bench.read("goal_position") == 2048  # where it was
    assert bench.write("goal_position", 2500) == 0
    bench.wait(3.0)
    assert abs(bench.read("present_position") - 2500) < 25


def test_velocity_mode_follows_the_goal() -> None:
    bench = Bench()
    assert bench.write("operating_mode", 1) == 0
    assert bench.write("torque_enable", 1) == 0
    assert bench.write("goal_velocity", 100) == 0
    bench.wait(1.0)
    assert 85 < bench.read("present_velocity") <= 100
