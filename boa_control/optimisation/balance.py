# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact forces in balance, as the one thing that is asked everywhere about them: by the check of
paths, by the search among posts, and by the controller.

Nothing drives the body as a whole, so the forces of the posts must balance its load (three
equations). Four contacts or more that close the body carry nearly the same force each; as closure
goes, balance allows less and less, and at last nothing. Pressing all the same would set the body in
motion.

Posts that rub leave less to push with: `friction_limit` says how much they may, for the contacts to
balance the robot where it is.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import daqp
import numpy as np

from boa_control.compiled.gaps import balanced_share
from boa_control.compiled.qp import EQUAL
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_description.arrays import Array
from boa_description.robot import Robot

LEAST_FORCE = 0.5  # N on every contact
LARGEST_FRICTION = 0.5  # of posts, up to which balance is tried
BISECTIONS = 7  # of the friction that contacts bear: to 0.004
MOST = 2.0  # times its presence, that one contact may carry
# of the balance, against rounding: rows that depend on each other are no contradiction
SLACK = 1e-6


def largest(carries: Callable[[float], bool], top: float, halvings: int) -> float:
    """Largest x in [0, top] that is carried, to top / 2**halvings; 0 when none is."""
    if carries(top):
        return top
    low, high = 0.0, top
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if carries(middle) else (low, middle)
    return low


class TorqueRange(NamedTuple):
    """Least and largest torques of the joints, shape (n - 1,) each, N m."""

    lower: Array
    upper: Array


def balanced_forces(
    push: Array, load: Array, torques: TorqueRange, least: float, most: float | Array
) -> Array | None:
    """The smallest contact forces lam (least squares) that carry a load: P_b' lam = b_b, least <=
    lam <= most, lower <= b_phi - P_phi' lam <= upper. Shape (nc,), N; None when there are none.

    Args:
        push: P, generalised forces of unit contact forces, shape (nc, n + 2); the base first.
        load: b, what contacts and joints carry together, shape (n + 2,).
        least, most: N; `most` of all contacts, or of each, shape (nc,).
    """
    count = len(push)
    lam, _, flag, _ = daqp.solve(
        np.eye(count),
        np.zeros(count),
        np.ascontiguousarray(-push.T),
        np.concatenate([np.full(count, most), -load[:3], torques.upper - load[3:]]),
        np.concatenate([np.full(count, least), -load[:3], torques.lower - load[3:]]),
        np.repeat(np.array([0, EQUAL, 0], dtype=np.int32), [count, 3, load.size - 3]),
    )
    return np.asarray(lam) if flag > 0 else None


def attainable_share(gap: Array, presence: Array) -> float:
    """Share of the preload that balance allows, 0 to 1.

    lam, 0 <= lam <= MOST presence, as near to `presence` as J_b' lam = 0 allows; the share is
    sum(lam) / sum(presence).

    Args:
        gap: J, shape (nc, n + 2). presence: of each contact, shape (nc,), 0 to 1.
    """
    share = balanced_share(gap, presence, MOST)
    return _bounded_share(gap, presence) if math.isnan(share) else float(share)


def _bounded_share(gap: Array, presence: Array) -> float:
    """The same where some contact carries nothing, or the most that it may."""
    used = presence > 0.0
    wish = presence[used]
    count = wish.size
    balance = gap[used, :3].T
    # each of the three equations divided by its norm over the contacts
    scale = np.maximum(np.linalg.norm(balance, axis=1, keepdims=True), 1e-9)
    rows = np.ascontiguousarray(balance / scale)
    lower = np.concatenate([np.zeros(count), np.full(3, -SLACK)])
    upper = np.concatenate([MOST * wish, np.full(3, SLACK)])
    sense = np.zeros(count + 3, np.int32)
    lam, _, flag, _ = daqp.solve(np.eye(count), -wish, rows, upper, lower, sense)
    return float(lam.sum() / wish.sum()) if flag > 0 else 0.0


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

    return largest(balances, LARGEST_FRICTION, BISECTIONS) if balances(0.0) else -1.0
