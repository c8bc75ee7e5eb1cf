# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Routes: what is searched, and what came of it."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from boa_control.paths.settings import SegmentPath
from boa_control.planning.checks.displaced import LARGEST_MARGIN, MARGIN_PER_STD, PUSH_MASS
from boa_control.planning.checks.friction import FrictionRange, Interval, Rubbing
from boa_control.planning.checks.plan import PlanReport
from boa_control.planning.search.body import Body
from boa_control.planning.search.field import PostField
from boa_control.planning.search.found import FoundPath
from boa_control.planning.search.joins import JoinSettings
from boa_control.planning.search.lines import LineSettings
from boa_control.planning.search.search import Demands
from boa_description.robot import Robot
from boa_description.scene import SMOOTH, Circle, GroundFriction, Obstacle

RESERVE = 1.25  # how many times the floor's friction contacts must overcome


@dataclass(frozen=True, slots=True)
class RouteSettings:
    """How a route is searched.

    Attributes:
        seconds: time for everything.
        clock: that counts it, s: by default the processor time of the thread that searches.
        refine: of it at most, s, for better paths than the first.
        helping: time besides, s, for posts that would help where no path is found.
        lines, joins, demands: of the search; `find_route` has its own straight pieces (`half`).
        first_margin: of closure, demanded at first: with it all contacts carry enough to be felt.
        ground, contact_friction: of floor and posts, for the check.
        most: that posts and floor may rub, if it is more than this.
        friction_seconds: time at most, s, for paths on which they may rub so much.
        friction_margin: of closure without friction, which such a path keeps if the first has it.
        map_error: standard deviation of places per axis, m, of posts that give none.
        unsure: some posts may stand elsewhere; `on_map` says so.
        avoided: posts that shall not carry the robot, by their index among the round obstacles.
    """

    seconds: float = 60.0
    clock: Callable[[], float] = time.thread_time
    refine: float = 5.0
    helping: float = 10.0
    lines: LineSettings = field(default_factory=LineSettings)
    joins: JoinSettings = field(default_factory=JoinSettings)
    demands: Demands = field(default_factory=Demands)
    ground: GroundFriction = SMOOTH
    contact_friction: float = 0.0
    most: Rubbing = field(default_factory=Rubbing)
    friction_seconds: float = 20.0
    friction_margin: float = 0.05
    avoided: frozenset[int] = frozenset()
    first_margin: float = 0.20
    map_error: float = 0.0
    unsure: bool = False

    @property
    def rubbing(self) -> tuple[Rubbing, ...]:
        """With each of which contacts must carry the robot: what is known of floor and posts, with
        a reserve, and the most.
        """
        known = self._known()
        known = known._replace(floor=RESERVE * known.floor)
        most = self.friction.most
        return (known, most) if self.rubs_more else (known,)

    @property
    def friction(self) -> FrictionRange:
        """From what is known of posts and floor to the most."""
        known = self._known()
        intervals = (
            Interval(low, max(low, high)) for low, high in zip(known, self.most, strict=True)
        )
        return FrictionRange(*intervals)

    @property
    def rubs_more(self) -> bool:
        """Posts or floor may rub more than is known."""
        return self.friction.least != self.friction.most

    def with_share(self, share: float) -> Self:
        """With only so much of what posts and floor may rub more than is known."""
        return replace(self, most=self.friction.at(share))

    def _known(self) -> Rubbing:
        return Rubbing(self.contact_friction, self.ground.coefficient_at(0.0))

    @property
    def frictions(self) -> tuple[float, ...]:
        """Of the posts, with each of which contacts shall close the body; 0 is among them."""
        return tuple(sorted({0.0, *(one.posts for one in self.rubbing)}))

    def body(self, robot: Robot) -> Body:
        """What the contacts along a path have to hold."""
        return Body.of(robot, self.rubbing, self.unsure)

    def field(self, obstacles: Sequence[Obstacle]) -> PostField:
        """The posts as a search takes them."""
        return PostField.of(obstacles, self.map_error)

    def on_map(self, obstacles: Sequence[Obstacle]) -> Self:
        """For these posts. Where some may stand elsewhere, less of the margin is left, contacts
        carry more alike, at the start above all, and can brake the robot.
        """
        std = self.field(obstacles).std
        if not std.any():
            return self
        more = MARGIN_PER_STD * math.sqrt(float(np.mean(std**2)))
        margin = min(self.first_margin + more, LARGEST_MARGIN)
        return replace(
            self,
            unsure=True,
            first_margin=margin,
            friction_margin=margin,
            demands=replace(
                self.demands,
                start_margin=max(LARGEST_MARGIN, self.demands.start_margin),
                effective_mass=min(PUSH_MASS, self.demands.effective_mass),
            ),
        )

    def held(self) -> Self:
        """For a robot that lies on a path, held by its posts."""
        return replace(self, demands=replace(self.demands, start_margin=0.0))


@dataclass(frozen=True, slots=True)
class Route:
    """A path that was found and checked.

    Attributes:
        found: as the search has it.
        settings: as a scenario has it.
        report: of the check.
        seconds: from the beginning of the search to this path.
        branch: arc length on it, m, up to which it is the path on which the robot lay before; None
            for a robot that is laid down at the start.
        leaves: arc length of the head on that earlier path, m, at which the new one begins; where
            it is less than the present one, the robot first goes back to there. None as `branch`.
        share: of what posts and floor may rub more than is known, with which it was searched.
    """

    found: FoundPath
    settings: SegmentPath
    report: PlanReport
    seconds: float
    branch: float | None = None
    leaves: float | None = None
    share: float = 0.0

    @property
    def margin(self) -> float:
        """Least margin of closure of the bodies on it, without friction."""
        return float(self.report.closure.margin.min())

    @property
    def std(self) -> float:
        """The largest that the map gives of a post that carries the robot, m."""
        posts = self.settings.posts
        return max((posts[at.post].std or 0.0 for at in self.settings.contacts), default=0.0)


@dataclass(frozen=True, slots=True)
class HelpfulPost:
    """A post that is not there.

    Attributes:
        post: its place and radius.
        to_go: how far from the goal a short search with it came, m; 0: it arrived.
    """

    post: Circle
    to_go: float


@dataclass(frozen=True, slots=True)
class Search:
    """Result of a search.

    Attributes:
        route: the best; None where there is none.
        nearest: what came nearest to the goal; None where no body is held anywhere.
        reason: why there is no route; empty where there is one.
        helpful: posts that would let `nearest` go on, the best first; empty where there is a route.
        steps: of the search.
        first: from its beginning to the first path, before better ones were searched, s; 0 where
            there is no route.
        interrupted: from the keyboard, before its time was over.
    """

    route: Route | None
    nearest: FoundPath | None
    reason: str
    steps: int
    helpful: tuple[HelpfulPost, ...] = ()
    first: float = 0.0
    interrupted: bool = False
