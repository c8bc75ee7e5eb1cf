# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tells when a robot that should travel stands, whatever its map, why, and what helps: one reason,
which only a joint that is found later replaces. Also when it slips back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from boa_control.controllers.hoal.contacts.detection import open_contacts
from boa_control.controllers.hoal.law.transmission import Transmission
from boa_control.controllers.hoal.supervision import thresholds
from boa_control.controllers.hoal.supervision.headway import Headway
from boa_control.controllers.hoal.supervision.joint_watch import JointWatch
from boa_control.controllers.hoal.supervision.reasons import joint_names
from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_control.estimation.post_friction import Estimate
from boa_control.events import Event, EventKind, listed
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.optimisation.balance import LARGEST_FRICTION, friction_limit
from boa_control.paths.path import NO_NAMES, PlannedPath, point_at
from boa_description.robot import Robot


class StallReport:
    """Measures the way made, and remembers what was told since the robot last got on."""

    def __init__(
        self,
        robot: Robot,
        chain: PlanarChain,
        path: PlannedPath,
        period: float,
        tuning: Tuning = SHIPPED,
    ) -> None:
        """`path`: for places and names in events. `period`: of the control ticks, s."""
        self._period = period
        self._patience = tuning.steering.patience  # s
        self._start_patience = tuning.supervision.slow_time  # s
        self._long_patience = tuning.steering.long_patience  # s
        self._creep = tuning.steering.still_speed  # m/s
        self._slip = tuning.supervision.strange_way  # m
        self._made = Headway(period, tuning)
        self._joints = JointWatch(robot.joints, period, tuning)
        self._robot = robot
        self._chain = chain
        self._curve = path.curve
        self._names = path.names
        self.reset()

    def reset(self) -> None:
        """The robot stands rightly."""
        self._made.reset()
        self._joints.reset()
        self.events = self._joints.events
        self._told: EventKind | None = None
        self._starting = 0.0  # s, for which it has been taking hold of its posts in order to travel

    def update(
        self, tick: Tick, transmission: Transmission, measured: Estimate | None, lost: bool
    ) -> None:
        """Use one tick; writes the way made, and why the robot gets on no more.

        Args:
            measured: friction of posts and floor, as far as it is known.
            lost: the robot rests since its contacts are not trusted, which it has told.
        """
        resting = tick.closing or lost
        way = tick.way = self._made.update(tick.place, 0.0 if resting else tick.desired)
        sticking = self._joints.update(tick, transmission)
        held = sticking if way.time >= self._long_patience else None
        tick.stuck = held or thresholds.slips_back(way.back, self._slip)
        starting = tick.closing and tick.travel.speed > self._creep
        self._starting = self._starting + self._period if starting else 0.0
        if not (way.time or starting):
            self._told = None
        elif sticking is not None and self._told != EventKind.JOINTS_STICK:
            names, kind = joint_names(sticking.joints), EventKind.JOINTS_STICK
            self._tell(Event(kind=kind, subject=names, value=sticking.value))
        elif self._told is None and way.missing(self._patience):
            self._tell(self._standstill(tick, measured))
        elif self._told is None and self._starting >= self._start_patience:
            self._tell(self._not_held(tick))

    def _tell(self, event: Event) -> None:
        self._told = event.kind
        self.events.add(event)

    def _standstill(self, tick: Tick, measured: Estimate | None) -> Event:
        """Why the contacts do not let it pass."""
        contacts = tick.plan.contacts
        limit = friction_limit(self._robot, self._chain, tick.state, contacts)
        event = self._stands(tick, contacts.link.size, why(contacts, limit, measured, self._names))
        return replace(event, value=limit)

    def _not_held(self, tick: Tick) -> Event:
        """Which posts do not let it begin."""
        missing = tick.contacts.post[open_contacts(tick.contacts, tick.level)]
        note = (
            f"it does not press against posts {listed(missing.tolist(), self._names)} yet, which "
            "must hold it before it sets off: look whether they stand as on the map, and whether "
            "it lies on its path"
        )
        return self._stands(tick, missing.size, note)

    def _stands(self, tick: Tick, contacts: int, note: str) -> Event:
        s = tick.progress.s
        place = point_at(self._curve, s)
        return Event(kind=EventKind.STANDSTILL, place=place, s=s, count=contacts, note=note)


def why(
    contacts: ContactSet,
    limit: float,
    measured: Estimate | None,
    names: Mapping[int, str] = NO_NAMES,
) -> str:
    """What stops the robot, and the remedy; `names` of posts by number."""
    posts = listed(contacts.post.tolist(), names)
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
