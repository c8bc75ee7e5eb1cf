# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Three joints behind the torque gate: limits, frames and single ticks for its tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from boa_control.plant import ForceSample, SensorFrame
from boa_control.safety.command import Command
from boa_control.safety.gate import GateDecision, GateSettings, GateState, gate
from boa_description.arrays import Array
from boa_description.robot import Limits

MS = 1_000_000
NOW = 5_000 * MS
LIMITS = Limits(
    torque=7.0,
    torque_rate=500.0,
    joint_margin=0.2,
    velocity=6.0,
    joint_force_warn=45.0,
    joint_force_fault=50.0,
    temperature_warn=70.0,
    temperature_fault=75.0,
    command_age=0.05,
    sensor_age=0.03,
)
SETTINGS = GateSettings(
    LIMITS, lower=-1.5, upper=1.2, joint_names=("joint_01", "joint_02", "joint_03"), period=0.002
)
STEP = 500.0 * 0.002  # N m: what the rate limit allows per tick
SWEEP = [round(0.1 * k, 1) for k in range(16)]  # shares of a limit


def frame(**changes: Any) -> SensorFrame:
    """At rest, unloaded and fresh, but for `changes`."""
    base = SensorFrame(
        stamp_ns=NOW,
        position=np.zeros(3),
        velocity=np.zeros(3),
        effort=np.zeros(3),
        joint_force=ForceSample(NOW, np.zeros((3, 3))),
        imu=None,
        temperature=np.full(3, 30.0),
        joint_age=np.zeros(3),
    )
    return base._replace(**changes)


def forces(joint: int, axis: int, value: float) -> ForceSample:
    """A single force component, N."""
    force = np.zeros((3, 3))
    force[joint, axis] = value
    return ForceSample(NOW, force)


def armed(last: float | Array = 0.0) -> GateState:
    """Armed, with the output of the tick before; set to the wish, it takes the rate limit out of
    the game.
    """
    return GateState(armed=True, torque=np.broadcast_to(np.asarray(last, float), (3,)).copy())


def gated(
    torque: float | Array, state: GateState, seen: SensorFrame | None = None, age_ms: float = 0.0
) -> tuple[GateState, GateDecision]:
    """One tick of the gate with a command of `torque`, N m, that is `age_ms` old."""
    command = Command(
        np.broadcast_to(np.asarray(torque, float), (3,)).copy(), NOW - round(age_ms * MS)
    )
    return gate(state, seen or frame(), command, NOW, SETTINGS)
