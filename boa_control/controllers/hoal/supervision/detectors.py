"""What is counted from tick to tick, to judge whether the contact model holds.

`FewMeasured`: for how long fewer posts are measured than can hold the robot. `WayMade`: whether a
robot that should travel gets on; where it does not, nothing that the controller knows will change
that. `StrangePosts`: what presses on the body although no planned post stands there. `Blows`: where
a robot stopped for a blow, and whether it may go on.
"""

from __future__ import annotations

from boa_control.controllers.hoal.contacts.closure import may_hold
from boa_control.controllers.hoal.contacts.detection import APPROACH, TOUCH_FORCE
from boa_control.controllers.hoal.post_map.search import MARGIN, SEARCH_LIMIT
from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.supervision import thresholds
from boa_control.controllers.hoal.supervision.interface import Signals
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
    def doubtful(self) -> bool:
        """For so long that the robot has to be slow."""
        return self._time >= FEW_TIME

    @property
    def lost(self) -> bool:
        """For so long that the contact model is wrong."""
        return self._time >= LOST_TIME

    def count(self, now: Signals, share: float) -> None:
        """Use one tick under way. Posts that are pressed no more, because together they do not hold
        the robot, cannot be measured, and take a while to be detected again.

        Args:
            share: of the contact forces that may be desired, 0 to 1.
        """
        if not now.absent.size and share * now.pressed < self._measurable:
            self._time = -FEEL_TIME
        elif may_hold(now.touching, now.contacts):
            self._time = 0.0
        else:
            self._time += self._period

    def gives_up_closing(self, now: Signals) -> bool:
        """Use one tick while the robot closes on its first posts, or the first one after; whether
        they do not hold it: it would gather momentum. At first posts at their places are pressed
        too gently to be measured; meanwhile a robot that stands still waits.
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


class WayMade:
    """Counts the time without way."""

    def __init__(self, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._period = period
        self.reset()

    def reset(self) -> None:
        """No time has passed."""
        self._mark = 0.0  # m, path coordinate where it was last seen to travel
        self._stuck = 0.0  # s

    @property
    def doubtful(self) -> bool:
        """No way was made for so long that the robot has to be slow: where its posts push it back,
        weaker forces may let it pass.
        """
        return self._stuck >= SLOW_TIME

    def lacking(self, place: float, desired: float, standing: bool, barred: bool) -> float:
        """Update with one tick; the time, s, in which no way was made, as soon as that is too long,
        else 0.

        Args:
            place: path coordinate, m. desired: speed, m/s.
            standing: it shall stay where it is.
            barred: something unplanned has pressed on it, and no post is searched meanwhile.
        """
        if standing or abs(desired) < CREEP or abs(place - self._mark) > STUCK_WAY:
            self._mark, self._stuck = place, 0.0
            return 0.0
        self._stuck += self._period
        patience = STUCK_TIME
        if barred:
            patience = min(max(BARRED_TIME, BARRED_WAY / abs(desired)), STUCK_TIME)
        return patience if self._stuck >= patience else 0.0


class StrangePosts:
    """Remembers on which links something unplanned has pressed, and for how long it does.

    Attributes:
        pressing: s, for which something unplanned has pressed on a robot that goes on.
        leaving: m left of the way back on which what the robot ran into may still press.
    """

    def __init__(self, period: float) -> None:
        """`period`: of the control ticks, s."""
        self._period = period
        self.reset()

    def reset(self) -> None:
        """Nothing has pressed."""
        self.pressing = self.leaving = 0.0
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

    def link(
        self, now: Signals, moved: float, travel: Travel, standing: bool
    ) -> tuple[int, str] | None:
        """Use one tick; the link, from 0, on which something unplanned presses, and its side.

        Args:
            moved: way of this tick along the path, m. standing: the robot has stopped; on an exact
                map the first strange post pushes its body against posts of the map then.
        """
        returning = travel.direction == travel.goal == self._left
        self.leaving = 0.0 if returning else max(self.leaving - moved, 0.0)
        if self.leaving or (now.exact and standing):
            return None
        return thresholds.strange_link(now, thresholds.SLOW)

    def count(self, presses: bool) -> None:
        """Use one tick of a robot that goes on."""
        self.pressing = self.pressing + self._period if presses else 0.0

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
        self._period = period
        self.reset()

    def reset(self) -> None:
        """None yet."""
        self._places: list[float] = []  # path coordinates, m
        self._rested = 0.0  # s

    def record(self, place: float) -> None:
        """It stops at a path coordinate, m."""
        self._rested = 0.0
        self._places.append(place)

    def over(self, quiet: bool) -> bool:
        """Use one tick of standing; whether it was for a blow and the robot may go on.

        Args:
            quiet: it is held, and nothing is outside the band of good runs.
        """
        if not self._places:
            return False
        self._rested = self._rested + self._period if quiet else 0.0
        here = sum(abs(place - self._places[-1]) < STOP_WAY for place in self._places)
        return self._rested >= REST_TIME and here < STOPS
