"""How fast the robot may go among posts whose places are not known well.

The peak of a blow is proportional to the speed at which it falls, so the leading end, nose or
tail, goes slowly from where it may first touch the next post until that post is felt. And where
joint forces rise the robot waits: the posts press it into a shape that the reference has yet to
learn.
"""

from __future__ import annotations

import math

import numpy as np

from boa_control.controllers.hoal.engagement import APPROACH
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.steering import Travel
from boa_control.model.contact_set import ContactSet
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Robot

REACH = 0.09  # m before the contact point, where the round leading end may first touch a post
SEARCH_DISTANCE = 0.15  # m behind the leading end, after which a post that was not felt is given up
BRAKING_SHARE = 0.5  # of `acceleration`, with which the robot slows down before a post
FULL_SPEED_LOAD = 0.36  # of the joint force that is a fault; up to it the robot goes on undisturbed
STANDSTILL_LOAD = 0.6  # of the joint force that is a fault; from it on the robot stands
SMOOTHING_TIME = 0.05  # s, low-pass of the joint forces: single blows do not stop the robot


class SpeedLimit:
    """Limit of the speed along the path.

    Attributes:
        speed: m/s, not to be exceeded.
    """

    def __init__(self, parameters: Parameters, robot: Robot, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._p = parameters
        self._period = period
        self._last, self._middle = robot.links - 1, robot.links // 2
        self._full_speed = FULL_SPEED_LOAD * robot.limits.joint_force_fault
        self._standstill = STANDSTILL_LOAD * robot.limits.joint_force_fault
        self._blend = period / (period + SMOOTHING_TIME)
        self.reset()

    def reset(self) -> None:
        """Full speed."""
        self.speed, self._load = self._p.speed, 0.0

    def update(
        self, contacts: ContactSet, level: Array, frame: SensorFrame, travel: Travel
    ) -> None:
        """Use one tick: planned contacts with those just ahead, and how far each has been taken
        on, (nc,).
        """
        p, limit, link = self._p, travel.speed, contacts.link
        leading = link > self._middle if travel.direction > 0 else link < self._last - self._middle
        # one that is felt before the body is beside it stands on the tip
        met = (level > APPROACH) & (contacts.inside >= 0.0)
        unknown = ~met & leading & (contacts.inside < SEARCH_DISTANCE)
        if unknown.any():
            distance = max(-float(contacts.inside[unknown].max()) - REACH, 0.0)
            limit = min(
                limit, math.sqrt(p.entry_speed**2 + 2 * BRAKING_SHARE * p.acceleration * distance)
            )
        if frame.joint_force is not None:
            force = frame.joint_force.force
            # of the sensors that answer
            load = float(np.fmax.reduce(np.hypot(force[:, 0], force[:, 1]), initial=0.0))
            self._load += self._blend * (load - self._load)
        reserve = (self._standstill - self._load) / (self._standstill - self._full_speed)
        limit *= min(max(reserve, 0.0), 1.0)
        self.speed = min(limit, self.speed + p.acceleration * self._period)
