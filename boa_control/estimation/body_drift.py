# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How fast a body that few posts hold yet drifts towards the others.

Joint angles do not show it: the body moves as a whole. Gyroscopes tell how fast it turns, and the
posts that it touches how it does not move; of what is left it is taken to rest.
"""

import math

import numpy as np

from boa_control.compiled.detection import less_joint_rates
from boa_control.model.base_motion import base_motion
from boa_control.plant import SensorFrame
from boa_description.arrays import Array, Flags

TURN_WEIGHT = 100.0  # m2, of the measured turn rate beside contacts that stay closed
REST_WEIGHT = 1e-3  # 1 and m2, of a base at rest beside them


def turn_rate(frame: SensorFrame) -> float:
    """Of link 1 by all gyroscopes that answer, rad/s; NaN where none does."""
    if frame.imu is None:
        return float("nan")
    rates = frame.imu.yaw_rate  # an array of its own
    less_joint_rates(rates, frame.velocity)
    mean = float(np.add.reduce(rates)) / rates.size
    if math.isfinite(mean):
        return mean
    known = rates[np.isfinite(rates)]
    return float(known.mean()) if known.size else float("nan")


def closing_speed(gap: Array, touching: Flags, joint_rate: Array, turning: float) -> float:
    """Speed at which the body comes nearest to one of the posts that it does not touch, m/s, >= 0.

    Args:
        gap: J, shape (nc, n + 2). touching: shape (nc,).
        joint_rate: shape (n - 1,), rad/s. turning: of link 1, rad/s; NaN: not known.
    """
    if touching.all():
        return 0.0
    base: Array = gap[:, :3]
    rates: Array = gap[:, 3:] @ joint_rate
    known = math.isfinite(turning)
    prior = np.array([REST_WEIGHT, REST_WEIGHT, REST_WEIGHT + TURN_WEIGHT * known])
    turned = np.array([0.0, 0.0, TURN_WEIGHT * turning if known else 0.0])
    opening = rates + base @ base_motion(base, touching.astype(float), prior, -rates, turned)
    return max(-float(opening[~touching].min()), 0.0)
