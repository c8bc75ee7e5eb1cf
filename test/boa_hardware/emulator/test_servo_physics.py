# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The single joint against closed forms."""

from __future__ import annotations

import math

import pytest

from test.boa_hardware.free_joint import FreeJoint, MotorConstants

MOTOR = MotorConstants()


def settle(joint: FreeJoint, current: float | None, seconds: float) -> None:
    joint.drive(current, 0.0)
    joint.state(seconds)


def test_stall_and_no_load_are_those_of_the_data_sheet() -> None:
    stalled = FreeJoint()
    stalled.locked = True
    settle(stalled, 10.0, 0.1)
    assert stalled.current == pytest.approx(2.4)
    assert stalled.current * MOTOR.torque_constant == pytest.approx(6.4)
    free = FreeJoint(coulomb=0.0, viscous=0.0)
    settle(free, 10.0, 20.0)
    assert free.velocity == pytest.approx(2 * math.pi, rel=1e-6)


def test_constant_current_gives_the_terminal_speed() -> None:
    joint = FreeJoint(coulomb=0.1, viscous=0.1)
    settle(joint, 0.15, 20.0)
    assert joint.velocity == pytest.approx((0.15 * MOTOR.torque_constant - 0.1) / 0.1, rel=1e-6)


def test_dry_friction_holds_and_stops() -> None:
    joint = FreeJoint(coulomb=0.1, viscous=0.0)
    settle(joint, 0.9 * 0.1 / MOTOR.torque_constant, 1.0)
    assert joint.velocity == 0.0
    joint.velocity = 1.0
    joint.drive(None, 1.0)
    state = joint.state(5.0)
    # v^2 = 2 (tau_c / J) s
    assert state.velocity == 0.0
    assert state.position - math.pi == pytest.approx(1.0 / (2 * 0.1 / 0.05), rel=0.01)


def test_coasting_conserves_speed_without_friction() -> None:
    joint = FreeJoint(coulomb=0.0, viscous=0.0)
    joint.velocity = 2.0
    settle(joint, None, 1.0)
    assert joint.velocity == 2.0
    assert joint.position == pytest.approx(math.pi + 2.0)


def test_heating_follows_the_first_order_law() -> None:
    joint = FreeJoint()
    joint.locked = True
    settle(joint, 1.0, 60.0)
    rise = MOTOR.thermal_resistance * MOTOR.resistance * 1.0**2
    assert joint.temperature - MOTOR.ambient == pytest.approx(rise * (1 - math.exp(-0.1)), rel=1e-4)
