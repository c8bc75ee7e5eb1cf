# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults of controller, plant process, clock and operator."""

from __future__ import annotations

from test.boa_hardware.campaign.inject import (
    clock_steps,
    commands,
    controller_dies,
    one_nan,
    operator_disarms,
    owner_hangs,
    process_dies,
)
from test.boa_hardware.campaign.trial import Case

COMPUTER_CASES: tuple[Case, ...] = (
    # controller and computer
    Case(
        "controller killed",
        "no more commands",
        act=controller_dies,
        fault="command_lost",
        within=0.07,
        duration=0.8,
    ),
    Case(
        "command not a number",
        "NaN for joint 4",
        act=commands(one_nan),
        fault="command_not_finite",
        within=0.03,
    ),
    Case(
        "command too short",
        "11 torques for 12 joints",
        act=commands(lambda torque, stamp: (torque[:-1], stamp)),
        fault="command_shape",
        within=0.03,
    ),
    Case(
        "command too large",
        "20 times the torque",
        act=commands(lambda torque, stamp: (20 * torque, stamp)),
        fault="above its range",
        within=0.15,
    ),
    Case(
        "commands 20 ms old",
        "each command answers a frame of 20 ms ago",
        act=commands(lambda torque, stamp: (torque, stamp - 20_000_000)),
        stops=False,
    ),
    Case(
        "commands 80 ms old",
        "each command answers a frame of 80 ms ago",
        act=commands(lambda torque, stamp: (torque, stamp - 80_000_000)),
        fault="answers come, but 0.08",
        within=0.07,
        duration=0.8,
    ),
    Case(
        "commands from the future",
        "stamps 1 s ahead",
        act=commands(lambda torque, stamp: (torque, stamp + 1_000_000_000)),
        fault="answers come, but their stamps are",
        within=0.07,
        duration=0.8,
    ),
    Case(
        "plant loop hangs",
        "the plant's owner stops, its bus thread goes on",
        act=owner_hangs,
        within=0.07,
        heals=False,
    ),
    Case(
        "plant process killed",
        "nothing is sent any more",
        act=process_dies,
        within=0.13,
        heals=False,
    ),
    Case("clock steps forward", "wall clock + 1 h", act=clock_steps(3600.0), stops=False),
    Case("clock steps back", "wall clock - 1 h", act=clock_steps(-3600.0), stops=False),
    Case("disarmed by the operator", "~/disarm", act=operator_disarms, within=0.02, heals=False),
)
