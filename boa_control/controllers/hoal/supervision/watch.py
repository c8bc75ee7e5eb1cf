# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What supervision measures at one tick, for the guards of its table."""

from boa_control.controller import Briefing
from boa_control.controllers.hoal.contacts.closure import may_hold
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.supervision.detectors import (
    Blows,
    FewMeasured,
    StrangePosts,
    WayBack,
)
from boa_control.controllers.hoal.supervision.interface import Signals
from boa_control.controllers.hoal.supervision.reasons import Finding
from boa_control.controllers.hoal.supervision.stopwatch import Stopwatch
from boa_control.controllers.hoal.supervision.thresholds import BandWatch


class Watch:
    """The detectors, with what they find at one tick.

    Attributes:
        band, strange_posts, few_measured, way_back, blows, pressing, standing: detectors.
        now: signals of the tick. travel: how the robot shall travel. moved: its way in it, m.
        out, strange, few: what the first three detectors find.
        doubtful: the tick counts against the contact model. quiet: way without such ticks, m.
        lacking: a post that the map lacks may press, and is planned with once it is located.
        posts: measured when it last stopped, or was lost, for what may pass.
        lacks_first: the robot set off without one of its first posts, and lacks it still.
        little_way: it had not got on for a while at the tick before: where its posts push it back,
            weaker forces may let it pass.
        absent: posts that are not there.
        barred: direction in which the robot came to where it stopped, 1 or -1.
        tuning: the constants.
    """

    now: Signals

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        robot, period = briefing.robot, briefing.period
        tuning = parameters.tuning
        self._period = period
        self.tuning = tuning
        self.band = BandWatch(period, robot.limits.joint_force_fault, tuning)
        self.strange_posts = StrangePosts(self.band.bands.slow, robot.link.pitch, tuning)
        self.few_measured = FewMeasured(briefing, parameters)
        self.way_back = WayBack(tuning)
        self.blows = Blows(period, tuning)
        self._outside = Stopwatch(period)
        self.pressing = Stopwatch(period)
        self.standing = Stopwatch(period)
        self._detectors = (
            *(self.band, self.strange_posts, self.few_measured, self.way_back),
            *(self._outside, self.pressing, self.standing),
        )
        self.reset()

    def reset(self) -> None:
        """Nothing has been measured."""
        self.blows.reset()
        self.begin_anew()

    def begin_anew(self) -> None:
        """It takes hold of its posts; how often it has stopped here is not forgotten."""
        for detector in self._detectors:
            detector.reset()
        self.lacking = self.lacks_first = self.little_way = False
        self.strange: Finding | None = None
        self.out: Finding | None = None
        self.few: Finding | None = None
        self.doubtful = False
        self.quiet = 0.0
        self.absent: tuple[int, ...] = ()
        self.moved = 0.0
        self.posts = 0
        self.travel = Travel(1, 0.0)
        self.barred = 0

    def start(self, now: Signals, share: float) -> None:
        """Use one tick in which the robot closes on its first posts, or the first one after."""
        self.now = now
        self.few = self.few_measured.update(now, share, starting=True)
        if self.few is None:
            self.lacks_first |= not now.closing and now.measured < now.planned

    def update(
        self, now: Signals, travel: Travel, share: float, standing: bool, lacking: bool
    ) -> None:
        """Use one tick under way.

        Args:
            share: of the contact forces that may be desired, 0 to 1. standing: the robot has
                stopped. lacking: the map may lack posts.
        """
        self.now, self.travel = now, travel
        self.lacking = lacking and not now.exact
        self.lacks_first = self.lacks_first and now.measured < now.planned
        self.moved = abs(now.rate) * self._period
        settling = now.settling and now.measured == now.planned
        self.out = self.band.update(now, settling)
        self.strange = self.strange_posts.update(now, self.moved, travel, standing)
        outside = self._outside.update(not self.calm)
        self.few = self.few_measured.update(now, share, starting=False)
        persistent = outside >= self.tuning.supervision.persistence
        self.doubtful = persistent or self.few is not None
        self.quiet = 0.0 if self.doubtful else self.quiet + self.moved

    def stand(self, standing: bool) -> None:
        """Whether the robot has stopped by now, or shall get on."""
        if not standing:
            self.standing.reset()
        little = self.now.way.missing(self.tuning.supervision.slow_time)
        self.little_way = little and not standing

    def missed(self) -> tuple[int, ...]:
        """Posts that are not there, as has just become known."""
        news = tuple(post for post in self.now.absent.tolist() if post not in self.absent)
        if news:
            self.absent = tuple(sorted({*self.absent, *news}))
        return news

    def pressed(self) -> Finding | None:
        """What presses and is to be told."""
        return self.strange if self.doubtful else None

    def enter(self, travelling: bool) -> None:
        """Another state begins. `travelling`: in the one before, the way that it shall go."""
        if travelling:
            self.barred = self.travel.direction
        self.quiet = 0.0
        self.way_back.reset()

    # what else happens where a state is entered

    def proceed(self) -> None:
        """Nothing else."""

    def stay(self) -> None:
        """It stopped for good: what led to it does not pass."""
        self.blows.reset()

    def rest(self) -> None:
        """It stopped for what passes: a blow, or a hold that it may take anew."""
        self.blows.record(self.now.place)
        self.posts = self.now.measured

    def leave(self) -> None:
        """It goes back from what it ran into."""
        self.strange_posts.leave(self.barred)

    @property
    def calm(self) -> bool:
        """No signal is outside the band of good runs, and nothing unplanned presses."""
        return self.out is None and self.strange is None

    @property
    def met(self) -> bool:
        """A post presses that an exact map has not: further on it bends the body round it."""
        return self.strange is not None and self.doubtful and self.now.exact

    @property
    def held(self) -> bool:
        """The posts that are measured can hold the body."""
        now, contacts = self.now, self.tuning.contacts
        return now.balance >= contacts.least_hold and may_hold(now.measured, now.planned, contacts)
