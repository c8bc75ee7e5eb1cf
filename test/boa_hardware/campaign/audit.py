# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Was every torque that reached a servo commanded, fresh, armed and within limits? Judged from
the witness's list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boa_description.arrays import Array
from boa_description.robot import Limits
from test.boa_hardware.witness import SeenTorque

WIRE = 0.004  # s from the plant's decision to the servo's ear within one tick
ROUNDING = 1e-3  # N m, of the wire


@dataclass(frozen=True, slots=True, eq=False)
class Sent:
    """A command as the controller sent it, on the emulator's clock.

    Attributes:
        time: when, s.
        stamp: time of the frame that it answers, s.
        torque: shape (n_joints,), N m.
    """

    time: float
    stamp: float
    torque: Array


def audit(
    goals: Sequence[SeenTorque],
    commands: Sequence[Sent],
    armed_spans: Sequence[tuple[float, float]],
    limits: Limits,
    hold: float,
) -> tuple[str, ...]:
    """One line per torque that should not have arrived; at most five.

    A torque is right when some command of the controller allows it: not more, of the same sign, its
    stamp within the command age limit (plus the time that the bus thread may hold it, and one tick
    on the wire); when the robot was armed within that last time; and when it is within the torque
    limit.

    Args:
        goals: torque goals that reached the servos, as the witness saw them.
        commands: of the controller, in order of time.
        armed_spans: begin and end of each control tick in which the robot was armed, s.
        limits: of the robot.
        hold: s that the plant may go on sending a command, one tick included.
    """
    hold += WIRE
    oldest = limits.command_age + hold
    wrong: list[str] = []
    spans = np.array(armed_spans).reshape(-1, 2)
    times = np.array([command.time for command in commands])
    for seen in goals:
        if seen.torque == 0.0:
            continue
        what = f"{seen.torque:.3f} N m on joint {seen.joint + 1} at {seen.time:.4f} s"
        if abs(seen.torque) > limits.torque + ROUNDING:
            wrong.append(f"{what}: above the limit")
        first, last = np.searchsorted(times, (seen.time - oldest, seen.time))
        if not any(
            _allows(commands[index], seen.joint, seen.torque, seen.time - oldest)
            for index in range(last - 1, first - 1, -1)  # it mostly was the newest
        ):
            wrong.append(f"{what}: not commanded within {oldest:.3f} s")
        if not ((spans[:, 0] <= seen.time) & (seen.time <= spans[:, 1] + hold)).any():
            wrong.append(f"{what}: not armed")
    return tuple(wrong[:5])


def _allows(command: Sent, joint: int, torque: float, not_before: float) -> bool:
    if command.torque.ndim != 1 or len(command.torque) <= joint or command.stamp < not_before:
        return False
    commanded = float(command.torque[joint])
    return (
        np.isfinite(commanded)
        and commanded * torque > 0
        and abs(torque) <= abs(commanded) + ROUNDING
    )
