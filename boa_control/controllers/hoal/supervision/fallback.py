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
from boa_control.controllers.hoal.supervision.interface import Signals
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_control.estimation.low_pass import LowPass
from boa_description.arrays import Array


class SoftHold:
    """Brings the joints to rest in the shape in which they are, from the torque before."""

    def __init__(self, joints: int, period: float, tuning: Tuning = SHIPPED) -> None:
        """`period`: of the control ticks, s."""
        self._tuning, self._start = tuning.supervision, tuning.start
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
        tuning, start = self._tuning, self._start
        step = tuning.braking * self._period
        self._coast -= min(max(self._coast, -step), step)
        moving = along * self._coast
        self._shape = self._shape + self._period * moving
        self._torque = self._torque * (1 - self._period / start.return_time)
        springs = start.held_stiffness * (self._shape - position)
        held = springs - start.held_damping * (joint_rate - moving)
        softly: Array = self._torque + np.clip(held, -tuning.lost_torque, tuning.lost_torque)
        return softly


def damped(torque: Array, now: Signals, trusted: bool, fault: float, tuning: Tuning) -> Array:
    """The torques to be commanded, shape (n - 1,), N m; the given ones where nothing is damped.

    Args:
        torque: of the control law, shape (n - 1,), N m.
        trusted: the contact model is.
        fault: joint force that is one, N.
    """
    t, damping = tuning.supervision, tuning.start.damping_displaced
    limit = abs(now.desired) + (
        tuning.steering.slow_speed if trusted else tuning.steering.free_speed
    )
    rate, load = min(max(now.rate, -limit), limit), now.joint_force / fault
    free = t.joint_rate if trusted else tuning.law.moving_rate
    if load <= t.soft_from and swing(now.velocity, now.along, rate) <= free:
        return torque
    off = now.velocity - now.along * rate
    torque = torque - damping * (off - np.clip(off, -free, free))
    if load > t.soft_from:
        soft = min((load - t.soft_from) / (t.soft_to - t.soft_from), 1.0)
        braked = np.clip(-damping * off, -t.soft_torque, t.soft_torque)
        torque = (1 - soft) * torque + soft * braked
    return torque


class ForceShare:
    """Less where the body nears its first posts too fast, and where its posts hold it badly."""

    def __init__(self, period: float, tuning: Tuning = SHIPPED) -> None:
        """`period`: of the control ticks, s."""
        self._tuning, self._least_hold = tuning.supervision, tuning.contacts.least_hold
        self._least = tuning.start.least_share
        self._most_drift = tuning.post_map.search_speed  # m/s, at which nothing is pressed
        self._filter = LowPass(period, tuning.contacts.blow_time)
        self.reset()

    def reset(self) -> None:
        """The full forces."""
        self._calm = self._hold = 1.0

    def go_on_from(self, before: ForceShare) -> None:
        """On a new path the posts hold the robot as well as before."""
        self._hold = before._hold

    def value(self, trusted: bool) -> float:
        """The share, 0 to 1. `trusted`: the contact model is."""
        return self._calm * self._hold * (1.0 if trusted else self._tuning.slow_share)

    def calm(self, now: Signals) -> None:
        """Use how fast the body nears its first posts while it closes on them."""
        most = self._most_drift
        reserve = (most - now.drift) / (most - self._tuning.calm_drift)
        self._calm = min(max(reserve, 0.0), 1.0) if now.closing else 1.0

    def follow(self, hold: float) -> None:
        """Use one tick of `Signals.balance`, 0 to 1."""
        least = self._least_hold
        share = 1.0 if hold >= least else max(hold / least, self._least)
        if self._hold != share:
            self._hold = self._filter.follow(self._hold, share)
