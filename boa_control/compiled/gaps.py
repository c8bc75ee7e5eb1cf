# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gaps between the body and posts that it may not touch, as compiled loops."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from boa_control.compiled import compiled, inner
from boa_control.compiled.records import Matrix, Vector, on_records

# beside the squares of presences: what is not felt has next to no say in how the base moves
LEAST_WEIGHT = 1e-3
# beside the squares of presences, of the motion that the base has by its momentum: it counts where
# the contacts that are felt leave the base open
MOMENTUM_WEIGHT = 1e-3
TURN_WEIGHT = 100.0  # m2, beside the same, of the turn rate that gyroscopes measure
# share of the squares of all three columns, below which one says nothing that those before do not:
# contacts of a straight chain leave the base free to slide
DEPENDENT = 1e-12


class Presences(NamedTuple):
    """Contacts, shape (nc,) each: `presence` as of `ContactPlan`, 0 for a post that is searched,
    the others as in `ContactSet`.
    """

    presence: Vector
    side: Vector
    distance: Vector
    reach: Vector


class BodyMotion(NamedTuple):
    """How the body moves.

    Attributes:
        off: angles of the joints beside the reference, rad. joint_rate: rad/s. (n - 1,) each.
        mass: M, shape (n + 2, n + 2).
        travel: motion that keeps the contacts per way, shape (n + 2,). speed: of it, m/s.
        turning: of the base, measured, rad/s; NaN: not known.
    """

    off: Vector
    joint_rate: Vector
    mass: Matrix
    travel: Vector
    speed: float
    turning: float


class BrakeRules(NamedTuple):
    """How gaps are braked.

    Attributes:
        damping: 1/s. most: of the accelerations, either way, m/s2.
        approach: speed to a post that is searched, m/s, less within `lead`, m.
    """

    damping: float
    most: float
    approach: float
    lead: float


class JointWay(NamedTuple):
    """Rates of the joints, rad/s, and those on the path per rate along it, rad/m, shape (n - 1,)
    each; rate along the path, m/s.
    """

    joint_rate: Vector
    along: Vector
    rate: float


class OpenGapRules(NamedTuple):
    """How gaps are braked that open or close, though the map has them closed.

    Attributes:
        blend: share of the newest joint rates in the smoothed ones. still: up to which a gap counts
            as one that does not move, m/s. damping, most: as of `BrakeRules`.
    """

    blend: float
    still: float
    damping: float
    most: float


@inner
def left_open(gap: Any, weight: Any, rate: Any) -> Any:
    """What remains of gap rates, shape (nc,), m/s, when the base moves such that it is least.

    Args:
        gap: J, shape (nc, n + 2). weight: of the squares, above 0, shape (nc,).
        rate: of the gaps, with the base at rest, shape (nc,), m/s.
    """
    remaining, base, square = rate.copy(), gap[:, :3].copy(), np.zeros(3)
    whole = 0.0
    for i in range(3):
        whole += np.sum(weight * base[:, i] ** 2)
    for i in range(3):
        for m in range(i):
            if square[m] > 0.0:
                base[:, i] -= np.sum(weight * base[:, m] * base[:, i]) / square[m] * base[:, m]
        part = np.sum(weight * base[:, i] ** 2)
        if part > DEPENDENT * whole:
            square[i] = part
            remaining -= np.sum(weight * base[:, i] * remaining) / part * base[:, i]
    return remaining


@inner
def _by_joints(gap: Any, joint_rate: Any) -> Any:
    """Rates of the gaps with the base at rest, shape (nc,), m/s."""
    rates = np.zeros(gap.shape[0])
    for k in range(rates.size):
        for j in range(joint_rate.size):
            rates[k] += gap[k, 3 + j] * joint_rate[j]
    return rates


@inner
def _gap_rates(gap: Any, presence: Any, joint_rate: Any) -> Any:
    """As `gap_rates`."""
    if presence.size < 4:
        return np.zeros(presence.size)
    return left_open(gap, presence**2 + LEAST_WEIGHT, _by_joints(gap, joint_rate))


@compiled("void(f8[::1], f8[:, ::1], f8[::1], f8[::1])")
def gap_rates(rates: Any, gap: Any, presence: Any, joint_rate: Any) -> None:
    """Write the rates of `estimation.gaps.gap_rates`, shape (nc,), m/s."""
    rates[:] = _gap_rates(gap, presence, joint_rate)


@inner
def _base_rate(gap: Any, presence: Any, rates: Any, motion: Any) -> Any:
    """Rate of the base, shape (3,): as it turns, with the least gap rates and the least momentum
    beside that of the travel.

    minimise |presence (rates + J_b xi)|^2 + W (xi_turn - turning)^2 + w / m |M_b xi + h|^2 in the
    metric of M_b^-1, where h is the momentum of the joints less that of the travel.
    """
    _, joint_rate, mass, travel, speed, turning = motion
    left, base = np.empty((3, 3)), np.empty(3)
    share = MOMENTUM_WEIGHT / mass[0, 0]
    for i in range(3):
        momentum = 0.0
        for j in range(joint_rate.size):
            momentum += mass[i, 3 + j] * (joint_rate[j] - speed * travel[3 + j])
        for m in range(3):
            momentum -= mass[i, m] * speed * travel[m]
            left[i, m] = share * mass[i, m] + np.sum(presence**2 * gap[:, i] * gap[:, m])
        base[i] = -share * momentum - np.sum(presence**2 * gap[:, i] * rates)
    if np.isfinite(turning):
        left[2, 2] += TURN_WEIGHT
        base[2] += TURN_WEIGHT * turning
    for i in range(2):  # positive definite: no pivots
        for m in range(i + 1, 3):
            part = left[m, i] / left[i, i]
            left[m] -= part * left[i]
            base[m] -= part * base[i]
    for i in range(2, -1, -1):
        for m in range(i + 1, 3):
            base[i] -= left[i, m] * base[m]
        base[i] /= left[i, i]
    return base


@on_records
def brake_gaps(
    slip: Vector, gap: Matrix, posts: Presences, motion: BodyMotion, rules: BrakeRules
) -> None:
    """Write desired accelerations of the gaps, shape (nc,), m/s2: braked where they open or close,
    and towards posts that are not felt, up to where they are searched.

    Args:
        gap: J, shape (nc, n + 2).
    """
    presence, side, distance, reach = posts
    rates = _by_joints(gap, motion.joint_rate)
    base = _base_rate(gap, presence, rates, motion)
    for k in range(presence.size):
        for i in range(3):
            rates[k] += gap[k, i] * base[i]
    if np.any(presence == 0.0):
        away = _gap_rates(gap, presence, motion.off)
        for k in range(presence.size):
            if presence[k] == 0.0:
                clearance = side[k] * distance[k] - reach[k] + away[k]
                rates[k] += rules.approach * min(max(clearance / rules.lead, 0.0), 1.0)
    for k in range(rates.size):
        slip[k] = min(max(-rules.damping * rates[k], -rules.most), rules.most)


@on_records
def brake_open_gaps(
    slip: Vector, off: Vector, gap: Matrix, presence: Vector, way: JointWay, rules: OpenGapRules
) -> bool:
    """Move the smoothed rates of the joints beside their way, `off`, shape (n - 1,), rad/s, on by a
    tick; where gaps move write their desired accelerations, shape (nc,), m/s2, and return True.

    Args:
        gap: J, shape (nc, n + 2). presence: as of `Presences`.
    """
    for j in range(off.size):
        beside = way.joint_rate[j] - way.along[j] * way.rate
        off[j] += rules.blend * (beside - off[j])
    rates, moves = _gap_rates(gap, presence, off), False
    for k in range(presence.size):
        slow = min(max(rates[k], -rules.still), rules.still)
        moves = moves or abs(rates[k]) > rules.still
        wish = -rules.damping * presence[k] * (rates[k] - slow)
        slip[k] = min(max(wish, -rules.most), rules.most)
    return moves


@compiled("f8(f8[:, ::1], f8[::1], f8)")
def balanced_share(gap: Any, presence: Any, most: float) -> float:
    """`optimisation.balance.attainable_share`, whose constant is the last argument, as long as no
    contact carries nothing or the most that it may; NaN otherwise, where it takes a solver.

    What balance leaves of the presences is what they have in common with no motion of the base.
    """
    weight = np.where(presence > 0.0, 1.0, 0.0)
    if np.sum(weight) < 4.0:
        return 0.0
    carried, wished, balanced = 0.0, 0.0, left_open(gap, weight, presence)
    for k in range(presence.size):
        if presence[k] > 0.0:
            if not 0.0 <= balanced[k] <= most * presence[k]:
                return np.nan
            carried += balanced[k]
            wished += presence[k]
    return carried / wished
