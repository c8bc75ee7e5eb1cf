# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rows of the contacts, and the motions that they allow, as compiled loops."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from boa_control.compiled import compiled, inner
from boa_control.compiled.records import IndexVector, Matrix, Vector, on_records

# of `optimisation.kept_travel`
KEPT = 1e-4  # m of gap per m of path; by so much the tables of a path round
BASE_WEIGHT = 0.01  # w, (rad/m)^2
ROUNDING = 1e-8  # of the contact rows: opposite posts have the same one twice
MOST_STRETCH = 2.0  # c at most, where the contacts hardly allow any travel


class ContactPlaces(NamedTuple):
    """Where posts touch the chain, as in `ContactSet`."""

    link: IndexVector
    offset: Vector
    side: Vector
    normal: Matrix


class ChainRows(NamedTuple):
    """Rows of the links, shape (n, n + 2), as in `PathState`."""

    across_rows: Matrix
    along_rows: Matrix


class Way(NamedTuple):
    """The chain on its way along the path, as in `PathState`; `gravity`: along the floor, shape
    (2,), m/s2.
    """

    dq: Vector
    mass: Matrix
    inertial: Vector
    ground: Vector
    gravity: Vector


class ServoLine(NamedTuple):
    """As in `TorqueSpeedLine`, N m, N m s, N m."""

    stall: float
    slope: float
    limit: float


class Demand(NamedTuple):
    """As in `hoal.law.qp.Motion`; `ground` is the factor of the floor's friction."""

    torque: Vector
    target: Vector
    rate: float
    ground: float
    planned: float


class MotionRows(NamedTuple):
    """What the QP of a tick is made of.

    Attributes:
        gap, push: J and P, shape (nc, n + 2), the latter 0 for contacts that are not detected.
        bias: b, inertia, floor, gravity and further torques on the way, shape (n + 2,).
        carried: forces that the contacts shall carry, on the base, shape (3,).
        travel: the motion that keeps the contacts that are detected, shape (n + 2,).
        target: of the joints, turned to it, shape (n - 1,).
        torque_bounds: of the servos at the joint rates on the way, shape (2, n - 1), N m.
    """

    gap: Matrix
    push: Matrix
    bias: Vector
    carried: Vector
    travel: Vector
    target: Vector
    torque_bounds: Matrix


@inner
def solve(matrix: Any, right: Any) -> None:
    """Replace `right`, (n,), by the solution of a symmetric positive definite system, and the
    matrix, (n, n), of which only the lower half is read, by its Cholesky factor; by NaN where it is
    not positive definite.
    """
    n = right.size
    for j in range(n):
        for k in range(j):
            matrix[j, j] -= matrix[j, k] ** 2
        matrix[j, j] = math.sqrt(matrix[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                matrix[i, j] -= matrix[i, k] * matrix[j, k]
            matrix[i, j] /= matrix[j, j]
    for i in range(n):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            right[i] -= matrix[k, i] * right[k]
        right[i] /= matrix[i, i]


@inner
def _nearest(nearest: Any, gap: Any, travel: Any) -> None:
    """Write the motion t of `optimisation.kept_travel`."""
    count, size = gap.shape
    opening, most = np.zeros(count), 0.0
    for k in range(count):
        for j in range(size):
            opening[k] += gap[k, j] * travel[j]
        most = max(most, abs(opening[k]))
    if most < KEPT:
        nearest[:] = travel
        return
    rows = np.empty((count, count))
    for k in range(count):
        for m in range(k + 1):
            free = gap[k, 0] * gap[m, 0] + gap[k, 1] * gap[m, 1] + gap[k, 2] * gap[m, 2]
            held = 0.0
            for j in range(3, size):
                held += gap[k, j] * gap[m, j]
            rows[k, m] = free / BASE_WEIGHT + held
        rows[k, k] += ROUNDING
    solve(rows, opening)
    square, progress = 0.0, 0.0
    for j in range(size):
        moved = 0.0
        for k in range(count):
            moved += opening[k] * gap[k, j]
        nearest[j] = travel[j] - (moved / BASE_WEIGHT if j < 3 else moved)
        if j >= 3:
            square += travel[j] * travel[j]
            progress += travel[j] * nearest[j]
    for j in range(size):
        nearest[j] *= square / max(progress, square / MOST_STRETCH)


@compiled("f8[::1](f8[:, ::1], f8[::1])")
def kept_travel(gap: Any, travel: Any) -> Any:
    """The motion t of `optimisation.kept_travel`, shape (n + 2,); arguments as of `kept_motion`."""
    nearest = np.empty(travel.size)
    _nearest(nearest, gap, travel)
    return nearest


@inner
def kept_motion(nearest: Any, turned: Any, gap: Any, travel: Any, target: Any) -> None:
    """Write the motion t of `optimisation.kept_travel`, shape (n + 2,), and desired accelerations
    of the joints, shape (n - 1,), with their part along q' turned to t, and nothing else along t.

    Args:
        gap: J, shape (nc, n + 2). travel: q', shape (n + 2,).
        target: desired accelerations, shape (n - 1,).
    """
    _nearest(nearest, gap, travel)
    square, asked, length, against = 0.0, 0.0, 0.0, 0.0
    for j in range(3, travel.size):
        square += travel[j] * travel[j]
        asked += travel[j] * target[j - 3]
        length += nearest[j] * nearest[j]
    along = asked / square
    for j in range(3, travel.size):
        against += nearest[j] * (target[j - 3] - along * travel[j])
    for j in range(3, travel.size):
        across = target[j - 3] - along * travel[j]
        turned[j - 3] = across + (along - against / length) * nearest[j]


@inner
def _write_rows(gap: Any, push: Any, at: Any, chain: Any, friction: float, radius: float) -> None:
    """As `contact_rows`."""
    for k in range(at.link.size):
        link, along, across = at.link[k], at.normal[k, 0], at.normal[k, 1]
        for j in range(chain.across_rows.shape[1]):
            turning = 1.0 if 2 <= j <= link + 2 else 0.0  # the joints tailward of the link turn it
            sideways = chain.across_rows[link, j] + at.offset[k] * turning
            lengthwise = chain.along_rows[link, j]
            gap[k, j] = across * sideways + along * lengthwise
            sliding = along * sideways - across * lengthwise - radius * turning
            push[k, j] = gap[k, j] - friction * at.side[k] * sliding


@on_records
def contact_rows(
    gap: Matrix, push: Matrix, at: ContactPlaces, chain: ChainRows, friction: float, radius: float
) -> None:
    """Write the gap Jacobian J, and the generalised forces of unit normal forces with sliding
    friction, (nc, n + 2) each.

    Args:
        friction: coefficient of the posts, negative backwards. radius: half width of the body, m.
    """
    _write_rows(gap, push, at, chain, friction, radius)


@on_records
def motion_rows(
    rows: MotionRows,
    at: ContactPlaces,
    detected: Vector,
    chain: ChainRows,
    way: Way,
    servos: ServoLine,
    demand: Demand,
    friction: float,
    radius: float,
) -> None:
    """Write what the QP of a tick is made of.

    Args:
        detected: how far each contact is, 0 where it is not; of shape (0,) where all are.
        friction, radius: as of `contact_rows`.
    """
    gap, push, rate = rows.gap, rows.push, demand.rate
    size = way.dq.size
    _write_rows(gap, push, at, chain, friction, radius)
    touching, count = np.empty_like(gap), 0
    for k in range(at.link.size):
        if detected.size == 0 or detected[k] != 0.0:
            touching[count] = gap[k]
            count += 1
        else:
            push[k] = 0.0
    kept_motion(rows.travel, rows.target, touching[:count], way.dq, demand.target)
    for i in range(size):
        rows.bias[i] = way.inertial[i] * rate**2 - way.ground[i] * demand.ground
        rows.bias[i] -= way.mass[i, 0] * way.gravity[0] + way.mass[i, 1] * way.gravity[1]
    for i in range(3):
        moved = 0.0
        for j in range(size):
            moved += way.mass[i, j] * rows.travel[j]
        rows.carried[i] = rows.bias[i] + moved * demand.planned
    for j in range(size - 3):
        speed = way.dq[3 + j] * rate
        rows.bias[3 + j] += demand.torque[j]
        less = speed * servos.slope
        rows.torque_bounds[0, j] = min(max(-servos.stall - less, -servos.limit), 0.0)
        rows.torque_bounds[1, j] = min(max(servos.stall - less, 0.0), servos.limit)
