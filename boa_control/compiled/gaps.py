"""Gaps between the body and posts that it may not touch, as compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from boa_control.compiled import compiled, inner

# beside the squares of presences: what is not felt has next to no say in how the base moves
LEAST_WEIGHT = 1e-3
# share of the squares of all three columns, below which one says nothing that those before do not:
# contacts of a straight chain leave the base free to slide
DEPENDENT = 1e-12


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
def _gap_rates(gap: Any, presence: Any, joint_rate: Any) -> Any:
    """As `gap_rates`."""
    rates = np.zeros(presence.size)
    if presence.size < 4:
        return rates
    for k in range(presence.size):
        for j in range(joint_rate.size):
            rates[k] += gap[k, 3 + j] * joint_rate[j]
    return left_open(gap, presence**2 + LEAST_WEIGHT, rates)


@compiled("void(f8[::1], f8[:, ::1], f8[::1], f8[::1])")
def gap_rates(rates: Any, gap: Any, presence: Any, joint_rate: Any) -> None:
    """Write the rates of `hoal.gap_rates`, shape (nc,), m/s."""
    rates[:] = _gap_rates(gap, presence, joint_rate)


@compiled(
    "void(f8[::1], f8[:, ::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[::1],"
    " f8, f8, f8, f8)"
)
def brake_gaps(
    slip: Any,
    gap: Any,
    activation: Any,
    felt: Any,
    side: Any,
    distance: Any,
    reach: Any,
    off: Any,
    joint_rate: Any,
    damping: float,
    most: float,
    approach: float,
    lead: float,
) -> None:
    """Write desired accelerations of the gaps, shape (nc,), m/s2: braked where they open or close,
    and towards posts that are not felt, up to where they are searched.

    Args:
        gap: J, shape (nc, n + 2). activation, side, distance, reach: of the contacts, as in
            `ContactSet`. felt: how far each has been taken on, 0 for one that is searched, (nc,).
        off: angles of the joints beside the reference, rad. joint_rate: rad/s. (n - 1,) each.
        damping: 1/s. most: of the accelerations, either way, m/s2.
        approach: speed to a post that is searched, m/s, less within `lead`, m.
    """
    presence = activation * felt
    rates = _gap_rates(gap, presence, joint_rate)
    if np.any(presence == 0.0):
        away = _gap_rates(gap, presence, off)
        for k in range(presence.size):
            if presence[k] == 0.0:
                clearance = side[k] * distance[k] - reach[k] + away[k]
                rates[k] += approach * min(max(clearance / lead, 0.0), 1.0)
    for k in range(rates.size):
        slip[k] = min(max(-damping * rates[k], -most), most)


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
