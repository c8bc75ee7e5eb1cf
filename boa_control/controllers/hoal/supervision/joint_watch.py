# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joints that do not do their part: that stick while the path turns them, or lose far more than
their gearboxes should.
"""

import numpy as np

from boa_control.controllers.hoal.law.transmission import Transmission
from boa_control.controllers.hoal.supervision.reasons import Finding, Reason
from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_control.events import Event, EventKind, EventQueue
from boa_description.arrays import Array


class JointWatch:
    """Compares motors, gearboxes and joints from tick to tick.

    Attributes:
        events: not told yet.
    """

    def __init__(self, joints: int, period: float, tuning: Tuning = SHIPPED) -> None:
        """`period`: of the control ticks, s."""
        self._period = period
        self._tuning = tuning.law
        self._half = tuning.steering.patience / 2  # s; in the first one that stands came to rest
        # rad, that a joint which sticks turns meanwhile at most
        self._still = tuning.law.turning_rate * tuning.steering.patience
        self._joints = joints
        self._sums = np.zeros((3, joints))  # N m
        self.reset()

    def reset(self) -> None:
        """The robot stands rightly; all joints do their part."""
        self.events = EventQueue()
        self._wrong, self._doubted = np.zeros(self._joints), False  # s
        self._stand(np.zeros(self._joints))

    def update(self, tick: Tick, transmission: Transmission) -> Finding | None:
        """Use one tick; the joints that hold a robot which does not get on."""
        self._tell_losses(transmission)
        if tick.way.time < self._half or abs(tick.desired) < self._tuning.least_speed:
            self._stand(tick.frame.position)
            return None
        if not self._ticks:
            self._sums = np.zeros((3, self._joints))
        self._ticks += 1
        self._sums += (tick.frame.effort, transmission.passed_on, transmission.asked)
        if self._ticks * self._period < self._half:
            return None
        finding = self._sticking(tick, transmission)
        if finding is not None:
            self._found = True
        elif not self._found:
            self._stand(tick.frame.position)
        return finding

    def _stand(self, position: Array) -> None:
        """From here on the robot stands, with joints at `position`."""
        self._position = position
        self._ticks = 0
        self._found = False

    def _sticking(self, tick: Tick, transmission: Transmission) -> Finding | None:
        """The joints that hold the robot, on the average since it stands, which noise leaves
        alone; at the largest torque of their motors.
        """
        tuning = self._tuning
        motor, passed_on, asked = self._sums / self._ticks
        losses = transmission.losses
        either = [losses.motor_torque(passed_on, np.full(self._joints, way)) for way in (-1.0, 1.0)]
        band = np.abs(np.stack(either) - passed_on).max(axis=0)
        sticks = np.abs(tick.state.dphi * tick.desired) > tuning.moving_rate
        sticks &= np.abs(tick.frame.position - self._position) < self._still
        more = np.abs(motor - passed_on) > band + tuning.missing
        sticks &= more | (np.abs(asked - passed_on) > tuning.missing)
        if not sticks.any():
            return None
        joints = tuple((np.flatnonzero(sticks) + 1).tolist())
        largest = float(np.abs(motor[sticks]).max())
        return Finding(Reason.JOINTS_STICK, largest, joints=joints)

    def _tell_losses(self, transmission: Transmission) -> None:
        """One event for each joint and time that its losses are outside of what is sensible."""
        if transmission.sound:  # as at most ticks
            if self._doubted:
                self._doubted, self._wrong = False, np.zeros(self._joints)
            return
        before, long = self._wrong, self._tuning.fade_time
        self._doubted = True
        self._wrong = np.where(transmission.insensible, before + self._period, 0.0)
        for joint in np.flatnonzero((before < long) & (self._wrong >= long)).tolist():
            name, value = f"joint {joint + 1}", transmission.excess.item(joint)
            self.events.add(Event(kind=EventKind.JOINT_LOSSES, subject=name, value=value))
