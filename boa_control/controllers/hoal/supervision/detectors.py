# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Detectors: what is counted from tick to tick, to judge whether the contact model holds.

Each has one method, `update`, which uses one tick and gives what it finds, and `reset`.
`FewMeasured`: for how long fewer posts are measured than can hold the robot. `WayMade`: whether a
robot that should travel gets on; where it does not, nothing that the controller knows will change
that. `WayBack`: whether one that goes back is held again. `StrangePosts`: what presses on the body
although no planned post stands there. `Blows`: whether one that stopped for a blow may go on.
"""

from __future__ import annotations

from boa_control.controllers.hoal.contacts.closure import LEAST_HOLD, may_hold
from boa_control.controllers.hoal.contacts.detection import APPROACH, TOUCH_FORCE
from boa_control.controllers.hoal.post_map.search import MARGIN, SEARCH_LIMIT
from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.supervision import thresholds
from boa_control.controllers.hoal.supervision.interface import Signals
from boa_control.controllers.hoal.supervision.reasons import Finding, Reason
from boa_control.controllers.hoal.supervision.stopwatch import Stopwatch
from boa_description.robot import Robot
from boa_description.scene import GRAVITY

FEW_TIME = 0.1  # s with fewer measured than `may_hold`, after which the robot is slow
LOST_TIME = 0.3  # s of the same, after which it is lost
FEEL_TIME = 1.0  # s, after which posts must be measured again that were not pressed
CLOSING_CONTACTS = 3  # fewer than that, at the start, balance nothing
CLOSING_TIME = 2.0  # s of the same, once the others are pressed enough to be measured
NEARING = 0.002  # m/s; a body that nears a post so fast while it closes is on its way to it
SLOW_TIME = 3.0  # s without STUCK_WAY in which it should travel, after which it is slow
STUCK_TIME = 15.0  # s without STUCK_WAY in which it should travel, after which it stops
BARRED_TIME = 2.0  # s of the same at least, where something unplanned has pressed
BARRED_WAY = 0.03  # m that it should have made meanwhile
STUCK_WAY = 0.01  # m
CREEP = 2e-3  # m/s desired, below which it need not get on
HELD_WAY = 0.04  # m that it goes further back once it is held again
RETURN_WAY = 0.2  # m back without being held again, after which it stops all the same
FREE_WAY = 0.03  # m on the way back, on which what it ran into may still press
REST_TIME = 1.0  # s of quiet standing, after which a robot that stopped for a blow goes on
STOPS = 3  # of them within STOP_WAY, after which it does not
STOP_WAY = 0.1  # m


class FewMeasured:
    """Counts the time with too few."""

    def __init__(
        self, robot: Robot, friction: float, period: float, map_error: float = 0.0
    ) -> None:
        """`friction`: of the floor, Coulomb; up to it a post is pressed in vain. `period`: of the
        control ticks, s. `map_error`: expected offset of a post, standard deviation, m.
        """
        self._farthest = SEARCH_LIMIT * map_error + MARGIN  # m, that a first post may stand off
        self._measurable = TOUCH_FORCE + friction * robot.link.mass * GRAVITY  # N
        self._period = period
        self.reset()

    def reset(self) -> None:
        """No time has passed."""
        self._way = 0.0  # m, for which it has neared posts without hold
        self._time = 0.0  # s; below 0 while posts that were not pressed are detected again

    @property
    def lost(self) -> bool:
        """For so long that the contact model is wrong."""
        return self._time >= LOST_TIME

    def update(self, now: Signals, share: float, starting: bool) -> Finding | None:
        """Use one tick; few for so long that the robot has to be slow or, at the start, must not
        set off.

        Args:
            share: of the contact forces that may be desired, 0 to 1.
            starting: it closes on its first posts, or did in the tick before.
        """
        if starting:
            return at_start(now) if self._gives_up(now) else None
        # posts that are pressed no more, because together they do not hold the robot, cannot be
        # measured, and take a while to be detected again
        if not now.absent.size and share * now.pressed < self._measurable:
            self._time = -FEEL_TIME
        elif may_hold(now.touching, now.contacts):
            self._time = 0.0
        else:
            self._time += self._period
        few = self._time >= FEW_TIME
        return Finding(Reason.FEW_MEASURED, now.touching, now.contacts) if few else None

    def _gives_up(self, now: Signals) -> bool:
        """Whether first posts do not hold the robot: it would gather momentum. At first posts at
        their places are pressed too gently to be measured; meanwhile a robot that stands still
        waits.
        """
        held = now.touching >= CLOSING_CONTACTS
        self._way = 0.0 if held else self._way + self._period * now.drift
        strayed = self._way > self._farthest
        # it is on its way to the next post
        nearing = now.drift > NEARING and not strayed
        pressed = APPROACH * now.pressed >= self._measurable or (now.touching > 0 and strayed)
        few = pressed and not (held or nearing)
        self._time = self._time + self._period if few else 0.0
        ended = not now.closing and not may_hold(now.touching, now.contacts)  # by its time
        return self._time >= CLOSING_TIME or ended


def at_start(now: Signals, further: Finding | None = None) -> Finding:
    """How many first posts are measured, and which are not. `further`: what was also found."""
    if now.undetected:
        further = Finding(Reason.NOT_AMONG_THEM, posts=now.undetected, further=further)
    return Finding(Reason.FEW_AT_START, now.touching, now.contacts, further=further)


class WayMade:
    """Counts the time without way."""

    def __init__(self, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._period = period
        self.reset()

    def reset(self) -> None:
        """No time has passed."""
        self.stand(0.0)

    def stand(self, place: float) -> None:
        """It shall stay where it is, at a path coordinate, m."""
        self._mark = place  # m, where it was last seen to travel
        self._stuck = 0.0  # s

    @property
    def doubtful(self) -> bool:
        """No way was made for so long that the robot has to be slow: where its posts push it back,
        weaker forces may let it pass.
        """
        return self._stuck >= SLOW_TIME

    def update(self, now: Signals, barred: bool) -> Finding | None:
        """Use one tick of a robot that shall travel; no way was made for too long.

        Args:
            barred: something unplanned has pressed on it, and no post is searched meanwhile.
        """
        place, desired = now.place, abs(now.desired)
        if desired < CREEP or abs(place - self._mark) > STUCK_WAY:
            self.stand(place)
            return None
        self._stuck += self._period
        patience = STUCK_TIME
        if barred:
            patience = min(max(BARRED_TIME, BARRED_WAY / desired), STUCK_TIME)
        return Finding(Reason.NO_WAY_MADE, patience) if self._stuck >= patience else None


class WayBack:
    """Measures the way on which a robot goes back to where posts hold it."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """It turns round."""
        self._way = self._held = 0.0  # m

    def update(self, now: Signals, moved: float, absent: tuple[int, ...]) -> Finding | None:
        """Use one tick; it is held again, or not for too long. `moved`: in this tick, m. `absent`:
        posts that are not there.
        """
        self._way += moved
        self._held = 0.0 if now.hold < LEAST_HOLD else self._held + moved
        ended = self._held >= HELD_WAY or self._way >= RETURN_WAY
        return Finding(Reason.TOO_FEW_HOLD, posts=absent) if ended else None


class StrangePosts:
    """Remembers on which links something unplanned has pressed.

    Attributes:
        leaving: m left of the way back on which what the robot ran into may still press.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Nothing has pressed."""
        self.leaving = 0.0
        self._left = 0  # direction in which what it leaves was run into
        self._links: set[int] = set()  # from 0, on which something has pressed
        self._told: list[int] = []

    @property
    def any(self) -> bool:
        """Something unplanned has pressed."""
        return bool(self._links)

    def leave(self, direction: int) -> None:
        """The robot goes back from what it ran into, going in a direction, 1 or -1."""
        self.leaving, self._left = FREE_WAY, direction

    def update(self, now: Signals, moved: float, travel: Travel, standing: bool) -> Finding | None:
        """Use one tick; the link on which something unplanned presses, and its side.

        Args:
            moved: way of this tick along the path, m. standing: the robot has stopped; on an exact
                map the first strange post pushes its body against posts of the map then.
        """
        returning = travel.direction == travel.goal == self._left
        self.leaving = 0.0 if returning else max(self.leaving - moved, 0.0)
        if self.leaving or (now.exact and standing):
            return None
        return thresholds.strange_link(now, thresholds.SLOW)

    def tell(self, link: int, again: bool) -> bool:
        """Something presses on a link, from 0; whether it is the first time.

        Args:
            again: a post that the map lacks is to be located, for which every tick counts.
        """
        first = link not in self._links
        if first or again:
            self._told.append(link)
        self._links.add(link)
        return first

    def pop(self) -> tuple[int, ...]:
        """Links told since the last call, from 0."""
        links, self._told = tuple(self._told), []
        return links


class Blows:
    """Remembers the stops for blows since the robot last stopped for another reason."""

    def __init__(self, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._rested = Stopwatch(period)
        self.reset()

    def reset(self) -> None:
        """None yet."""
        self._places: list[float] = []  # path coordinates, m
        self._rested.reset()

    def record(self, place: float) -> None:
        """It stops at a path coordinate, m."""
        self._rested.reset()
        self._places.append(place)

    def update(self, quiet: bool) -> Finding | None:
        """Use one tick of standing; it was for a blow, and the robot may go on.

        Args:
            quiet: it is held, and nothing is outside the band of good runs.
        """
        if not self._places:
            return None
        rested = self._rested.update(quiet)
        here = sum(abs(place - self._places[-1]) < STOP_WAY for place in self._places)
        return Finding(Reason.GOES_ON) if rested >= REST_TIME and here < STOPS else None
