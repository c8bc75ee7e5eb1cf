# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Small things that several controllers share."""

from collections.abc import Sequence

import numpy as np

from boa_control.controllers.gaits import AnyGait, Hold, Wave
from boa_control.controllers.space_gaits import SpaceGait
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Robot


def per_joint(value: float | Sequence[float], joints: int, where: str) -> Array:
    """One value for every joint, or the given ones, shape (joints,).

    Raises:
        BoaError: a list of another length.
    """
    values = np.asarray(value, float)
    if values.ndim == 0:
        return np.full(joints, float(values))
    if values.shape != (joints,):
        raise BoaError(
            f"{where}: {values.size} values given, the robot has {joints} joints; give one or "
            f"{joints}"
        )
    return values


def check_gait(gait: AnyGait, robot: Robot, where: str) -> None:
    """Refuse a gait that does not fit the robot: a wrong number of angles, amplitudes or phases, or
    a gait that lifts the body where no joint does. Raises BoaError.
    """
    if isinstance(gait, Wave):
        for name in ("amplitudes", "phases"):
            if (values := getattr(gait, name)) is not None:
                per_joint(values, robot.joints, f"{where}: {name}")
    if isinstance(gait, Hold) and gait.target is not None:
        per_joint(gait.target, robot.joints, f"{where}: target")
    if isinstance(gait, SpaceGait):
        pitch = len(robot.pitch_joints)
        if not pitch:
            raise BoaError(
                f"{where}: {gait.kind} needs joints that lift, and robot {robot.name} has "
                "joint.axes: yaw; choose one with alternating axes (cobra12)"
            )
        for name, value, fewer, or_one in gait.lists:
            if isinstance(value, tuple) and len(value) != pitch - fewer:
                raise BoaError(
                    f"{where}: {len(value)} values of {name} given for {pitch} pitch joints; give "
                    f"{'one or ' if or_one else ''}{pitch - fewer}"
                )


def seconds(stamp_ns: int, start_ns: int) -> float:
    """Time since `start_ns`, s."""
    return (stamp_ns - start_ns) * 1e-9
