# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How fast the robot may go among posts whose places are not known well.

The peak of a blow is proportional to the speed at which it falls, so the leading end, nose or
tail, goes slowly from where it may first touch the next post until that post is detected: the less
surely the place of the post is known, the more slowly. The further a post protrudes into the way of
the round end, the straighter this end meets it: force and closing speed both grow.

The speed along the path is that of the joints. A body that keeps posts in touch which stand off the
map may go faster at its leading end (`leading_speed`). A post is handed over from link to link:
where it stands as on the map, the joint is nearly straight as it passes; where it stands in a bend,
the next flank sweeps into it (`handover_limit`).

A climber lets go of one hold when the next one bears: a post is not left before the next one is
detected, where the others cannot hold the body (`last_hold_limit`).
"""

import math

from boa_control.compiled.approach import ApproachRules, approach_speed, touch_damping
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.post_map.deformation import leading_end
from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_control.model.reference import ReferenceTable
from boa_control.optimisation.balance import attainable_share
from boa_description.arrays import Array, Flags
from boa_description.robot import Robot


class SpeedLimit:
    """Limit of the speed along the path.

    Attributes:
        speed: m/s, not to be exceeded.
    """

    def __init__(self, parameters: Parameters, robot: Robot, period: float) -> None:
        """`period`: of the control ticks, s."""
        tuning = self._tuning = parameters.tuning.post_map
        self._p = parameters
        self._period = period
        entry_speed = parameters.entry_speed
        self._falling = 2 * parameters.acceleration  # m/s2, of the limit for the sake of posts
        self._rules = ApproachRules(
            links=robot.links,
            map_error=parameters.map_error,
            entry_speed=math.nan if entry_speed is None else entry_speed,
            blow=tuning.blow * robot.limits.joint_force_fault,
            braking=tuning.braking_share * parameters.acceleration,
            unfelt=parameters.tuning.contacts.approach,
            before=tuning.reach,
            behind=tuning.search_distance,
            expected=tuning.expected,
            least_doubt=tuning.systematic,
            search_speed=tuning.search_speed,
            slow_speed=parameters.tuning.steering.slow_speed,
        )
        self.reset()

    def reset(self) -> None:
        """Full speed."""
        self.speed = self._pace = self._p.speed

    def view(self, std: float, reach: float) -> float:
        """From how far before the leading end posts of such doubt must be known, m, lest the robot
        brake too late: `std` of their places, `reach` from the middle of the body to theirs, m.
        """
        entry = self.entry_speed(std, reach)
        braking = (self._p.speed**2 - entry**2) / (2 * self._rules.braking)
        return self._tuning.reach + self._tuning.expected * std + max(braking, 0.0)

    def update(
        self,
        contacts: ContactSet,
        level: Array,
        doubt: Array,
        searched: Array,
        travel: Travel,
        leading: complex = 1.0,
    ) -> None:
        """Use one tick.

        Args:
            contacts: planned, with those just ahead.
            level: how far each has been taken on, shape (nc,).
            doubt: standard deviations of the places of their posts, shape (nc,), m.
            searched: from where each is believed to be to where it is searched, positive towards
                the path, shape (nc,), m.
            leading: speed of the leading end, along itself and across itself (imaginary), per speed
                along the path.
        """
        p = self._p
        posts = (contacts.link, contacts.inside, contacts.reach, level, doubt, searched)
        limit: float = approach_speed(travel.speed, posts, travel.direction, leading, self._rules)
        self._pace = limit = max(limit, self._pace - self._falling * self._period)
        self.speed = min(limit, self.speed + p.acceleration * self._period)

    def entry_speed(self, doubt: float, reach: float) -> float:
        """At which the leading end may meet a post whose place is known so well, m/s: it keeps
        clear of it by one standard deviation, so it protrudes by as much where it errs by two.
        """
        if self._p.entry_speed is not None:
            return self._p.entry_speed
        damping: float = touch_damping(doubt / reach)
        return self._rules.blow / damping


def leading_speed(chain: PlanarChain, state: PathState, travel: Array, direction: int) -> complex:
    """Of the leading end, along itself and across itself (imaginary), per speed along the path,
    where the body moves by `travel`, (n + 2,), per metre. `direction`: 1: the head leads; -1: the
    tail.
    """
    along = state.along_rows[-1 if direction > 0 else 0].dot(travel)
    return direction * complex(along, leading_end(chain, state, direction).dot(travel))


def handover_limit(
    reference: ReferenceTable,
    state: PathState,
    held: ContactSet,
    direction: int,
    closing: float,
    braking: float,
) -> float:
    """Speed along the path, m/s, at which the flank of the next link meets no post faster than
    `closing`, m/s: in a joint bent by phi towards the post it comes with sin phi of that speed.

    Args:
        reference: of the path, which tells how the joints bend on the way to the posts.
        state: of the bent chain. held: contacts that are detected.
        direction: 1: the head leads; -1: the tail.
        braking: m/s2, with which the robot slows down before.
    """
    limit, now = math.inf, reference.at(state.s).phi
    joints = held.link if direction > 0 else held.link + 1
    ways = held.offset if direction > 0 else reference.pitch - held.offset
    for joint, way, side, reach in zip(
        joints.tolist(), ways.tolist(), held.side.tolist(), held.reach.tolist(), strict=True
    ):
        if not 0 < joint < reference.links:
            continue
        then = reference.at(state.s + direction * way).phi
        bend = side * (state.q[2 + joint] + then[joint - 1] - now[joint - 1])
        if bend > 0.0:  # both flanks touch the post that far before the joint
            way = max(way - reach * math.tan(bend / 2), 0.0)
            limit = min(limit, math.hypot(closing / math.sin(bend), math.sqrt(2 * braking * way)))
    return limit


def last_hold_limit(
    chain: PlanarChain,
    state: PathState,
    contacts: ContactSet,
    level: Array,
    across: Flags,
    direction: int,
    braking: float,
    tuning: Tuning = SHIPPED,
) -> float:
    """Speed at which the body may leave the post at its trailing end, m/s; infinite where another
    one is detected, or the others hold it.

    Args:
        contacts: planned, with those just before and behind the body.
        level: how far each has been taken on, shape (nc,). across: searched across the path as far
            as it can be from here, alike.
        direction: 1: the head leads; -1: the tail. braking: m/s2.
    """
    rules = tuning.post_map
    middle = (chain.links - 1) / 2
    ahead = (contacts.link - middle) * direction > 0
    detected = level > tuning.contacts.approach
    leaving = ~ahead & detected & (contacts.inside > 0.0) & (contacts.inside < rules.leaving)
    if not leaving.any():
        return math.inf
    way = max(float(contacts.inside[leaving].min()) - rules.left, 0.0)
    searched = ahead & ~detected & ~across & (contacts.inside + way > -rules.search_way)
    if not searched.any():  # nor can it be, from there
        return math.inf
    gap = contacts.rows(chain, state, 0.0)[0]
    presence = contacts.activation * detected * level
    held = attainable_share(gap, presence)
    least = tuning.contacts.least_hold
    if held < least or attainable_share(gap, presence * ~leaving) >= least:
        return math.inf
    return math.sqrt(2 * braking * way)
