# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Detectors: what is counted from tick to tick, to judge whether the contact model holds.

Each has one method, `update`, which uses one tick and gives what it finds, and `reset`.
`FewMeasured`: for how long fewer posts are measured than can hold the robot. `WayBack`: whether one
that goes back is held again. `StrangePosts`: what presses on the body although no planned post
stands there. `Blows`: whether one that stopped for a blow may go on. Whether it gets on says
`Way`, of all.
"""

from dataclasses import replace

from boa_control.controller import Briefing
from boa_control.controllers.hoal.contacts.closure import may_hold
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.supervision import thresholds
from boa_control.controllers.hoal.supervision.interface import Signals
from boa_control.controllers.hoal.supervision.reasons import Finding, Reason
from boa_control.controllers.hoal.supervision.stopwatch import Stopwatch
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_description.scene import GRAVITY


class FewMeasured:
    """Counts the time with too few."""

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        tuning, floor = parameters.tuning, briefing.ground
        post_map, friction = tuning.post_map, max(floor.mu, floor.mu_normal)
        # m, that a first post may stand off
        self._farthest = post_map.search_limit * parameters.map_error + post_map.margin
        # N; up to the friction of the floor a post is pressed in vain
        rubbing = friction * briefing.robot.link.mass * GRAVITY
        self._measurable = tuning.contacts.touch_force + rubbing
        self._period = briefing.period
        self._tuning, self._contacts = tuning.supervision, tuning.contacts
        self._patience, self._settling = tuning.steering.patience, tuning.start.settling_time
        self._nearing = tuning.steering.still_speed  # m/s, of a body on its way to a post
        self.reset()

    def reset(self) -> None:
        """No time has passed."""
        self._way = 0.0  # m, for which it has neared posts without hold
        self._time = 0.0  # s; below 0 while posts that were not pressed are detected again

    @property
    def lost(self) -> bool:
        """For so long that the contact model is wrong."""
        return self._time >= self._tuning.lost_time

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
            self._time = -self._settling
        elif self._may_hold(now):
            self._time = 0.0
        else:
            self._time += self._period
        few = self._time >= self._tuning.few_time
        return Finding(Reason.FEW_MEASURED, now.measured, now.planned) if few else None

    def _gives_up(self, now: Signals) -> bool:
        """Whether first posts do not hold the robot: it would gather momentum. At first posts at
        their places are pressed too gently to be measured; meanwhile a robot that stands still
        waits.
        """
        held = now.measured >= self._contacts.balanced  # fewer balance nothing
        self._way = 0.0 if held else self._way + self._period * now.drift
        strayed = self._way > self._farthest
        # it is on its way to the next post
        nearing = now.drift > self._nearing and not strayed
        pressed = self._contacts.approach * now.pressed >= self._measurable or (
            now.measured > 0 and strayed
        )
        few = pressed and not (held or nearing)
        self._time = self._time + self._period if few else 0.0
        ended = not now.closing and not self._may_hold(now)  # by its time
        return self._time >= self._patience or ended

    def _may_hold(self, now: Signals) -> bool:
        return may_hold(now.measured, now.planned, self._contacts)


def at_start(now: Signals, further: Finding | None = None) -> Finding:
    """How many first posts are measured, and which are not. `further`: what was also found."""
    if now.undetected:
        further = Finding(Reason.NOT_AMONG_THEM, posts=now.undetected, further=further)
    return Finding(Reason.FEW_AT_START, now.measured, now.planned, further=further)


class WayBack:
    """Measures the way on which a robot goes back to where posts hold it."""

    def __init__(self, tuning: Tuning = SHIPPED) -> None:
        self._least_hold = tuning.contacts.least_hold
        self._held_way = tuning.post_map.end_zone  # m further back, once it is held again
        self._return_way = tuning.supervision.return_way
        self.reset()

    def reset(self) -> None:
        """It turns round."""
        self._way = self._held = 0.0  # m

    def update(self, now: Signals, moved: float, absent: tuple[int, ...]) -> Finding | None:
        """Use one tick; it is held again, or not for too long. `moved`: in this tick, m. `absent`:
        posts that are not there.
        """
        self._way += moved
        self._held = 0.0 if now.balance < self._least_hold else self._held + moved
        ended = self._held >= self._held_way or self._way >= self._return_way
        return Finding(Reason.TOO_FEW_HOLD, posts=absent) if ended else None


class StrangePosts:
    """Remembers on which links something unplanned has pressed.

    Attributes:
        leaving: m left of the way back on which what the robot ran into may still press.
    """

    def __init__(self, band: thresholds.Band, pitch: float, tuning: Tuning = SHIPPED) -> None:
        """`band`: outside of which something presses. `pitch`: length of a link, m, along which
        what the robot ran into may press until it has left it.
        """
        self._band, self._free_way = band, pitch
        # of a robot that stands although it should not: there the least that presses is why
        self._still = replace(band, exact=tuning.contacts.decisive_force)
        self._patience = tuning.supervision.slow_time  # s
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
        self.leaving, self._left = self._free_way, direction

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
        still = now.exact and now.way.missing(self._patience)
        return thresholds.strange_link(now, self._still if still else self._band)

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

    def __init__(self, period: float, tuning: Tuning = SHIPPED) -> None:
        """`period`: of the control ticks, s."""
        self._stop_way = tuning.supervision.stop_way
        self._rest_time, self._stops = tuning.start.settling_time, tuning.steering.tries
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
        here = sum(abs(place - self._places[-1]) < self._stop_way for place in self._places)
        goes_on = rested >= self._rest_time and here < self._stops
        return Finding(Reason.GOES_ON) if goes_on else None
