# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One control tick of a run: what was measured, answered, applied and true."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from boa_control.controller import ControlOutput
from boa_control.plant import GroundTruth, SensorFrame
from boa_control.safety.trips import Trip
from boa_description.arrays import Array


class Tick(NamedTuple):
    """One control tick.

    Attributes:
        frame: what the robot measured.
        output: the controller's answer to it.
        applied: shape (n_joints,), torque that passed the gate, N m.
        truth: of the time of `frame`; None on a robot.
        trips: protective events of the gate that began at this tick.
        control_step_us: duration of the controller's step; NaN where unknown.
        wall_s: wall-clock time since the first tick; NaN where unknown.
    """

    frame: SensorFrame
    output: ControlOutput
    applied: Array
    truth: GroundTruth | None = None
    trips: tuple[Trip, ...] = ()
    control_step_us: float = float("nan")
    wall_s: float = float("nan")


class Watcher(Protocol):
    """Sees every tick of a run as soon as it is over: a live view."""

    def add(self, tick: Tick) -> None:
        """See one tick."""
