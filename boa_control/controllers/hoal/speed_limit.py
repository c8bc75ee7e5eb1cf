"""How fast the robot may go among posts whose places are not known well.

The peak of a blow is proportional to the speed at which it falls, so the leading end, nose or
tail, goes slowly from where it may first touch the next post until that post is felt: the less
surely the place of the post is known, the more slowly. And where joint forces rise the robot
waits: the posts press it into a shape that the reference has yet to learn.

The further a post protrudes into the way of the round end, the straighter this end meets it: force
and closing speed both grow.
"""

from __future__ import annotations

import math

from boa_control.compiled.approach import approach_speed, touch_damping
from boa_control.controllers.hoal.bands import SLOW_SPEED
from boa_control.controllers.hoal.engagement import APPROACH
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.post_search import SEARCH_SPEED
from boa_control.controllers.hoal.steering import Travel
from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array
from boa_description.robot import Robot

REACH = 0.09  # m before the contact point, where the round leading end may first touch a post
SEARCH_DISTANCE = 0.15  # m behind the leading end, over which a post not felt limits the speed
EXPECTED = 3.0  # standard deviations of its place, within which a post is expected
BRAKING = 0.2  # m/s2, with which the limit falls for the sake of posts
BRAKING_SHARE = 0.5  # of `acceleration`, with which the robot slows down before a post
FULL_SPEED_LOAD = 0.36  # of the joint force that is a fault; up to it the robot goes on undisturbed
STANDSTILL_LOAD = 0.6  # of the joint force that is a fault; from it on the robot stands
LEAST_DOUBT = 1e-3  # m, of the place of any post
BLOW = 0.34  # of the joint force that is a fault, that the first touch of a post may give
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
        self._links = robot.links
        given = parameters.entry_speed
        self._entry_speed = math.nan if given is None else given
        self._full_speed = FULL_SPEED_LOAD * robot.limits.joint_force_fault
        self._standstill = STANDSTILL_LOAD * robot.limits.joint_force_fault
        self._blend = period / (period + SMOOTHING_TIME)
        self._blow = BLOW * robot.limits.joint_force_fault  # N
        self.reset()

    def reset(self) -> None:
        """Full speed."""
        self.speed = self._pace = self._p.speed
        self._load = 0.0

    def view(self, std: float, reach: float) -> float:
        """From how far before the leading end posts of such doubt must be known, m, lest the robot
        brake too late: `std` of their places, `reach` from the middle of the body to theirs, m.
        """
        entry = self.entry_speed(std, reach)
        braking = (self._p.speed**2 - entry**2) / (2 * BRAKING_SHARE * self._p.acceleration)
        return REACH + EXPECTED * std + max(braking, 0.0)

    def update(
        self,
        contacts: ContactSet,
        level: Array,
        doubt: Array,
        searched: Array,
        load: float,
        travel: Travel,
        swing: float = 0.0,
        leading: complex = 1.0,
    ) -> None:
        """Use one tick.

        Args:
            contacts: planned, with those just ahead.
            level: how far each has been taken on, shape (nc,).
            doubt: standard deviations of the places of their posts, shape (nc,), m.
            searched: from where each is believed to be to where it is searched, positive towards
                the path, shape (nc,), m.
            load: largest of the joint forces, N; 0 without sensors.
            swing: speed of the leading end across itself, m/s, to follow the posts.
            leading: speed of the leading end, along itself and across itself (imaginary), per speed
                along the path.
        """
        p = self._p
        limit: float = approach_speed(
            travel.speed,
            contacts.link,
            contacts.inside,
            contacts.reach,
            level,
            doubt,
            searched,
            travel.direction,
            self._links,
            p.map_error,
            self._entry_speed,
            self._blow,
            BRAKING_SHARE * p.acceleration,
            swing,
            leading,
            APPROACH,
            REACH,
            SEARCH_DISTANCE,
            EXPECTED,
            LEAST_DOUBT,
            SEARCH_SPEED,
            SLOW_SPEED,
        )
        self._pace = limit = max(limit, self._pace - BRAKING * self._period)
        self._load += self._blend * (load - self._load)
        reserve = (self._standstill - self._load) / (self._standstill - self._full_speed)
        limit *= min(max(reserve, 0.0), 1.0)
        self.speed = min(limit, self.speed + p.acceleration * self._period)

    def entry_speed(self, doubt: float, reach: float) -> float:
        """At which the leading end may meet a post whose place is known so well, m/s: it keeps
        clear of it by one standard deviation, so it protrudes by as much where it errs by two.
        """
        if self._p.entry_speed is not None:
            return self._p.entry_speed
        damping: float = touch_damping(doubt / reach)
        return self._blow / damping
