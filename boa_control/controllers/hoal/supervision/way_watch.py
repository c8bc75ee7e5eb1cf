# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tells when a robot that should travel stands, whatever its map, why, and what helps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_control.estimation.post_friction import Estimate
from boa_control.events import Event, EventKind
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.optimisation.friction_limit import LARGEST_FRICTION, friction_limit
from boa_control.paths.path import NO_NAMES, PlannedPath
from boa_description.robot import Robot


class WayWatch:
    """Compares the way made with the way desired, from tick to tick."""

    def __init__(
        self,
        robot: Robot,
        chain: PlanarChain,
        path: PlannedPath,
        period: float,
        tuning: Tuning = SHIPPED,
    ) -> None:
        """`path`: for places and names in events. `period`: of the control ticks, s."""
        self._patience, self._still = tuning.steering.patience, tuning.steering.still_speed
        self._stuck_way = tuning.supervision.stuck_way
        self._share = tuning.supervision.stand_share
        self._robot = robot
        self._chain = chain
        self._curve = path.curve
        self._names = path.names
        self._period = period
        self.reset()

    def reset(self) -> None:
        """The robot stands rightly."""
        self._events: tuple[Event, ...] = ()
        self._told = False
        self._mark(0.0)

    def pop_events(self) -> tuple[Event, ...]:
        """Events since the last call."""
        events, self._events = self._events, ()
        return events

    def update(self, tick: Tick, measured: Estimate | None) -> None:
        """Use one tick; `measured`: friction of posts and floor, as far as it is known."""
        place, desired = tick.progress.s, abs(tick.desired)
        made = abs(place - self._place)
        if tick.closing or desired < self._still or made > self._stuck_way:
            self._told = self._told and desired >= self._still and made <= self._stuck_way
            self._mark(place)
            return
        self._time += self._period
        self._due += desired * self._period
        if self._told or self._time < self._patience or made > self._share * self._due:
            return
        self._told = True
        x, y = self._curve.position(np.array([place]))[0].tolist()
        contacts = tick.plan.contacts
        limit = friction_limit(self._robot, self._chain, tick.state, contacts)
        self._events += (
            Event(
                kind=EventKind.STANDSTILL,
                place=(x, y),
                s=place,
                value=limit,
                count=int(contacts.link.size),
                note=why(contacts, limit, measured, self._names),
            ),
        )

    def _mark(self, place: float) -> None:
        """From here on the way counts, at a path coordinate, m."""
        self._place = place
        self._time = self._due = 0.0


def why(
    contacts: ContactSet,
    limit: float,
    measured: Estimate | None,
    names: Mapping[int, str] = NO_NAMES,
) -> str:
    """What stops the robot, and the remedy; `names` of posts by number."""
    posts = ", ".join(names.get(post, str(post)) for post in contacts.obstacle.tolist())
    if limit < 0.0:
        return (
            f"its contacts, posts {posts}, do not balance it here: check the path (boa plan check)"
        )
    known = (
        "" if measured is None else f", {measured.posts:.2f} +- {measured.posts_std:.2f} measured"
    )
    if limit >= LARGEST_FRICTION or (measured is not None and measured.posts < limit):
        return (
            f"not the friction of its contacts, posts {posts}, which balance up to {limit:.2f}"
            f"{known}: look for what holds a link or a joint"
        )
    return (
        f"its contacts, posts {posts}, balance up to a friction of {limit:.2f} only, "
        f"on a smooth floor{known}: plan a path with more (--post-friction, --floor), or make "
        "posts and floor smoother"
    )
