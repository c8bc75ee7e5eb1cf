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
from bisect import bisect_right

from boa_control.controllers.hoal.bands import SLOW_SPEED
from boa_control.controllers.hoal.engagement import APPROACH
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.post_search import SEARCH_SPEED
from boa_control.controllers.hoal.steering import Travel
from boa_control.estimation.link_forces import largest_joint_force
from boa_control.model.contact_set import ContactSet
from boa_control.plant import SensorFrame
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
# by how much of `reach` a post protrudes into the way of the leading end, and the largest joint
# force per speed that its first touch gives there, N s/m (docs/first_touch.md, "One touch")
PROTRUSION = (0.0, 5 / 90, 10 / 90, 20 / 90, 30 / 90, 45 / 90, 70 / 90, 1.0)
TOUCH_DAMPING = (0.0, 111.0, 183.0, 351.0, 519.0, 756.0, 1021.0, 1083.0)
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
        frame: SensorFrame,
        travel: Travel,
        swing: float = 0.0,
        leading: float = 1.0,
    ) -> None:
        """Use one tick.

        Args:
            contacts: planned, with those just ahead.
            level: how far each has been taken on, shape (nc,).
            doubt: standard deviations of the places of their posts, shape (nc,), m.
            searched: from where each is believed to be to where it is searched, positive towards
                the path, shape (nc,), m.
            swing: speed of the leading end across itself, m/s.
            leading: speed of the leading end per speed along the path.
        """
        p, limit = self._p, travel.speed
        for k in self._unknown(contacts, level, travel.direction):
            # one that presses on the tip stands elsewhere than was believed
            std = max(doubt.item(k), p.map_error) if level.item(k) > APPROACH else doubt.item(k)
            std, inside = max(std, LEAST_DOUBT), contacts.inside.item(k)
            entry = self.entry_speed(std, contacts.reach.item(k))
            entry = math.sqrt(max(entry**2 - swing**2, entry**2 / 2))  # both together meet the post
            entry /= max(leading, 1.0)
            distance = max(-inside - REACH - EXPECTED * std, 0.0)
            slowest = math.sqrt(entry * entry + 2 * BRAKING_SHARE * p.acceleration * distance)
            limit = min(limit, slowest)
            if inside > 0.0:
                limit = min(limit, searching_speed(std, searched.item(k)))
        self._pace = limit = max(limit, self._pace - BRAKING * self._period)
        if frame.joint_force is not None:
            load = largest_joint_force(frame.joint_force)
            self._load += self._blend * (load - self._load)
        reserve = (self._standstill - self._load) / (self._standstill - self._full_speed)
        limit *= min(max(reserve, 0.0), 1.0)
        self.speed = min(limit, self.speed + p.acceleration * self._period)

    def _unknown(self, contacts: ContactSet, level: Array, direction: int) -> list[int]:
        """Which contacts the leading end has yet to meet, or to pass without having felt them."""
        link, inside, taken_on = contacts.link.tolist(), contacts.inside.tolist(), level.tolist()
        last, middle = self._last, self._middle
        return [
            k
            for k, at in enumerate(link)
            if (at > middle if direction > 0 else at < last - middle)
            and inside[k] < SEARCH_DISTANCE
            # one that is felt before the body is beside it stands on the tip
            and (taken_on[k] <= APPROACH or inside[k] < 0.0)
        ]

    def entry_speed(self, doubt: float, reach: float) -> float:
        """At which the leading end may meet a post whose place is known so well, m/s: it keeps
        clear of it by one standard deviation, so it protrudes by as much where it errs by two.
        """
        if self._p.entry_speed is not None:
            return self._p.entry_speed
        return self._blow / _touch_damping(doubt / reach)


def _touch_damping(protrusion: float) -> float:
    """Between the values of `TOUCH_DAMPING`, N s/m; numpy takes four times as long for one."""
    k = min(max(bisect_right(PROTRUSION, protrusion), 1), len(PROTRUSION) - 1)
    first, last = PROTRUSION[k - 1], PROTRUSION[k]
    slope = (TOUCH_DAMPING[k] - TOUCH_DAMPING[k - 1]) / (last - first)
    return slope * (min(protrusion, last) - first) + TOUCH_DAMPING[k - 1]


def searching_speed(doubt: float, searched: float) -> float:
    """At which the leading end may pass a post that is not felt yet, m/s: by the time that it is
    REACH behind it, the post has been searched where it is expected. Then the post at the other end
    may still hold the robot.

    Args:
        doubt: standard deviation of its place, m. searched: from where it is believed to be, m.
    """
    speed = REACH * SEARCH_SPEED / ((1.0 + EXPECTED) * doubt)  # from one deviation clear of it
    return min(speed, SLOW_SPEED) if searched < -EXPECTED * doubt else speed  # searched in vain
