"""Rows of the contacts, and the motions that they allow, as compiled loops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from boa_control.compiled import compiled, inner


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
def _nearest(
    nearest: Any, gap: Any, travel: Any, kept: float, base: float, rounding: float, stretch: float
) -> None:
    """Write the motion t of `optimisation.kept_travel`, whose constants are the last four
    arguments.
    """
    count, size = gap.shape
    opening, most = np.zeros(count), 0.0
    for k in range(count):
        for j in range(size):
            opening[k] += gap[k, j] * travel[j]
        most = max(most, abs(opening[k]))
    if most < kept:
        nearest[:] = travel
        return
    rows = np.empty((count, count))
    for k in range(count):
        for m in range(k + 1):
            free = gap[k, 0] * gap[m, 0] + gap[k, 1] * gap[m, 1] + gap[k, 2] * gap[m, 2]
            held = 0.0
            for j in range(3, size):
                held += gap[k, j] * gap[m, j]
            rows[k, m] = free / base + held
        rows[k, k] += rounding
    solve(rows, opening)
    square, progress = 0.0, 0.0
    for j in range(size):
        moved = 0.0
        for k in range(count):
            moved += opening[k] * gap[k, j]
        nearest[j] = travel[j] - (moved / base if j < 3 else moved)
        if j >= 3:
            square += travel[j] * travel[j]
            progress += travel[j] * nearest[j]
    for j in range(size):
        nearest[j] *= square / max(progress, square / stretch)


@compiled("f8[::1](f8[:, ::1], f8[::1], f8, f8, f8, f8)")
def kept_travel(
    gap: Any, travel: Any, kept: float, base: float, rounding: float, stretch: float
) -> Any:
    """The motion t of `optimisation.kept_travel`, shape (n + 2,); arguments as of `kept_motion`."""
    nearest = np.empty(travel.size)
    _nearest(nearest, gap, travel, kept, base, rounding, stretch)
    return nearest


@inner
def kept_motion(
    nearest: Any,
    turned: Any,
    gap: Any,
    travel: Any,
    target: Any,
    kept: float,
    base: float,
    rounding: float,
    stretch: float,
) -> None:
    """Write the motion t of `optimisation.kept_travel`, shape (n + 2,), and desired accelerations
    of the joints, shape (n - 1,), with their part along q' turned to t, and nothing else along t.

    Args:
        gap: J, shape (nc, n + 2). travel: q', shape (n + 2,).
        target: desired accelerations, shape (n - 1,).
    """
    _nearest(nearest, gap, travel, kept, base, rounding, stretch)
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
def _write_rows(
    gap: Any,
    push: Any,
    link: Any,
    offset: Any,
    side: Any,
    normal: Any,
    across_rows: Any,
    along_rows: Any,
    friction: float,
    radius: float,
) -> None:
    """As `contact_rows`, into arrays."""
    for k in range(link.size):
        at, along, across = link[k], normal[k, 0], normal[k, 1]
        for j in range(across_rows.shape[1]):
            turning = 1.0 if 2 <= j <= at + 2 else 0.0  # the joints tailward of the link turn it
            sideways = across_rows[at, j] + offset[k] * turning
            lengthwise = along_rows[at, j]
            gap[k, j] = across * sideways + along * lengthwise
            sliding = along * sideways - across * lengthwise - radius * turning
            push[k, j] = gap[k, j] - friction * side[k] * sliding


@compiled(
    "void(f8[:, ::1], f8[:, ::1], i8[::1], f8[::1], f8[::1], f8[:, ::1], f8[:, ::1], f8[:, ::1],"
    " f8, f8)"
)
def contact_rows(
    gap: Any,
    push: Any,
    link: Any,
    offset: Any,
    side: Any,
    normal: Any,
    across_rows: Any,
    along_rows: Any,
    friction: float,
    radius: float,
) -> None:
    """Write the gap Jacobian J, and the generalised forces of unit normal forces with sliding
    friction, (nc, n + 2) each.

    Args:
        link, offset, side, normal: of the contacts, as in `ContactSet`.
        across_rows, along_rows: of the chain, shape (n, n + 2), as in `PathState`.
        friction: coefficient of the posts, negative backwards. radius: half width of the body, m.
    """
    _write_rows(gap, push, link, offset, side, normal, across_rows, along_rows, friction, radius)


@compiled(
    "void(f8[:, ::1], f8[:, ::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[:, ::1], i8[::1], f8[::1],"
    " f8[::1], f8[:, ::1], f8[::1], f8[:, ::1], f8[:, ::1], f8[::1], f8[:, ::1], f8[::1], f8[::1],"
    " f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8)"
)
def motion_rows(
    gap: Any,
    push: Any,
    bias: Any,
    carried: Any,
    travel: Any,
    turned: Any,
    torque_bounds: Any,
    link: Any,
    offset: Any,
    side: Any,
    normal: Any,
    felt: Any,
    across_rows: Any,
    along_rows: Any,
    dq: Any,
    mass: Any,
    inertial: Any,
    floor: Any,
    damping: Any,
    coulomb: Any,
    direction: Any,
    torque: Any,
    target: Any,
    rate: float,
    ground: float,
    planned: float,
    friction: float,
    radius: float,
    stall: float,
    slope: float,
    limit: float,
    kept: float,
    base: float,
    rounding: float,
    stretch: float,
) -> None:
    """Write what the QP of a tick is made of into the first seven arrays; see `hoal.motion_qp`.

    Args:
        gap, push: as of `contact_rows`, the latter 0 for contacts that are not felt.
        bias: b, shape (n + 2,): inertia, floor, joint friction, further joint torques.
        carried: forces that the contacts shall carry, on the base, shape (3,).
        travel, turned: as of `kept_motion`, by the contacts that are felt.
        torque_bounds: `TorqueSpeedLine.bounds` at the joint rates on the way, shape (2, n - 1).
        link, offset, side, normal: of the contacts, as in `ContactSet`.
        felt: how far each is, 0 where it is not; of shape (0,) where all are.
        across_rows, along_rows, dq, mass, inertial, floor: of `PathState`, where the last is
            `ground`.
        damping, coulomb, direction: of joint friction, shape (n - 1,).
        torque, target, rate, planned: of `Motion`. ground: factor of `floor`.
        friction, radius: as of `contact_rows`. stall, slope, limit: of `TorqueSpeedLine`.
        kept, base, rounding, stretch: the constants of `optimisation.kept_travel`.
    """
    size = dq.size
    _write_rows(gap, push, link, offset, side, normal, across_rows, along_rows, friction, radius)
    touching, count = np.empty_like(gap), 0
    for k in range(link.size):
        if felt.size == 0 or felt[k] != 0.0:
            touching[count] = gap[k]
            count += 1
        else:
            push[k] = 0.0
    kept_motion(travel, turned, touching[:count], dq, target, kept, base, rounding, stretch)
    for i in range(size):
        bias[i] = inertial[i] * rate**2 - floor[i] * ground
    for i in range(3):
        moved = 0.0
        for j in range(size):
            moved += mass[i, j] * travel[j]
        carried[i] = bias[i] + moved * planned
    for j in range(size - 3):
        speed = dq[3 + j] * rate
        bias[3 + j] += damping[j] * speed + coulomb[j] * direction[j] + torque[j]
        less = speed * slope
        torque_bounds[0, j] = min(max(-stall - less, -limit), 0.0)
        torque_bounds[1, j] = min(max(stall - less, 0.0), limit)
