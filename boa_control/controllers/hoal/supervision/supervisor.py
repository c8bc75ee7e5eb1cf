# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Supervision where posts may stand elsewhere than the map says: runs the table of transitions, and
does what its states mean.
"""

from __future__ import annotations

import math

from boa_control.controller import Briefing
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.supervision.explored_path import ExploredPath
from boa_control.controllers.hoal.supervision.fallback import ForceShare, SoftHold, damped
from boa_control.controllers.hoal.supervision.interface import Signals, Supervision
from boa_control.controllers.hoal.supervision.reasons import Finding, entered
from boa_control.controllers.hoal.supervision.table import (
    AHEAD,
    ANEW,
    REST,
    START,
    TRUST,
    WORSE,
    Row,
)
from boa_control.controllers.hoal.supervision.watch import Watch
from boa_control.event_text import text_of
from boa_control.events import Event, EventKind, EventQueue
from boa_control.events import SupervisionState as State
from boa_control.paths.path import PlannedPath, point_at
from boa_description.arrays import Array


class MapSupervisor(Supervision):
    """The variant of `Supervision` that watches every tick.

    Attributes:
        state: see `State`. anew: see `Supervision`.
    """

    watching = True

    def __init__(self, briefing: Briefing, path: PlannedPath, parameters: Parameters) -> None:
        """`path`: for places and names in events, and which part of it is new."""
        tuning, robot, period = parameters.tuning, briefing.robot, briefing.period
        self._rising = parameters.acceleration  # m/s2, of its speed limit
        self._tuning = tuning
        self._curve, self._names = path.curve, path.names
        blind = math.inf if parameters.blind_speed is None else parameters.blind_speed
        braking = tuning.post_map.braking_share * parameters.acceleration
        self._explored = ExploredPath(path.curve, blind, braking)
        self._period = period
        self._fault = robot.limits.joint_force_fault
        self._soft_hold = SoftHold(robot.joints, period, tuning)
        self._forces = ForceShare(period, tuning)
        self._watch = Watch(briefing, parameters)
        self.reset()

    def reset(self) -> None:
        """Trust the map again."""
        self.state, self.anew = State.GO, False
        self._explored.reset()
        self._watch.reset()
        self._trust()
        self._halt: Event | None = None
        self.events = EventQueue()
        self._now: Signals | None = None

    def _trust(self) -> None:
        """As before the first tick."""
        self._soft_hold.reset()
        self._forces.reset()
        self._closing = False  # in the last tick
        self._limit = self._blind = math.inf  # m/s

    def go_on_from(self, before: MapSupervisor) -> None:
        """A robot that was slow, or stopped, takes the new path slowly."""
        self._forces.go_on_from(before._forces)
        self._explored.go_on_from(before._explored.behind)
        if before.state is not State.GO:
            self.state, self._limit = State.SLOW, before._limit

    @property
    def share(self) -> float:
        """Of the contact forces that may be desired now, 0 to 1."""
        return self._forces.value(trusted=self.state is State.GO)

    @property
    def speed_limit(self) -> float:
        """Of the speed along the path, m/s."""
        return min(self._limit, self._blind)

    @property
    def turned(self) -> bool:
        """The robot has to go back the way it came."""
        return self.state is State.BACK

    @property
    def weighing(self) -> bool:
        """A slow robot has no momentum that would carry it over a gap between its posts: forces out
        of balance would push it back. Where its posts do not hold it, that goes on until they do,
        whatever the speed that it shall have. One that still runs too fast needs its forces to
        brake. And one that has not detected all of its first posts has nothing else to fall back
        on.
        """
        now, lacks_first = self._now, self._watch.lacks_first
        if now is None or lacks_first:
            return lacks_first
        slow = self._tuning.steering.slow_return
        if abs(now.rate) > slow:
            return False
        shall_be_slow = self.state is State.SLOW or abs(now.desired) <= slow
        return shall_be_slow or now.balance < self._tuning.contacts.least_hold

    @property
    def halted(self) -> str:
        """Why the robot does not go on, with the place; empty while it does."""
        return "" if self._halt is None else text_of(self._halt)

    @property
    def lost(self) -> bool:
        """The contact model is not trusted any more."""
        return self.state is State.LOST

    def pop_strange(self) -> tuple[int, ...]:
        """Links, from 0, on which something that is not on the map presses; since the last call."""
        return self._watch.strange_posts.pop()

    def update(self, signals: Signals, travel: Travel) -> None:
        """Use one tick."""
        now, self._now = signals, signals
        self.anew = False
        self._forces.calm(now)
        self._blind = self._explored.limit(now.sigma, travel.direction)
        if self.state is State.LOST:
            self._watch.now = now
            self._follow(ANEW)
            return
        starting, self._closing = now.closing or self._closing, now.closing
        if starting:
            self._watch.start(now, self.share)
            self._follow(START)
            return
        standing, lacking = self.state is State.STOPPED, self._blind < math.inf
        self._watch.update(now, travel, self.share, standing, lacking)
        self._follow(TRUST)
        self._tell_posts()
        self._forces.follow(now.balance)
        self._follow(WORSE)
        self._watch.stand(self.state is State.STOPPED)
        self._follow(REST)
        self._limit_speed(now, travel.speed)

    def _follow(self, rows: tuple[Row, ...]) -> None:
        """Make the transitions that apply."""
        for row in rows:
            if self.state in row.states:
                finding = row.guard(self._watch)
                if finding is not None:
                    self._enter(row, finding)

    def _enter(self, row: Row, finding: Finding) -> None:
        """Make a transition."""
        if finding.side is not None:
            self._tell_contact(finding)
        row.then(self._watch)
        self._watch.enter(travelling=self.state in AHEAD)
        self.state = row.to
        self.anew = row in ANEW
        if self.anew:
            self._trust()
        place = point_at(self._curve, self._watch.now.place)
        event = entered(row.to.value, finding, place, self._names)
        self._halt = event if row.to in (State.STOPPED, State.LOST) else None
        self.events.add(event)

    def _tell_posts(self) -> None:
        """What presses although it is not planned, and what is planned but not there."""
        pressed = self._watch.pressed()
        if pressed is not None:
            self._tell_contact(pressed)
        for post in self._watch.missed():
            self.events.add(Event(kind=EventKind.POST_ABSENT, post=post))

    def _tell_contact(self, finding: Finding) -> None:
        """One event for each link on which something unplanned presses."""
        watch, link = self._watch, finding.link
        if link is not None and watch.strange_posts.tell(link - 1, again=watch.lacking):
            kind = EventKind.UNEXPECTED_CONTACT
            place = point_at(self._curve, watch.now.middle(link - 1))
            self.events.add(Event(kind=kind, link=link, side=finding.side, place=place))

    def _limit_speed(self, now: Signals, full: float) -> None:
        """The limit follows what the state allows."""
        if self.state is State.GO and self._limit >= full:
            self._limit = math.inf
            return
        tuning = self._tuning.supervision
        goal = full if self.state is State.GO else self._tuning.steering.slow_speed
        goal = 0.0 if self.state is State.STOPPED else goal
        before = min(self._limit, max(abs(now.desired), goal))
        least = before - tuning.braking * self._period
        most = before + self._rising * self._period
        self._limit = min(max(goal, least), most)

    def temper(self, torque: Array, position: Array) -> Array:
        """Damp what is not on the way along the path; give way where joint forces are high; of a
        lost robot, only dampers and weak springs are left.
        """
        now = self._now
        if now is not None and self.state is State.LOST:
            # not less the rate of the reference: nobody knows any more to which posts it bends
            return self._soft_hold.torque(position, now.joint_rate, now.along, now.rate)
        if now is not None and not now.closing:
            torque = damped(torque, now, self.state is State.GO, self._fault, self._tuning)
        self._soft_hold.record(torque)
        return torque
