# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The motor current that operating mode and goals ask for."""

import math
from collections.abc import Callable

from boa_hardware.emulator.servo_physics import ServoState
from boa_hardware.emulator.servo_setup import ServoSetup
from boa_hardware.emulator.servo_table import ControlTable
from boa_hardware.servo.registers import (
    COUNTS_PER_TURN,
    CURRENT,
    CURRENT_CONTROL,
    POSITION,
    VELOCITY,
)


def goal_current(
    setup: ServoSetup,
    table: ControlTable,
    read_state: Callable[[], ServoState],
    turns: int,
    *,
    stopped: bool,
) -> float | None:
    """Motor current, A; None lets the joint coast. Modes other than current control are a plain law
    with the data sheet's stall current.

    Args:
        read_state: of the joint; current control does without.
        turns: whole turns that the servo has forgotten.
        stopped: by the Bus Watchdog.
    """
    mode, sign = setup.mode, setup.sign
    if mode == CURRENT_CONTROL:
        return None if stopped else sign * table["goal_current"] * CURRENT
    limit = table["goal_current" if mode == 5 else "current_limit"] * CURRENT
    state = read_state()
    if mode == 16:
        return 0.0 if stopped else sign * table["goal_pwm"] / 885 * limit
    goal_velocity = 0 if stopped else table["goal_velocity"]
    goal = 2.0 * (sign * goal_velocity * VELOCITY - state.velocity)
    if mode != 1 and not stopped:
        goal = 8.0 * _position_error(setup, table, state, turns) - 0.5 * state.velocity
    return min(max(goal, -limit), limit)


def present_count(setup: ServoSetup, state: ServoState, turns: int) -> int:
    """Value of the Present Position register; `turns` as of `goal_current`."""
    turned = math.floor(state.position / POSITION + 0.5) - turns * COUNTS_PER_TURN
    return setup.sign * turned + setup.homing_offset


def _position_error(setup: ServoSetup, table: ControlTable, state: ServoState, turns: int) -> float:
    """From the present position to the goal, rad."""
    return setup.sign * (table["goal_position"] - present_count(setup, state, turns)) * POSITION
