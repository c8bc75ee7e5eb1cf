"""Supervision where posts may stand elsewhere than the map says.

    go       the contact model is trusted; nothing changes
    slow     something has left the band of good runs: low speed, weaker forces
    back     a post is not there, and without it nothing holds the robot: back to where it is held
    stopped  it cannot go on: it stands, held by its posts
    lost     the contact model is wrong: joints are damped and drawn softly to the shape they had

Slow ends after a quiet way, also on a new path. A robot that stopped for a blow goes on slowly once
it has stood quietly and held, unless it stops again and again; where too few posts hold it, beside
one that an exact map does not have or that is not located, where posts are taken for others, and
lost it stays until `reset`. From where it stopped, but not lost, it may be sent back the way it
came.
"""

from __future__ import annotations

import math
from enum import Enum

import numpy as np

from boa_control.controllers.hoal.contacts.closure import LEAST_HOLD, START_SHAPE, may_hold
from boa_control.controllers.hoal.set_points import SLOW_SPEED, Travel
from boa_control.controllers.hoal.start.contact_acquisition import ContactAcquisition
from boa_control.controllers.hoal.supervision import thresholds
from boa_control.controllers.hoal.supervision.detectors import (
    REST_TIME,
    SLOW_TIME,
    Blows,
    FewMeasured,
    StrangePosts,
    WayMade,
)
from boa_control.controllers.hoal.supervision.explored_path import ExploredPath
from boa_control.controllers.hoal.supervision.fallback import BRAKING, ForceShare, SoftHold, damped
from boa_control.controllers.hoal.supervision.interface import Movement, Signals
from boa_control.controllers.hoal.supervision.thresholds import BandWatch
from boa_control.paths.path import Curve
from boa_description.arrays import Array
from boa_description.robot import Robot

PERSISTENCE = 0.01  # s, outside the first band: noise and single samples do not count
# m/s along the path, above which a robot without hold does not turn round; up to it a gap between
# its posts is one that it may not get over
SLOW_RETURN = 0.05
HELD_WAY = 0.04  # m that it goes further back once it is held again
RETURN_WAY = 0.2  # m back without being held again, after which it stops all the same
PRESSED_TIME = 0.5  # s, in which a post that the map may lack must be located, or it stops
SWING_TIME = 5.0  # s, after which one that still holds its posts must have come to rest
QUIET_WAY = 0.3  # m inside the first band, after which slow ends
RISING = 0.1  # m/s2, with which the speed limit rises again


class State(Enum):
    """How far the contact model is trusted."""

    GO = "go"
    SLOW = "slow"
    BACK = "back"
    STOPPED = "stopped"
    LOST = "lost"


class MapSupervisor:
    """The variant of `Supervision` that watches every tick.

    Attributes:
        state: see above.
    """

    watching = True

    def __init__(
        self,
        robot: Robot,
        curve: Curve,
        explored: ExploredPath,
        period: float,
        friction: float = 0.0,
        map_error: float = 0.0,
    ) -> None:
        """`curve`: the path, for places in events. `period`: of the control ticks, s. `friction`:
        of the floor, Coulomb; up to it a post is pressed in vain. `map_error`: expected offset of a
        post, standard deviation, m.
        """
        self._curve = curve
        self._explored = explored
        self._period = period
        self._fault = robot.limits.joint_force_fault
        self._soft_hold = SoftHold(robot.joints, period)
        self._way = WayMade(period)
        self._few = FewMeasured(robot, friction, period, map_error)
        self._forces = ForceShare(period)
        self._blows = Blows(period)
        self._watch = BandWatch(period, self._fault)
        self._strange = StrangePosts(period)
        self.reset()

    def reset(self) -> None:
        """Trust the map again."""
        self._explored.reset()
        self._blind = math.inf
        self.state = State.GO
        self._closing = False  # in the last tick
        self._lacks_first = False  # it set off without one of its first posts, and lacks it still
        self._few.reset()
        self._forces.reset()
        self._blows.reset()
        self._watch.reset()
        self._strange.reset()
        self._outside = self._stood = 0.0  # s
        self._quiet = self._held_way = self._return_way = 0.0  # m
        self._way.reset()
        self._barred = 0  # direction in which it came to where it stopped
        self._limit = math.inf
        self._absent: set[int] = set()  # posts that are not there
        self._halted = ""
        self._events: list[str] = []
        self._now: Signals | None = None
        self._soft_hold.reset()

    def go_on_from(self, before: MapSupervisor) -> None:
        """A robot that was slow, or stopped, takes the new path slowly."""
        self._forces.go_on_from(before._forces)
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
        now = self._now
        if now is None or self._lacks_first:
            return self._lacks_first
        if abs(now.rate) > SLOW_RETURN:
            return False
        shall_be_slow = self.state is State.SLOW or abs(now.desired) <= SLOW_RETURN
        return shall_be_slow or now.hold < LEAST_HOLD

    @property
    def halted(self) -> str:
        """Why the robot does not go on, with the place; empty while it does."""
        return self._halted

    @property
    def lost(self) -> bool:
        """The contact model is not trusted any more."""
        return self.state is State.LOST

    def pop_events(self) -> tuple[str, ...]:
        """Events since the last call."""
        events, self._events = tuple(self._events), []
        return events

    def pop_strange(self) -> tuple[int, ...]:
        """Links, from 0, on which something that is not on the map presses; since the last call."""
        return self._strange.pop()

    def glance(self, now: Movement, startup: ContactAcquisition) -> None:
        """Nothing that its signals do not say."""

    def update(self, signals: Signals, travel: Travel) -> None:
        """Use one tick."""
        now, self._now = signals, signals
        self._forces.calm(now)
        self._blind = self._explored.limit(now.sigma, travel.direction)
        if self.state is State.LOST:
            return
        if now.closing or self._closing:
            self._start(now)
            self._closing = now.closing
            return
        moved = abs(now.rate) * self._period
        settling = now.settling and now.touching == now.contacts
        out = self._watch.update(now, settling)
        strange = self._strange.link(now, moved, travel, self.state is State.STOPPED)
        self._outside = self._outside + self._period if out or strange else 0.0
        self._few.count(now, self.share)
        event = self._outside >= PERSISTENCE or self._few.doubtful
        self._quiet = 0.0 if event else self._quiet + moved
        met = strange is not None and event and now.exact  # a post that is not on the map
        if event and self.state is State.GO and not met:
            self._enter(State.SLOW, out or f"{now.touching} of {now.contacts} posts measured", now)
        elif self.state is State.GO and self._way.doubtful:
            self._enter(State.SLOW, f"no way made in {SLOW_TIME:.0f} s", now)
        elif self.state is State.SLOW and self._quiet >= QUIET_WAY:
            self._enter(State.GO, "as planned again", now)
        if event and strange is not None:
            self._tell_contact(now, *strange)
        self._forces.follow(now.hold)
        self._count_posts(now, moved)
        self._turn_away(now, travel)
        self._worse(now, strange, met, travel.direction)
        self._travel(now)
        self._stand(now, quiet=not (out or strange))
        self._limit_speed(now, travel.speed)

    def _start(self, now: Signals) -> None:
        """Give up a start that does not take hold of its posts; weigh what holds it without one."""
        measured = f"{now.touching} of {now.contacts} planned posts measured at the start"
        if now.undetected:
            measured += f", not {', '.join(map(str, now.undetected))}"
        if self._few.gives_up_closing(now):
            self._enter(State.LOST, measured, now)
        elif not now.closing and now.touching < now.contacts:
            bent = thresholds.off_shape(now.shape, START_SHAPE)
            if bent:
                self._enter(State.LOST, f"{measured}, {bent}", now)
            self._lacks_first = True

    def _stand(self, now: Signals, quiet: bool) -> None:
        """Once stopped: give up the contact model if it makes the body swing; go on after a blow,
        when everything is as it should be again.
        """
        if self.state is not State.STOPPED:
            self._stood = 0.0
            return
        self._stood += self._period
        swings = self._watch.leaves(thresholds.STANDING, now)
        if swings and self._stood >= (SWING_TIME if _held(now) else REST_TIME):
            self._enter(State.LOST, f"does not stand still, {swings}", now)
        elif not (now.exact and self._absent) and self._blows.over(quiet and _held(now)):
            self._enter(State.SLOW, "goes on", now)

    def _travel(self, now: Signals) -> None:
        """Stop where it does not get on."""
        standing = self.state in (State.STOPPED, State.LOST)
        barred = now.exact and self._strange.any  # on another map the next post is searched
        seconds = self._way.lacking(now.place, now.desired, standing, barred)
        if seconds:
            self._blows.reset()
            self._enter(State.STOPPED, f"no way made in {seconds:.0f} s", now)

    def _count_posts(self, now: Signals, moved: float) -> None:
        """Posts that are not there, and whether the others hold the robot."""
        for post in now.absent.tolist():
            if post not in self._absent:
                self._absent.add(post)
                self._events.append(f"post {post} not there")
        if self.state is State.BACK:
            self._return_way += moved
            self._held_way = 0.0 if now.hold < LEAST_HOLD else self._held_way + moved
            if self._held_way >= HELD_WAY or self._return_way >= RETURN_WAY:
                self._blows.reset()
                self._enter(State.STOPPED, self._without(), now)
        elif self.state is not State.STOPPED and now.absent.size and now.hold < LEAST_HOLD:
            if abs(now.rate) > SLOW_RETURN:  # it runs away: turning round would be a blow
                self._enter(State.LOST, self._without(), now)
                return
            self._held_way = self._return_way = 0.0
            self._enter(State.BACK, self._without(), now)

    def _without(self) -> str:
        return f"without post {self._absent_posts()} too few hold the robot"

    def _absent_posts(self) -> str:
        return ", ".join(map(str, sorted(self._absent)))

    def _turn_away(self, now: Signals, travel: Travel) -> None:
        """Where it was stopped it may be sent back: that way it has passed."""
        if self.state is State.STOPPED and self._barred * travel.goal < 0:
            self._strange.leave(self._barred)
            self._enter(State.SLOW, "goes back", now)

    def _worse(
        self, now: Signals, strange: tuple[int, str] | None, met: bool, direction: int
    ) -> None:
        """Stop or give up the contact model.

        Args:
            strange: link on which something unplanned presses, and its side. met: it is a post that
                is not on the map: every further millimetre bends the body round it.
        """
        within = self._watch.within
        lost = "" if within else self._watch.leaves(thresholds.LOST, now)
        self._lacks_first = self._lacks_first and now.touching < now.contacts
        # a robot that stands may feel the post that it lacks yet
        moving = abs(now.rate) > SLOW_SPEED
        unheld = self._lacks_first and moving and now.hold < LEAST_HOLD
        if not lost and (self._few.lost or unheld):
            lost = f"{now.touching} of {now.contacts} planned posts measured"
            lost += ", too few hold the robot" if unheld else ""
        if lost:
            self._enter(State.LOST, lost, now)
            return
        if self.state not in (State.GO, State.SLOW, State.BACK):
            return
        if self.state is not State.BACK:
            self._barred = direction
        self._strange.count(strange is not None)
        misled = self._misled(now)
        if misled:
            self._blows.reset()
            self._enter(State.STOPPED, misled, now)
            return
        if strange is not None and not met:
            strange = thresholds.strange_link(now, thresholds.STOP)
        if strange is not None and not self._strange.leaving:
            self._stop_beside(now, *strange)
            return
        reason = "" if within else self._watch.leaves(thresholds.STOP, now)
        if now.thrust > thresholds.STOP.axial:
            reason = f"post {now.met} met by the tip"
        if reason:
            without = f", without post {self._absent_posts()}" if self._absent else ""
            self._blows.record(now.place)
            self._enter(State.STOPPED, reason + without, now)

    def _misled(self, now: Signals) -> str:
        """Why touch does not tell any more where posts stand; empty where it may."""
        if self._lacking(now) and self._strange.pressing >= PRESSED_TIME:
            return "an unexpected contact that tells no way past it"
        return now.misled

    def _stop_beside(self, now: Signals, link: int, side: str) -> None:
        """Stop where something unplanned presses on a link, from 0."""
        self._tell_contact(now, link, side)
        if now.exact:
            self._blows.reset()
        else:  # a post of the map may stand there: where, its touch has told
            self._blows.record(now.place)
        self._enter(State.STOPPED, f"unexpected contact on link {link + 1}", now)

    def _lacking(self, now: Signals) -> bool:
        """A post that the map lacks may press, and is planned with once it is located."""
        return self._blind < math.inf and not now.exact

    def _tell_contact(self, now: Signals, link: int, side: str) -> None:
        """One event for each link on which something unplanned presses."""
        if self._strange.tell(link, again=self._lacking(now)):
            place = self._at(now.middle(link))
            self._events.append(f"unexpected contact link {link + 1} {side} at {place}")

    def _at(self, s: float) -> str:
        """The point of the path there, m."""
        x, y = self._curve.position(np.array([s]))[0]
        return f"({x:.3f}, {y:.3f})"

    def _enter(self, state: State, reason: str, now: Signals) -> None:
        self.state = state
        self._quiet = 0.0
        told = f"{state.value}: {reason}, at {self._at(now.place)}"
        self._halted = told if state in (State.STOPPED, State.LOST) else ""
        self._events.append(told)

    def _limit_speed(self, now: Signals, full: float) -> None:
        """The limit follows what the state allows."""
        if self.state is State.GO and self._limit >= full:
            self._limit = math.inf
            return
        goal = full if self.state is State.GO else SLOW_SPEED
        goal = 0.0 if self.state is State.STOPPED else goal
        before = min(self._limit, max(abs(now.desired), goal))
        least, most = before - BRAKING * self._period, before + RISING * self._period
        self._limit = min(max(goal, least), most)

    def temper(self, torque: Array, position: Array) -> Array:
        """Damp what is not on the way along the path; give way where joint forces are high; of a
        lost robot, only dampers and weak springs are left.
        """
        now = self._now
        if now is not None and self.state is State.LOST:
            # not less the rate of the reference: nobody knows any more to which posts it bends
            return self._soft_hold.torque(position, now.joint_rate, now.along, now.rate)
        if now is None or now.closing:
            self._soft_hold.record(torque)
            return torque
        torque = damped(torque, now, self.state is State.GO, self._fault)
        self._soft_hold.record(torque)
        return torque


def _held(now: Signals) -> bool:
    """The posts that are measured can hold the body."""
    return now.hold >= LEAST_HOLD and may_hold(now.touching, now.contacts)
