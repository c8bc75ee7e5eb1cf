# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The reference bent to fit posts that stand off their places in the map, with its nose led past
the next one and its tail kept on the path.

q_ref(s) fits the posts of the map. Where they stand elsewhere, the chain must bend by dq such that
all gaps close, gap_k(q_ref + dq) = 0; and a nose that should meet the next post at its flank must
stay on the path although the links behind it are pushed aside, as must a tail that no post holds.
The most plausible dq solves, in closed form and linearised at the present dq,
    minimise  |gap + J (dq - dq_now)|^2 / sigma_c^2 + (y_nose dq)^2 / sigma_n^2
              + (y_tail dq)^2 / sigma_t^2 + |dphi|^2 / sigma_phi^2,
y being the rows of the sideways motion of both ends. The joints follow it smoothly and at limited
speed, and that speed is known: what the joints do to follow it is neither an error nor
progress along the path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from boa_control.compiled.chain import STEER_DISTANCE, chain_rows, follow
from boa_control.controllers.hoal.post_map.tuning import PostMapTuning
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_description.arrays import Array, Flags

BASE_STD = 1.0  # m and rad: the base is free


class DeformedReference:
    """Bends the reference to the posts where they are assumed to stand.

    Attributes:
        bend: dq in use, shape (n + 2,), m and rad.
        rate: its rate of change, shape (n + 2,), m/s and rad/s.
    """

    def __init__(
        self,
        chain: PlanarChain,
        period: float,
        map_error: float,
        turning: float = 0.0,
        tuning: Tuning = SHIPPED,
    ) -> None:
        """`map_error`: expected offset of a post, standard
        deviation, m. `turning`: of the frame of the state from one repeat of the path to the next,
        rad.
        """
        self._turning = turning
        self._tuning = tuning.post_map
        self._follow_speed = tuning.post_map.follow_speed
        self._chain = chain
        self._period = period
        self._ends_std = ends_std(map_error, tuning)
        self._every = max(1, round(tuning.steering.update_time / period))
        self._bent = bending(chain)
        self.reset()

    def reset(self) -> None:
        """Back to the map as given."""
        unknowns = self._chain.links + 2
        self.bend, self.rate = np.zeros(unknowns), np.zeros(unknowns)
        swing = np.zeros((3, unknowns - 3))
        self._fit = BendFit(self.bend[3:], np.zeros(3), swing, swing[:1])
        self._ticks = 0
        self._direction = 1
        self._turn: int | None = None

    def go_on_from(self, before: DeformedReference) -> None:
        """Go on bent as `before`."""
        before._turn_frame(0)  # that of the world, which both paths have
        self._turn = 0
        self.bend, self.rate = before.bend, before.rate
        self._fit = before._fit
        self._ticks, self._direction = 0, before._direction

    @property
    def due(self) -> bool:
        """The next `update` fits the reference anew."""
        return self._ticks % self._every == 0

    @property
    def interval(self) -> float:
        """Between two fits, s."""
        return self._every * self._period

    def apply(self, state: PathState) -> PathState:
        """The state with shape and contact geometry bent, until the next tick. Inertia stays that
        of the path: it changes little.
        """
        if state.turn != self._turn:
            self._turn_frame(state.turn)
        return self._bent(state, self.bend)

    def _turn_frame(self, turn: int) -> None:
        """Another repeat of the path, another frame: the same displacement in the world; its fit is
        due.
        """
        if self._turn is not None:
            x, y = self.bend[:2]
            moved = complex(x, y) * np.exp(-1j * (turn - self._turn) * self._turning)
            self.bend = np.array([moved.real, moved.imag, *self.bend[2:]])
            self._ticks = 0
        self._turn = turn

    def update(
        self, state: PathState, contacts: ContactSet, located: Flags, direction: int = 1
    ) -> None:
        """Use one tick.

        Args:
            state: as returned by `apply`.
            contacts: planned contacts there, with posts where they are assumed to stand.
            located: which of their places touch has told, shape (nc,).
            direction: 1: the head leads; -1: the tail.
        """
        self._direction = direction
        if self.due:
            gap, _ = contacts.rows(self._chain, state, 0.0)
            closed = gap @ self.bend - contacts.clearance + self._lift(contacts, located)
            self._fit = fitted_bend(
                self._hold(contacts, located),
                gap,
                kept_ends(self._chain, state, self._direction, self._ends_std.size),
                closed,
                self._ends_std,
                self._tuning,
            )
        self._ticks += 1
        self._follow()

    def _hold(self, contacts: ContactSet, located: Flags) -> Array:
        """How firmly each contact bends the chain, shape (nc,), 0 to 1. Both ends of the body are
        round: they are led past a post for as long as they may touch it, the leading one past any,
        the other one out of those that are located.
        """
        tuning = self._tuning
        hold = flank_hold(contacts, tuning)
        beside = np.clip((contacts.inside + STEER_DISTANCE) / tuning.end_zone, 0.0, 1.0)
        ahead, leading = self.ahead(contacts), contacts.link == self._leading_link
        hold[leading] = beside[leading]
        near = np.clip(1.0 - contacts.clearance / tuning.tail_clearance, 0.0, 1.0)
        return np.where(located & ~ahead, np.maximum(hold, near * beside), hold)

    def _lift(self, contacts: ContactSet, located: Flags) -> Array:
        """By how much the end that leaves a post keeps clear of it, shape (nc,), m: pressed on by
        the round end it would push the body on.
        """
        leaving = located & ~self.ahead(contacts)
        tuning = self._tuning
        lift: Array = tuning.tail_clearance * np.clip(-contacts.inside / tuning.end_zone, 0.0, 1.0)
        return np.where(leaving, lift, 0.0)

    def ahead(self, contacts: ContactSet) -> Flags:
        """Which of the contacts lie before the leading end, shape (nc,)."""
        ahead: Flags = (contacts.inside < 0) & (contacts.link == self._leading_link)
        return ahead

    @property
    def _leading_link(self) -> int:
        return self._chain.links - 1 if self._direction > 0 else 0

    def _follow(self) -> None:
        """Move the bend on by one tick: the joints critically damped, no contact faster than it
        may be; the pose as it fits best at once. It moves nothing but the frame of the map.
        """
        before = self.bend, self.rate
        self.bend, self.rate = np.empty_like(self.bend), np.empty_like(self.rate)
        now = self.bend, self.rate
        rate = self._tuning.follow_rate
        follow(*now, *before, self._fit, self._follow_speed, rate, self._period)


def bending(chain: PlanarChain) -> Callable[[PathState, Array], PathState]:
    """Bends the shape and the contact geometry of a state by dq, shape (n + 2,), m and rad. All
    states share their memory, so each is valid until the next.
    """
    links = chain.links
    axes, along = np.empty(links + 1, complex), np.empty(links, complex)
    across_rows, along_rows = np.empty((2, links, links + 2))

    def bent(state: PathState, bend: Array) -> PathState:
        q = state.q + bend
        chain_rows(axes, along, across_rows, along_rows, q, chain.pitch)
        return state.beside(q, axes, along, across_rows, along_rows)

    return bent


def flank_hold(contacts: ContactSet, tuning: PostMapTuning) -> Array:
    """How firmly contacts with the flanks bend the chain, shape (nc,), 0 to 1: less at its ends."""
    zone = tuning.end_zone
    hold: Array = np.clip((contacts.inside + zone) / (2 * zone), 0.0, 1.0)
    return hold


def leading_end(chain: PlanarChain, state: PathState, direction: int) -> Array:
    """Row of the sideways motion of the end that leads, shape (n + 2,)."""
    if direction < 0:
        return state.across_rows[0]
    nose: Array = state.across_rows[-1] + chain.pitch * chain.turning_rows[-1]
    return nose


def kept_ends(chain: PlanarChain, state: PathState, direction: int, count: int) -> Array:
    """Rows of the sideways motion of the leading and, of two, the trailing end, (count, n + 2)."""
    return np.array([leading_end(chain, state, way) for way in (direction, -direction)[:count]])


def ends_std(map_error: float, tuning: Tuning) -> Array:
    """By which ends of the body may leave the path, m, where posts stand off by `map_error`, m: the
    leading one, and where that is small the trailing one; shape (1,) or (2,).
    """
    rules = tuning.post_map
    leading = max(rules.nose_std, rules.nose_share * map_error)
    known = tuning.law.known(map_error)
    if not known:
        return np.array([leading])
    return np.array([leading, max(rules.nose_std, map_error) / known])


class BendFit(NamedTuple):
    """The most plausible bend, and the pose that fits any joint angles best.

    Attributes:
        joints: of that bend, shape (n - 1,), rad.
        pose, swing: shapes (3,) and (3, n - 1): to joints dphi belongs the pose dq_b = pose + swing
            dphi, in m and rad.
        opening: rate of the gaps of contacts, and of the motion across itself of the end of the
            chain that leads, when the pose follows the joints; shape (nc + 1, n - 1), m.
    """

    joints: Array
    pose: Array
    swing: Array
    opening: Array

    def bend(self, joints: Array) -> Array:
        """dq, shape (n + 2,), m and rad, of joints bent by dphi, shape (n - 1,), rad."""
        return np.concatenate([self.pose + self.swing.dot(joints), joints])


def fitted_bend(
    hold: Array, gap: Array, ends: Array, closed: Array, ends_std: Array, tuning: PostMapTuning
) -> BendFit:
    """The fit for contacts with rows `gap`, (nc, n + 2); `hold` says how firmly each one bends the
    chain, `closed` where its gap is closed, (nc,).

    Args:
        ends: rows of the sideways motion of ends of the chain that shall stay on the path, the one
            that leads first, shape (ne, n + 2).
        ends_std: by which they may leave it, shape (ne,), m.
    """
    rows = np.vstack([gap, ends])
    closed = np.append(closed, np.zeros(ends_std.size))
    variance = np.append(tuning.systematic / np.maximum(hold, 1e-2), ends_std) ** 2
    prior = np.full(rows.shape[1], tuning.bend_std**2)
    prior[:3] = BASE_STD**2
    weighted = rows * prior
    solution = weighted.T @ np.linalg.solve(weighted @ rows.T + np.diag(variance), closed)
    base, joints = rows[:, :3], rows[:, 3:]
    information = (base / variance[:, None]).T
    pose = np.linalg.solve(information @ base + np.eye(3) / BASE_STD**2, information)
    swing = -pose @ joints
    opening = (joints + base @ swing)[: hold.size + 1]
    return BendFit(solution[3:], pose @ closed, swing, opening)
