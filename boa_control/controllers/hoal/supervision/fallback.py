# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What replaces or weakens the control law where the contact model may be wrong.

`SoftHold`: dampers and weak springs of a robot that has lost its posts, until it is freed.
`damped`: damping of joints that do not move along the path, and in place of torque where joint
forces are high; it stands outside the QP, since inside it would act in the null space of contacts
that may be wrong. `ForceShare`: how gently posts are pressed, as a share of the desired forces.
"""

from __future__ import annotations

import numpy as np

from boa_control.compiled.on_path import swing
from boa_control.controllers.hoal.contacts.closure import LEAST_HOLD
from boa_control.controllers.hoal.supervision.interface import Signals
from boa_description.arrays import Array

BRAKING = 0.5  # m/s2, with which it comes to rest: 15 N along the path
LOST_DAMPING = 3.0  # N m s/rad
LOST_STIFFNESS = 4.0  # N m/rad, towards the shape in which it was lost
LOST_TORQUE = 3.0  # N m, most that both give
FADING = 0.1  # s, time constant with which the torque before fades
DAMPING = 2.0  # N m s/rad, on joint rates that are not those of the way along the path
FREE_RATE = 0.45  # rad/s of them that is not damped while the contact model is trusted
FREE_RATE_SLOW = 0.05  # rad/s, the same otherwise
FREE_SPEED = 0.03  # m/s above the desired speed, up to which joint rates count as on the way
FREE_SPEED_SLOW = 0.01  # m/s, the same otherwise
SOFT_FROM, SOFT_TO = 0.52, 0.84  # of the joint force that is a fault: torques give way to damping
SOFT_TORQUE = 2.0  # N m, most that this damping gives
# m/s, at which the body nears a post while it closes on its first ones: between the two it is
# pressed less and less, and no more at all above. A post struck at 0.02 gives 25 N in a joint
CALM_DRIFT, MOST_DRIFT = 0.008, 0.02
SLOW_SHARE = 0.6  # of the forces, unless trusted
LEAST_SHARE = 0.02  # of the forces, where nothing holds the robot: more would set it in motion
SHARE_TIME = 0.05  # s, time constant with which the forces follow the hold


class SoftHold:
    """Brings the joints to rest in the shape in which they are, from the torque before."""

    def __init__(self, joints: int, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._joints = joints
        self._period = period
        self.reset()

    def reset(self) -> None:
        """Hold nothing."""
        self._torque = np.zeros(self._joints)
        self._shape: Array | None = None
        self._coast = 0.0  # m/s, at which the robot still moves on: stopping at once is a blow

    def record(self, torque: Array) -> None:
        """The torque of this tick, shape (n_joints,), N m, from which a hold would begin."""
        self._torque = torque

    def torque(self, position: Array, joint_rate: Array, along: Array, rate: float) -> Array:
        """Torques of one tick of the hold, shape (n_joints,), N m.

        Args:
            position, joint_rate: of the joints, as measured, shape (n_joints,), rad, rad/s.
            along: joint rates per rate along the path, shape (n_joints,), rad/m.
            rate: along the path, m/s.
        """
        if self._shape is None:
            self._shape, self._coast = position, rate
        step = BRAKING * self._period
        self._coast -= min(max(self._coast, -step), step)
        moving = along * self._coast
        self._shape = self._shape + self._period * moving
        self._torque = self._torque * (1 - self._period / FADING)
        held = LOST_STIFFNESS * (self._shape - position) - LOST_DAMPING * (joint_rate - moving)
        softly: Array = self._torque + np.clip(held, -LOST_TORQUE, LOST_TORQUE)
        return softly


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


class ForceShare:
    """Less where the body nears its first posts too fast, and where its posts hold it badly."""

    def __init__(self, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._blend = period / (period + SHARE_TIME)
        self.reset()

    def reset(self) -> None:
        """The full forces."""
        self._calm = self._hold = 1.0

    def go_on_from(self, before: ForceShare) -> None:
        """On a new path the posts hold the robot as well as before."""
        self._hold = before._hold

    def value(self, trusted: bool) -> float:
        """The share, 0 to 1. `trusted`: the contact model is."""
        return self._calm * self._hold * (1.0 if trusted else SLOW_SHARE)

    def calm(self, now: Signals) -> None:
        """Use how fast the body nears its first posts while it closes on them."""
        reserve = (MOST_DRIFT - now.drift) / (MOST_DRIFT - CALM_DRIFT)
        self._calm = min(max(reserve, 0.0), 1.0) if now.closing else 1.0

    def follow(self, hold: float) -> None:
        """Use one tick of `Signals.hold`, 0 to 1."""
        share = 1.0 if hold >= LEAST_HOLD else max(hold / LEAST_HOLD, LEAST_SHARE)
        if self._hold != share:
            self._hold += self._blend * (share - self._hold)
