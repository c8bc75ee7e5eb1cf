# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One instant of a live page. Needs nothing else of Boa: the viewer starts quickly."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boa_description.arrays import Array

Numbers = list[float | None]
ENCODER = json.JSONEncoder(separators=(",", ":"), check_circular=False, allow_nan=False)
POSE_DIGITS, TORQUE_DIGITS, FORCE_DIGITS, CONTACT_DIGITS = 5, 3, 2, 4  # after the decimal point
NOTHING = np.zeros(0)


def _nothing() -> Array:
    return NOTHING


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One instant of a run.

    Attributes:
        time: s since the first tick.
        pose: base as of `boa_description.link_frames` (x, y, heading of link 1; in space its
            position and quaternion) and the joint angles, m and rad.
        torque: applied, N m. delivered: true, what the gearboxes pass on, N m. joint_force: largest
            component at each joint, N. Empty where unknown.
        contacts: true ones, (m, 6): link, obstacle, x, y of the point (m), x, y of the force (N);
            in space (m, 8), with z each.
        estimates: (k, 7): link, obstacle (-1: not known), side, offset (m), force, its standard
            deviation and its reference (N).
        progress: m. speed: m/s. set_speed: m/s, None where it cannot be set.
        armed, paused: state. trouble: the latched fault, or empty.
        events: (time, text) since the last snapshot.
        realtime: simulated time per wall-clock time.
    """

    time: float
    pose: Array
    torque: Array = field(default_factory=_nothing)
    delivered: Array = field(default_factory=_nothing)
    joint_force: Array = field(default_factory=_nothing)
    contacts: Array = field(default_factory=_nothing)
    estimates: Array = field(default_factory=_nothing)
    progress: float | None = None
    speed: float | None = None
    set_speed: float | None = None
    armed: bool = False
    paused: bool = False
    trouble: str = ""
    events: Sequence[tuple[float, str]] = ()
    realtime: float | None = None

    def content(self) -> dict[str, Any]:
        """As plain JSON, rounded; None for what is not finite, which JSON does not know."""
        return {
            "kind": "snapshot",
            "time": round(self.time, 4),
            "pose": numbers(self.pose, POSE_DIGITS),
            "torque": numbers(self.torque, TORQUE_DIGITS),
            "delivered": numbers(self.delivered, TORQUE_DIGITS),
            "joint_force": numbers(self.joint_force, FORCE_DIGITS),
            "contacts": [numbers(row, CONTACT_DIGITS) for row in self.contacts],
            "estimates": [numbers(row, CONTACT_DIGITS) for row in self.estimates],
            "progress": number(self.progress),
            "speed": number(self.speed),
            "set_speed": number(self.set_speed),
            "armed": self.armed,
            "paused": self.paused,
            "trouble": self.trouble,
            "events": [(round(time, 4), text) for time, text in self.events],
            "realtime": number(self.realtime, 2),
        }


def encoded(content: Mapping[str, Any]) -> str:
    """JSON as text."""
    return ENCODER.encode(content)


def numbers(values: Array, digits: int) -> Numbers:
    """Rounded numbers of one row."""
    return [v if math.isfinite(v) else None for v in np.round(values, digits).tolist()]


def number(value: Any, digits: int = POSE_DIGITS) -> float | None:
    """One rounded number; None where there is none."""
    known = value is not None and math.isfinite(value)
    return round(float(value), digits) if known else None
