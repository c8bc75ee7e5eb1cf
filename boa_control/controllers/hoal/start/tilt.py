# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether the posts of the path ahead hold the robot on a floor that is not level: else it would
slide off and strike others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from boa_control.controller import Briefing
from boa_control.controllers.hoal.law.desired_forces import BalancedForces
from boa_control.controllers.hoal.law.gravity import Gravity, tilt_text
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.start.hold_check import touching
from boa_control.estimation.floor_tilt import LEVEL, Downhill
from boa_control.events import Event, EventKind, Refused, listed
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathModel, PathState
from boa_control.optimisation.balance import BISECTIONS, largest
from boa_control.paths.path import PlannedPath, point_at
from boa_description.arrays import Array
from boa_description.scene import GRAVITY


class Weakest(NamedTuple):
    """Where the least tilt is held.

    Attributes:
        s: on the path, m. share: of the tilt that is held. posts: in touch there.
    """

    s: float
    share: float
    posts: tuple[int, ...]


class TiltCheck:
    """Judges the tilt of the floor whenever another one is measured.

    A tilt is held where contact forces as near to the desired ones as balance allows pull nowhere,
    ask no servo for more than it may give, and leave the control law room below the force at which
    it stops: each may carry its `correction` more.

    Attributes:
        refused: the robot must not start on this floor.
    """

    def __init__(
        self,
        briefing: Briefing,
        path: PlannedPath,
        model: PathModel,
        schedule: ContactSchedule,
        parameters: Parameters,
        gravity: Gravity,
    ) -> None:
        """`gravity`: along the floor, as it is measured."""
        robot, tuning = briefing.robot, parameters.tuning
        self._chain = model.chain
        self._reference = model.reference
        self._curve, self._names = model.reference.curve, path.names
        self._state_at = model.cursor()
        self._schedule = schedule
        self._gravity = gravity
        self._balanced = BalancedForces()
        self._p = parameters
        self._floor = briefing.ground.coefficient_at(parameters.speed)
        self._posts = briefing.contact_friction
        dry = briefing.ground.dry
        # posts that may stand off the map hold nothing before the body has slid to them
        self._rests = math.inf if parameters.map_error == 0.0 else math.atan(dry)  # rad
        stops = tuning.supervision.stop_load * robot.limits.joint_force_fault
        self._most_force = stops - parameters.correction
        self._most_torque = parameters.torque_share * robot.limits.torque
        self._unmeasurable = tuning.contacts.touch_force
        self._negligible = self._unmeasurable / (robot.links * robot.link.mass)  # m/s2
        self.reset()

    def reset(self) -> None:
        """The floor counts as level."""
        self._judged = LEVEL
        self.refused = False

    def judge(self, s: float) -> tuple[Event, ...]:
        """Try the tilt that is measured along the path from a path coordinate, m; what is told of
        it. What pulls the robot less than a touch is no tilt: whether posts hold it on a level
        floor is for the planner to say.
        """
        now, before = self._gravity.downhill, self._judged
        if abs(now.pull) <= self._negligible:
            now = LEVEL
        if abs(now.pull - before.pull) <= now.std + before.std:
            return ()
        self._judged = now
        weakest = self._weakest(s) if now.pull else None
        self.refused = weakest is not None
        return () if weakest is None else (self._event(now, weakest),)

    def _weakest(self, start: float) -> Weakest | None:
        """The place ahead that holds the least tilt; None where all hold the present one."""
        if self._gravity.downhill.tilt >= self._rests:
            state = self._state_at(start)
            held = self._rests / self._gravity.downhill.tilt
            return Weakest(start, held, tuple(self._schedule.at(state).post.tolist()))
        repeat, span = self._curve.repeat, self._reference.span
        turning = 0.0 if repeat is None else abs(repeat.rotation)
        length = span * math.ceil(2 * math.pi / turning) if turning else span
        end = min(self._reference.extent[1], start + length)
        weakest = None
        for s in np.append(np.arange(start, end, self._p.contact_ramp), end).tolist():
            carries = self._carrier(s)
            if carries(1.0 if weakest is None else weakest.share):
                continue
            posts = tuple(touching(self._schedule, self._state_at(s)).post.tolist())
            weakest = Weakest(s, largest(carries, 1.0, BISECTIONS), posts)
        return weakest

    def _carrier(self, s: float) -> Callable[[float], bool]:
        """Whether a share of the tilt is held at a path coordinate, m."""

        def carries(share: float) -> bool:
            state = self._state_at(s)
            contacts = touching(self._schedule, state)
            if not contacts.link.size:
                return False
            _, push = contacts.rows(self._chain, state, self._posts)
            load = self._load(state, share)
            forces = self._forces(contacts, push, load, state)
            left = load - push.T @ forces
            balanced = np.abs(left[:2]).max() <= self._unmeasurable
            presses = forces.min() >= 0.0 and forces.max() <= self._most_force
            return bool(balanced and presses and np.abs(left[3:]).max() <= self._most_torque)

        return carries

    def _forces(self, contacts: ContactSet, push: Array, load: Array, state: PathState) -> Array:
        """The forces nearest to the desired ones that balance a load, N."""
        p = self._p
        desired, least = contacts.preload(contacts.activation, p.force, p.force_floor)
        return self._balanced.forces(
            contacts, push, load[:3], state.mass, desired, least * p.floor_share
        )

    def _load(self, state: PathState, share: float) -> Array:
        """What contacts and servos carry together in slow motion, shape (n + 2,)."""
        gravity = share * self._gravity.along_floor(state)
        load: Array = -self._floor * state.ground - state.mass[:, :2] @ gravity
        return load

    @property
    def _within(self) -> str:
        """What limits the tilt that is held."""
        if math.isfinite(self._rests):
            return "as far as the friction of the floor does until it touches them (map_error)"
        return f"within {self._most_force:.1f} N each and the torques of its servos"

    def _event(self, downhill: Downhill, weakest: Weakest) -> Event:
        x, y = place = point_at(self._curve, weakest.s)
        held = math.degrees(math.asin(weakest.share * abs(downhill.pull) / GRAVITY))
        posts = listed(weakest.posts, self._names)
        return Event(
            kind=EventKind.START_REFUSED,
            reason=Refused.TILTED,
            value=downhill.tilt,
            s=weakest.s,
            place=place,
            note=f"the floor is tilted by {tilt_text(downhill)}; at ({x:.2f}, {y:.2f}) posts "
            f"{posts} hold the robot up to {held:.1f} deg, {self._within}; level the floor, or "
            "plan a path that runs otherwise",
        )
