# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the wave is to lead: the offset of all joints from the bearing of what is aimed at.

Wang (section IV-B) leaves the law open. Here

    beta = clip(gain (bearing of the aim - heading), +-limit),

with the mean heading of the links (that of the head swings with the gait), followed through a
critically damped filter whose derivatives the gait feeds forward.
"""

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from boa_control.events import Event, EventKind
from boa_control.paths.goals import Course, Goal, Pursuit, Targets
from boa_description.angles import wrapped
from boa_description.arrays import Array
from boa_description.robot import Block, Metre, Radian, Second


class SteeringSettings(Block):
    """Gains of the steering."""

    gain: float = Field(default=0.4, ge=0, description="offset per heading error")
    limit: Radian = Field(default=0.3, gt=0, le=1.5, description="largest offset")
    filter: Second = Field(default=0.6, ge=0, description="time constant; 0: none")
    lookahead: Metre = Field(default=0.5, gt=0, description="how far ahead on a guide the aim lies")


class Offset(NamedTuple):
    """Offset of all joints, rad, with its rate and acceleration."""

    value: float
    rate: float
    acceleration: float


class Steering:
    """Follows a goal and turns the bearing of its next aim into an offset.

    Attributes:
        pursuit: how far the goal is reached, as the controller believes.
        aim: the point that is aimed at, shape (2,), m; None without a goal.
    """

    def __init__(self, goal: Goal | None, settings: SteeringSettings, period: float) -> None:
        """`period` of control in s."""
        self._goal = goal
        self._settings = settings
        self._period = period
        self.pursuit: Pursuit | None = None
        if isinstance(goal, Targets):
            self.pursuit = Pursuit(goal, goal.acceptance)
        elif goal is not None:
            self.pursuit = Pursuit(goal)
        self.reset()

    def reset(self) -> None:
        """Straight on, at the start of the goal."""
        if self.pursuit is not None:
            self.pursuit.reset()
        self._offset, self._rate = 0.0, 0.0
        self.aim: Array | None = None
        self.events: tuple[Event, ...] = ()

    def update(self, centre: Array, heading: float) -> Offset:
        """The offset for a place (2,), m, and a heading, rad; `events` says what was reached."""
        self.events = ()
        desired = 0.0
        self.aim = self._next_aim(centre)
        if self.aim is not None:
            bearing = math.atan2(self.aim[1] - centre[1], self.aim[0] - centre[0])
            error = float(wrapped(np.array(bearing - heading)))
            limit = self._settings.limit
            desired = min(max(self._settings.gain * error, -limit), limit)
        return self._filtered(desired)

    def _next_aim(self, centre: Array) -> Array | None:
        if self.pursuit is None:
            return None
        if self.pursuit.update(centre):
            self.events = (self._reached(self.pursuit),)
        if isinstance(self._goal, Targets):
            last = len(self._goal.points) - 1
            return self._goal.points[min(self.pursuit.reached, last)]
        assert isinstance(self._goal, Course)
        ahead = np.array(self.pursuit.s + self._settings.lookahead)
        return self._goal.guide.position(ahead)

    def _reached(self, pursuit: Pursuit) -> Event:
        if isinstance(self._goal, Targets):
            return Event(kind=EventKind.TARGET_REACHED, count=pursuit.reached)
        return Event(kind=EventKind.GUIDE_ENDED)

    def _filtered(self, desired: float) -> Offset:
        tau = self._settings.filter
        if tau == 0:
            return Offset(desired, 0.0, 0.0)
        acceleration = (desired - self._offset) / tau**2 - 2 * self._rate / tau
        self._rate += self._period * acceleration
        self._offset += self._period * self._rate
        return Offset(self._offset, self._rate, acceleration)
