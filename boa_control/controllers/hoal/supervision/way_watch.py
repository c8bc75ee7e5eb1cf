# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tells when a robot that should travel stands, whatever its map, why, and what helps."""

from __future__ import annotations

import numpy as np

from boa_control.controllers.hoal.tick import Tick
from boa_control.estimation.post_friction import Estimate
from boa_control.events import Event, EventKind
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_control.optimisation.balance import TorqueRange, balanced_forces
from boa_control.paths.path import Curve
from boa_description.robot import Robot

STAND_TIME = 2.5  # s of standing, after which it is told
STAND_WAY = 0.01  # m; a robot that makes more travels
SHARE = 0.25  # of the way that it should have made, below which it stands
CREEP = 2e-3  # m/s desired, below which it need not get on
LEAST_FORCE = 0.5  # N on every contact
LARGEST_FRICTION = 0.5  # of posts, up to which balance is tried
BISECTIONS = 7


class WayWatch:
    """Compares the way made with the way desired, from tick to tick."""

    def __init__(self, robot: Robot, chain: PlanarChain, curve: Curve, period: float) -> None:
        """`curve`: the path, for places in events. `period`: of the control ticks, s."""
        self._robot = robot
        self._chain = chain
        self._curve = curve
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
        if tick.closing or desired < CREEP or made > STAND_WAY:
            self._told = self._told and desired >= CREEP and made <= STAND_WAY
            self._mark(place)
            return
        self._time += self._period
        self._due += desired * self._period
        if self._told or self._time < STAND_TIME or made > SHARE * self._due:
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
                note=why(contacts, limit, measured),
            ),
        )

    def _mark(self, place: float) -> None:
        """From here on the way counts, at a path coordinate, m."""
        self._place = place
        self._time = self._due = 0.0


def friction_limit(
    robot: Robot, chain: PlanarChain, state: PathState, contacts: ContactSet
) -> float:
    """Largest friction of all posts with which these contacts balance the robot on its path within
    the torques of its servos, on a smooth floor, up to `LARGEST_FRICTION`; -1 where they do not
    without any.
    """
    most = np.full(robot.joints, robot.limits.torque)
    load = np.zeros(state.dq.size)

    def balances(friction: float) -> bool:
        if not contacts.link.size:
            return False
        _, push = contacts.rows(chain, state, friction)
        torques, fault = TorqueRange(-most, most), robot.limits.joint_force_fault
        return balanced_forces(push, load, torques, LEAST_FORCE, fault) is not None

    if not balances(0.0):
        return -1.0
    if balances(LARGEST_FRICTION):
        return LARGEST_FRICTION
    low, high = 0.0, LARGEST_FRICTION
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if balances(middle) else (low, middle)
    return low


def why(contacts: ContactSet, limit: float, measured: Estimate | None) -> str:
    """What stops the robot, and the remedy."""
    posts = ", ".join(map(str, contacts.obstacle.tolist()))
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
