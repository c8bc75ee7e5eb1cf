"""How fast the robot may go among posts whose places are not known well.

The peak of a blow is proportional to the speed at which it falls, so the nose goes slowly from
where it may first touch the next post until that post is felt. And where joint forces rise the
robot waits: the posts press it into a shape that the reference has yet to learn.
"""

from __future__ import annotations

import math

import numpy as np

from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.touch import APPROACH
from boa_control.model.contact_set import ContactSet
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Robot

REACH = 0.09  # m before the contact point, where the round nose may first touch a post
SEARCH = 0.15  # m behind the nose, after which a post that was not felt is given up
BRAKING = 0.5  # share of the wanted acceleration with which the robot slows down
# of the joint force that is a fault: up to the one the robot goes on, at the other it stands
EASY, HARD = (
    0.36,
    0.6,
)
SMOOTHING = 0.05  # s, of joint forces


class Pace:
    """Limit of the speed along the path.

    Attributes:
        limit: m/s.
    """

    def __init__(self, parameters: Parameters, robot: Robot, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._p = parameters
        self._period = period
        self._middle = robot.links // 2
        self._easy = EASY * robot.limits.joint_force_fault
        self._hard = HARD * robot.limits.joint_force_fault
        self._blend = period / (period + SMOOTHING)
        self.reset()

    def reset(self) -> None:
        """Full speed."""
        self.limit, self._load = self._p.speed, 0.0

    def update(self, contacts: ContactSet, level: Array, frame: SensorFrame) -> None:
        """Take in one tick: planned contacts with those just ahead, and how far each has been taken
        on, (nc,).
        """
        p, limit = self._p, self._p.speed
        unknown = (level <= APPROACH) & (contacts.link > self._middle) & (contacts.inside < SEARCH)
        if unknown.any():
            distance = max(-float(contacts.inside[unknown].max()) - REACH, 0.0)
            limit = min(
                limit, math.sqrt(p.entry_speed**2 + 2 * BRAKING * p.acceleration * distance)
            )
        if frame.joint_force is not None:
            force = frame.joint_force.force
            # of the sensors that answer
            load = float(np.fmax.reduce(np.hypot(force[:, 0], force[:, 1]), initial=0.0))
            self._load += self._blend * (load - self._load)
        limit *= min(max((self._hard - self._load) / (self._hard - self._easy), 0.0), 1.0)
        self.limit = min(limit, self.limit + p.acceleration * self._period)
