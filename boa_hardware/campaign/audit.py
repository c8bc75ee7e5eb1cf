"""Was every torque that reached a servo commanded, fresh, armed and within limits? Asked of the
witness's list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boa_description.arrays import Array

if TYPE_CHECKING:
    from boa_hardware.campaign.trial import Trial

WIRE = 0.004  # s from the plant's decision to the servo's ear within one tick
ROUNDING = 1e-3  # N m, of the wire


@dataclass(frozen=True, slots=True)
class Command:
    """What a controller commanded: when, in answer to the frame of which time (both s), and
    torques, N m.
    """

    time: float
    stamp: float
    torque: Array


def audit(trial: Trial) -> tuple[str, ...]:
    """One line per torque that should not have arrived; at most five.

    A torque is right when some command of the controller allows it: not more, of the same sign, its
    stamp within the command age limit (plus the time that the bus thread may hold it, and one tick
    on the wire); when the robot was armed within that last time; and when it is within the torque
    limit.
    """
    limits, settings = trial.robot.boa.robot.limits, trial.robot.boa.settings
    period = trial.robot.plant.control_period_ns * 1e-9
    hold = settings.command_hold + period + WIRE
    oldest = limits.command_age + hold
    wrong: list[str] = []
    commands, spans = trial.commands, np.array(trial.armed_spans).reshape(-1, 2)
    times = np.array([command.time for command in commands])
    for seen in trial.robot.boa.witness.seen:
        if seen.torque == 0.0:
            continue
        what = f"{seen.torque:.3f} N m on joint {seen.joint + 1} at {seen.time:.4f} s"
        if abs(seen.torque) > limits.torque + ROUNDING:
            wrong.append(f"{what}: above the limit")
        first, last = np.searchsorted(times, (seen.time - oldest, seen.time))
        if not any(
            _allows(commands[index], seen.joint, seen.torque, seen.time - oldest)
            for index in range(first, last)
        ):
            wrong.append(f"{what}: not commanded within {oldest:.3f} s")
        if not ((spans[:, 0] <= seen.time) & (seen.time <= spans[:, 1] + hold)).any():
            wrong.append(f"{what}: not armed")
    return tuple(wrong[:5])


def _allows(command: Command, joint: int, torque: float, not_before: float) -> bool:
    if command.torque.ndim != 1 or len(command.torque) <= joint or command.stamp < not_before:
        return False
    wanted = float(command.torque[joint])
    return np.isfinite(wanted) and wanted * torque > 0 and abs(torque) <= abs(wanted) + ROUNDING
