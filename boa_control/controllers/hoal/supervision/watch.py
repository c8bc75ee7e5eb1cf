"""What supervision measures at one tick, and the guards of its table.

A guard is asked in the states of its rows only, so one that counts does not count in others.
"""

from __future__ import annotations

from boa_control.controllers.hoal.contacts.closure import LEAST_HOLD, START_SHAPE, may_hold
from boa_control.controllers.hoal.set_points import SLOW_SPEED, Travel
from boa_control.controllers.hoal.supervision import thresholds
from boa_control.controllers.hoal.supervision.detectors import (
    REST_TIME,
    SLOW_TIME,
    Blows,
    FewMeasured,
    StrangePosts,
    WayBack,
    WayMade,
    at_start,
)
from boa_control.controllers.hoal.supervision.interface import Signals
from boa_control.controllers.hoal.supervision.reasons import Finding, Reason
from boa_control.controllers.hoal.supervision.stopwatch import Stopwatch
from boa_description.robot import Robot

PERSISTENCE = 0.01  # s, outside the first band: noise and single samples do not count
# m/s along the path, above which a robot without hold does not turn round; up to it a gap between
# its posts is one that it may not get over
SLOW_RETURN = 0.05
PRESSED_TIME = 0.5  # s, in which a post that the map may lack must be located, or it stops
SWING_TIME = 5.0  # s, after which one that still holds its posts must have come to rest
QUIET_WAY = 0.3  # m inside the first band, after which slow ends


class Watch:
    """The detectors, with what they find at one tick.

    Attributes:
        now: signals of the tick.
        lacking: a post that the map lacks may press, and is planned with once it is located.
        lacks_first: the robot set off without one of its first posts, and lacks it still.
        strange: the link on which something unplanned presses, and its side.
        strange_posts: remembers which did.
    """

    now: Signals

    def __init__(self, robot: Robot, period: float, friction: float, map_error: float) -> None:
        """`period`: of the control ticks, s. `friction`: of the floor, Coulomb. `map_error`:
        expected offset of a post, standard deviation, m.
        """
        self._period = period
        self.strange_posts = StrangePosts()
        self._band = thresholds.BandWatch(period, robot.limits.joint_force_fault)
        self._few_measured = FewMeasured(robot, friction, period, map_error)
        self._way_made = WayMade(period)
        self._way_back = WayBack()
        self._blows = Blows(period)
        self._outside = Stopwatch(period)
        self._pressing = Stopwatch(period)
        self._standing = Stopwatch(period)
        self._detectors = (
            *(self.strange_posts, self._band, self._few_measured, self._way_made, self._way_back),
            *(self._blows, self._outside, self._pressing, self._standing),
        )
        self.reset()

    def reset(self) -> None:
        """Nothing has been measured."""
        for detector in self._detectors:
            detector.reset()
        self.lacking = self.lacks_first = False
        self.strange: Finding | None = None
        self._out: Finding | None = None
        self._few: Finding | None = None
        self._doubtful = False  # this tick counts against the contact model
        self._quiet = 0.0  # m without such ticks
        self._absent: tuple[int, ...] = ()  # posts that are not there
        self._moved = 0.0  # m
        self._travel = Travel(1, 0.0)
        self._barred = 0  # direction in which it came to where it stopped

    def start(self, now: Signals, share: float) -> None:
        """Use one tick in which the robot closes on its first posts, or the first one after."""
        self.now = now
        self._few = self._few_measured.update(now, share, starting=True)
        if self._few is None:
            self.lacks_first |= not now.closing and now.touching < now.contacts

    def update(
        self, now: Signals, travel: Travel, share: float, standing: bool, lacking: bool
    ) -> None:
        """Use one tick under way.

        Args:
            share: of the contact forces that may be desired, 0 to 1. standing: the robot has
                stopped. lacking: the map may lack posts.
        """
        self.now, self._travel = now, travel
        self.lacking = lacking and not now.exact
        self.lacks_first = self.lacks_first and now.touching < now.contacts
        self._moved = abs(now.rate) * self._period
        settling = now.settling and now.touching == now.contacts
        self._out = self._band.update(now, settling)
        self.strange = self.strange_posts.update(now, self._moved, travel, standing)
        outside = self._outside.update(not self._calm)
        self._few = self._few_measured.update(now, share, starting=False)
        self._doubtful = outside >= PERSISTENCE or self._few is not None
        self._quiet = 0.0 if self._doubtful else self._quiet + self._moved

    def stand(self, standing: bool) -> None:
        """Whether the robot has stopped by now, or shall get on."""
        if standing:
            self._way_made.stand(self.now.place)
        else:
            self._standing.reset()

    def missed(self) -> tuple[int, ...]:
        """Posts that are not there, as has just become known."""
        news = tuple(post for post in self.now.absent.tolist() if post not in self._absent)
        if news:
            self._absent = tuple(sorted({*self._absent, *news}))
        return news

    def pressed(self) -> Finding | None:
        """What presses and is to be told."""
        return self.strange if self._doubtful else None

    def enter(self, travelling: bool) -> None:
        """Another state begins. `travelling`: in the one before, the way that it shall go."""
        if travelling:
            self._barred = self._travel.direction
        self._quiet = 0.0
        self._way_back.reset()

    # what else happens where a state is entered

    def proceed(self) -> None:
        """Nothing else."""

    def stay(self) -> None:
        """It stopped for good: what led to it does not pass."""
        self._blows.reset()

    def rest(self) -> None:
        """It stopped for a blow, which passes."""
        self._blows.record(self.now.place)

    def leave(self) -> None:
        """It goes back from what it ran into."""
        self.strange_posts.leave(self._barred)

    # guards at the start

    def few_at_start(self) -> Finding | None:
        """First posts do not hold the robot."""
        return self._few

    def bent_at_start(self) -> Finding | None:
        """It does not measure all of them, and is far off the shape of its path."""
        if self.now.closing or self.now.touching == self.now.contacts:
            return None
        bent = thresholds.off_shape(self.now.shape, START_SHAPE)
        return None if bent is None else at_start(self.now, bent)

    # guards of a robot that is under way

    def outside(self) -> Finding | None:
        """A signal has left the band of good runs, or few posts are measured."""
        if not self._doubtful or self._met:
            return None
        few = Finding(Reason.FEW_MEASURED, self.now.touching, self.now.contacts)
        return self._out or few

    def little_way(self) -> Finding | None:
        """No way was made for a while."""
        return Finding(Reason.NO_WAY_MADE, SLOW_TIME) if self._way_made.doubtful else None

    def quiet_way(self) -> Finding | None:
        """Nothing has counted against the contact model on a way."""
        return Finding(Reason.AS_PLANNED) if self._quiet >= QUIET_WAY else None

    def held_again(self) -> Finding | None:
        """Posts hold the robot that went back, or will not."""
        return self._way_back.update(self.now, self._moved, self._absent)

    def runs_away(self) -> Finding | None:
        """Without a post nothing holds it, and turning round would be a blow."""
        return self.unheld() if abs(self.now.rate) > SLOW_RETURN else None

    def unheld(self) -> Finding | None:
        """Without a post nothing holds it."""
        if not self.now.absent.size or self.now.hold >= LEAST_HOLD:
            return None
        return Finding(Reason.TOO_FEW_HOLD, posts=self._absent)

    def sent_back(self) -> Finding | None:
        """It shall go back from where it was stopped: that way it has passed."""
        return Finding(Reason.GOES_BACK) if self._barred * self._travel.goal < 0 else None

    def far_off(self) -> Finding | None:
        """The model of the contacts has nothing to do with the robot any more."""
        return self._leaves(thresholds.LOST)

    def unbalanced(self) -> Finding | None:
        """It moves without one of its first posts, and the others do not hold it: one that stands
        may detect that post yet.
        """
        moving = abs(self.now.rate) > SLOW_SPEED
        if self.lacks_first and moving and self.now.hold < LEAST_HOLD:
            return Finding(Reason.UNBALANCED, self.now.touching, self.now.contacts)
        return None

    def few_for_long(self) -> Finding | None:
        """Fewer posts are measured than can hold it, for long."""
        if not self._few_measured.lost:
            return None
        return Finding(Reason.FEW_FOR_LONG, self.now.touching, self.now.contacts)

    def not_located(self) -> Finding | None:
        """What presses on a robot that goes on tells no way past it."""
        pressing = self._pressing.update(self.strange is not None)
        stops = self.lacking and pressing >= PRESSED_TIME
        return Finding(Reason.NO_WAY_PAST) if stops else None

    def misled(self) -> Finding | None:
        """Touch does not tell any more where posts stand."""
        return Finding(Reason.MISLED, words=self.now.misled) if self.now.misled else None

    def unmapped(self) -> Finding | None:
        """A post presses that is not on an exact map."""
        return self._presses_hard() if self.now.exact else None

    def unplanned(self) -> Finding | None:
        """A post presses that may be on the map: where, its touch has told."""
        return None if self.now.exact else self._presses_hard()

    def met_by_tip(self) -> Finding | None:
        """The leading end runs on a planned post."""
        if self.now.thrust <= thresholds.STOP.axial or self.now.met is None:
            return None
        return self._without_posts(Finding(Reason.MET_BY_TIP, posts=(self.now.met,)))

    def blow(self) -> Finding | None:
        """A signal has left the second band."""
        blow = self._leaves(thresholds.STOP)
        return None if blow is None else self._without_posts(blow)

    def stuck(self) -> Finding | None:
        """No way was made for too long."""
        barred = self.now.exact and self.strange_posts.any  # else the next post is searched
        return self._way_made.update(self.now, barred)

    def swings(self) -> Finding | None:
        """It has stopped, and the contact model makes the body swing."""
        stood = self._standing.update(True)
        if stood < (SWING_TIME if self._held else REST_TIME):
            return None
        off = self._band.leaves(thresholds.STANDING, self.now)
        return None if off is None else Finding(Reason.NOT_STILL, further=off)

    def rested(self) -> Finding | None:
        """It has stopped for a blow, and everything is as it should be again."""
        over = self._blows.update(self._calm and self._held)
        return None if self.now.exact and self._absent else over

    @property
    def _calm(self) -> bool:
        """No signal is outside the band of good runs, and nothing unplanned presses."""
        return self._out is None and self.strange is None

    @property
    def _met(self) -> bool:
        """A post presses that an exact map has not: further on it bends the body round it."""
        return self.strange is not None and self._doubtful and self.now.exact

    @property
    def _held(self) -> bool:
        """The posts that are measured can hold the body."""
        now = self.now
        return now.hold >= LEAST_HOLD and may_hold(now.touching, now.contacts)

    def _leaves(self, band: thresholds.Band) -> Finding | None:
        """Why the signals are outside a band that is wider than that of good runs."""
        return None if self._band.within else self._band.leaves(band, self.now)

    def _presses_hard(self) -> Finding | None:
        """What presses outside the second band; on a met post every further millimetre counts."""
        if self.strange is None or self.strange_posts.leaving:
            return None
        if self._met:
            return self.strange
        return thresholds.strange_link(self.now, thresholds.STOP)

    def _without_posts(self, finding: Finding) -> Finding:
        """With the posts that are not there."""
        if not self._absent:
            return finding
        return finding._replace(further=Finding(Reason.WITHOUT_POSTS, posts=self._absent))
