"""Small things that several controllers share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boa_control.controllers.gaits import Hold, Rocking, Wave
from boa_description.arrays import Array
from boa_description.errors import BoaError


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


def check_gait(gait: Hold | Rocking | Wave, joints: int, where: str) -> None:
    """Refuse a hold target, amplitudes or phases with the wrong number of angles. Raises
    BoaError.
    """
    if isinstance(gait, Wave):
        for name in ("amplitudes", "phases"):
            if (values := getattr(gait, name)) is not None:
                per_joint(values, joints, f"{where}: {name}")
    if isinstance(gait, Hold) and gait.target is not None:
        per_joint(gait.target, joints, f"{where}: target")


def seconds(stamp_ns: int, start_ns: int) -> float:
    """Time since `start_ns`, s."""
    return (stamp_ns - start_ns) * 1e-9
