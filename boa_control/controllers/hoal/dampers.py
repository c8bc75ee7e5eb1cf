"""Damping beside the control law: of joints that do not move along the path, and in place of torque
where joint forces are high.

It stands outside the QP: inside, it would act in the null space of contacts that may be wrong.
"""

from __future__ import annotations

import numpy as np

from boa_control.compiled.on_path import swing
from boa_control.controllers.hoal.caution import Signals
from boa_description.arrays import Array

DAMPING = 2.0  # N m s/rad, on joint rates that are not those of the way along the path
FREE_RATE = 0.45  # rad/s of them that is not damped while the contact model is trusted
FREE_RATE_SLOW = 0.05  # rad/s, the same otherwise
FREE_SPEED = 0.03  # m/s above the desired speed, up to which joint rates count as on the way
FREE_SPEED_SLOW = 0.01  # m/s, the same otherwise
SOFT_FROM, SOFT_TO = 0.52, 0.84  # of the joint force that is a fault: torques give way to damping
SOFT_TORQUE = 2.0  # N m, most that this damping gives


def damped(torque: Array, now: Signals, trusted: bool, fault: float) -> Array:
    """The torques to be commanded, shape (n - 1,), N m; the given ones where nothing is damped.

    Args:
        torque: of the control law, shape (n - 1,), N m.
        trusted: the contact model is.
        fault: joint force that is one, N.
    """
    limit = abs(now.desired) + (FREE_SPEED if trusted else FREE_SPEED_SLOW)
    rate, load = min(max(now.rate, -limit), limit), now.joint_force / fault
    free = FREE_RATE if trusted else FREE_RATE_SLOW
    if load <= SOFT_FROM and swing(now.velocity, now.along, rate) <= free:
        return torque
    off = now.velocity - now.along * rate
    torque = torque - DAMPING * (off - np.clip(off, -free, free))
    if load > SOFT_FROM:
        soft = min((load - SOFT_FROM) / (SOFT_TO - SOFT_FROM), 1.0)
        damping = np.clip(-DAMPING * off, -SOFT_TORQUE, SOFT_TORQUE)
        torque = (1 - soft) * torque + soft * damping
    return torque
