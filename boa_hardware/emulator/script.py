# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fault scripts of the emulated robot: one YAML file with what goes wrong, where and when.

    servo_line:  {- kind, where, rate, delay, start, stop}   packets lost, corrupted, delayed,
    duplicated; unplugged
    servos:      {- kind, id, start, stop, amount}           silent, overload, overheat, encoder,
    brown_out, restart, torque_off, watchdog_off, pwm_zero
    spine:       {- kind, link, frame, rate, start, stop, amount}   see
    boa_hardware.emulator.spine_faults

Times are seconds since the emulator's start.
"""

from typing import Literal

from pydantic import Field

from boa_description.robot import Block
from boa_hardware.emulator.servo_faults import LineFault
from boa_hardware.emulator.spine_faults import SpineFault, Timed
from boa_hardware.servo.protocol import MAX_ID


class ServoFaultEntry(Timed):
    """A fault of one servo, or of all without `id`."""

    kind: Literal[
        "silent",
        "overload",
        "overheat",
        "encoder",
        "brown_out",
        "restart",
        # registers that another program writes
        "torque_off",
        "watchdog_off",
        "pwm_zero",
    ]
    id: int | None = Field(default=None, ge=0, le=MAX_ID)
    amount: float | None = Field(
        default=None, description="degC for overheat (85), V for brown_out (5)"
    )


class FaultScript(Block):
    """Everything that goes wrong in one run."""

    servo_line: tuple[LineFault, ...] = ()
    servos: tuple[ServoFaultEntry, ...] = ()
    spine: tuple[SpineFault, ...] = ()
