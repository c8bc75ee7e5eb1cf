# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Before the start: whether contacts hold the robot at all where it lies, and those of the path
ahead on a floor that is not level. Where they do not it gets no torque: pressed against fewer posts
than close a body, or on such a floor, it would slide off and strike others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.hoal.law.gravity import Gravity, tilt_text
from boa_control.controllers.hoal.law.qp import BalancedForces
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.start.place_search import Refused
from boa_control.controllers.hoal.tick import Tick
from boa_control.estimation.floor_tilt import LEVEL, Downhill
from boa_control.events import Event, EventKind
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathModel, PathState
from boa_control.optimisation.bisection import largest
from boa_control.optimisation.friction_limit import BISECTIONS
from boa_control.plant import SensorFrame
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


class TiltedFloor:
    """Judges the first contacts; measures the tilt of the floor, and judges it whenever another one
    is measured.

    A tilt is held where contact forces as near to the desired ones as balance allows pull nowhere,
    ask no servo for more than it may give, and leave the control law room below the force at which
    it stops: each may carry its `correction` more.

    Attributes:
        gravity: along the floor.
        refused: the robot must not start on this floor.
    """

    def __init__(
        self,
        briefing: Briefing,
        model: PathModel,
        schedule: ContactSchedule,
        parameters: Parameters,
    ) -> None:
        robot, tuning = briefing.robot, parameters.tuning
        self._chain = model.chain
        self._reference = model.reference
        self._curve = model.reference.curve
        self._state_at = model.cursor()
        self._schedule = schedule
        self.gravity = Gravity(robot, self._curve, tuning)
        self._balanced = BalancedForces()
        self._p = parameters
        self._floor = briefing.ground.coefficient_at(parameters.speed)
        self._posts = briefing.contact_friction
        dry = briefing.ground.mu if briefing.ground.model == "coulomb" else 0.0
        # posts that may stand off the map hold nothing before the body has slid to them
        self._rests = math.inf if parameters.map_error == 0.0 else math.atan(dry)  # rad
        stops = tuning.supervision.stop_load * robot.limits.joint_force_fault
        self._most_force = stops - parameters.correction
        self._most_torque = parameters.torque_share * robot.limits.torque
        self._unmeasurable = tuning.contacts.touch_force
        self._closure = tuning.contacts.closure
        # else it measures whether its posts hold it, or friction does
        self._slides = parameters.map_error == 0.0 and self._posts == dry == 0.0
        self.reset()

    def reset(self) -> None:
        """The floor counts as level, and nothing has been judged."""
        self.gravity.reset()
        self._judged = LEVEL
        self._begun = False
        self._events: tuple[Event, ...] = ()
        self.refused = self._unheld = False

    def measure(self, frame: SensorFrame, state: PathState, s: float) -> None:
        """Use one tick without torque at a path coordinate, m."""
        self.gravity.measure(frame, state)
        self._judge(s)

    def weigh(self, tick: Tick) -> None:
        """Use one tick of a robot that begins to take hold of its posts."""
        self.gravity.weigh(tick)
        self._judge(tick.progress.s)

    def _judge(self, s: float) -> None:
        """Try the tilt that is measured along the path from a path coordinate, m."""
        if not self._begun:
            self._begun = True
            self._require_hold(s)
        now, before = self.gravity.downhill, self._judged
        if abs(now.pull - before.pull) <= now.std + before.std:
            return
        self._judged = now
        weakest = self._weakest(s)
        self.refused = self._unheld or weakest is not None
        if weakest is not None:
            self._events += (self._event(now, weakest),)

    def waiting(self, frame: SensorFrame) -> ControlOutput:
        """The output on a floor that is refused: no torque; told once."""
        events, self._events = self._events, ()
        return ControlOutput(np.zeros(frame.position.size), ready=False, events=events)

    def _require_hold(self, s: float) -> None:
        """Refuse a start with fewer contacts than close a body that slides on its floor."""
        held = self._touching(self._state_at(s))
        self._unheld = self._slides and held.link.size < self._closure
        if self._unheld:
            self.refused = True
            x, y = self._curve.position(np.array([s]))[0].tolist()
            posts = ", ".join(map(str, held.obstacle.tolist())) or "none"
            self._events += (
                Event(
                    kind=EventKind.START_REFUSED,
                    reason=Refused.NO_HOLD,
                    value=float(held.link.size),
                    s=s,
                    place=(x, y),
                    note=f"at ({x:.2f}, {y:.2f}) it touches {held.link.size} posts ({posts}), and "
                    f"{self._closure} are needed to hold it; start elsewhere (initial.progress), "
                    "or stand more posts there",
                ),
            )

    def _weakest(self, start: float) -> Weakest | None:
        """The place ahead that holds the least tilt; None where all hold the present one."""
        if self.gravity.downhill.tilt >= self._rests:
            state = self._state_at(start)
            held = self._rests / self.gravity.downhill.tilt
            return Weakest(start, held, tuple(self._schedule.at(state).obstacle.tolist()))
        repeat, span = self._curve.repeat, self._reference.span
        turning = 0.0 if repeat is None else abs(repeat.rotation)
        length = span * math.ceil(2 * math.pi / turning) if turning else span
        end = min(self._reference.extent[1], start + length)
        weakest = None
        for s in np.append(np.arange(start, end, self._p.contact_ramp), end).tolist():
            carries = self._carrier(s)
            if carries(1.0 if weakest is None else weakest.share):
                continue
            posts = tuple(self._touching(self._state_at(s)).obstacle.tolist())
            weakest = Weakest(s, largest(carries, 1.0, BISECTIONS), posts)
        return weakest

    def _carrier(self, s: float) -> Callable[[float], bool]:
        """Whether a share of the tilt is held at a path coordinate, m."""

        def carries(share: float) -> bool:
            state = self._state_at(s)
            contacts = self._touching(state)
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

    def _touching(self, state: PathState) -> ContactSet:
        planned = self._schedule.at(state)
        return planned.select(planned.activation > 0.0)

    def _forces(self, contacts: ContactSet, push: Array, load: Array, state: PathState) -> Array:
        """The forces nearest to the desired ones that balance a load, N."""
        p = self._p
        desired, least = contacts.preload(contacts.activation, p.force, p.force_floor)
        return self._balanced.forces(
            contacts, push, load[:3], state.mass, desired, least * p.floor_share
        )

    def _load(self, state: PathState, share: float) -> Array:
        """What contacts and servos carry together in slow motion, shape (n + 2,)."""
        gravity = share * self.gravity.along_floor(state)
        load: Array = -self._floor * state.ground - state.mass[:, :2] @ gravity
        return load

    @property
    def _within(self) -> str:
        """What limits the tilt that is held."""
        if math.isfinite(self._rests):
            return "as far as the friction of the floor does until it touches them (map_error)"
        return f"within {self._most_force:.1f} N each and the torques of its servos"

    def _event(self, downhill: Downhill, weakest: Weakest) -> Event:
        x, y = self._curve.position(np.array([weakest.s]))[0].tolist()
        held = math.degrees(math.asin(weakest.share * abs(downhill.pull) / GRAVITY))
        posts = ", ".join(map(str, weakest.posts)) or "none"
        return Event(
            kind=EventKind.START_REFUSED,
            reason=Refused.TILTED,
            value=downhill.tilt,
            s=weakest.s,
            place=(x, y),
            note=f"the floor is tilted by {tilt_text(downhill)}; at ({x:.2f}, {y:.2f}) posts "
            f"{posts} hold the robot up to {held:.1f} deg, {self._within}; level the floor, or "
            "plan a path that runs otherwise",
        )
