"""What the QP of a tick takes from the rows of its contacts, as compiled loops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from boa_control.compiled import compiled

ROUNDING = 1e-12  # of the squares: contacts of a straight chain leave the base free to slide


@compiled("void(f8[:, ::1], f8[::1])")
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


@compiled("f8[::1](f8[:, ::1], f8[::1], f8[::1])")
def left_open(gap: Any, weight: Any, rate: Any) -> Any:
    """What remains of gap rates, shape (nc,), m/s, when the base moves such that it is least.

    Args:
        gap: J, shape (nc, n + 2). weight: of the squares, above 0, shape (nc,).
        rate: of the gaps, with the base at rest, shape (nc,), m/s.
    """
    matrix, right = np.zeros((3, 3)), np.zeros(3)
    for k in range(rate.size):
        for i in range(3):
            right[i] += weight[k] * gap[k, i] * rate[k]
            for j in range(i + 1):
                matrix[i, j] += weight[k] * gap[k, i] * gap[k, j]
    ridge = ROUNDING * (matrix[0, 0] + matrix[1, 1] + matrix[2, 2])
    for i in range(3):
        matrix[i, i] += ridge
    solve(matrix, right)
    remaining = np.empty(rate.size)
    for k in range(rate.size):
        base = gap[k, 0] * right[0] + gap[k, 1] * right[1] + gap[k, 2] * right[2]
        remaining[k] = rate[k] - base
    return remaining


@compiled("f8[::1](f8[:, ::1], f8[::1], f8[::1], f8, f8)")
def nearest_kept(gap: Any, travel: Any, opening: Any, base: float, rounding: float) -> Any:
    """The motion nearest to `travel`, shape (n + 2,), that keeps the contacts.

    Args:
        gap: J, shape (nc, n + 2). opening: J travel, shape (nc,); it is overwritten.
        base: weight of the squares of the base. rounding: added to the diagonal of the rows.
    """
    count, size = gap.shape
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
    kept = np.empty(size)
    for j in range(size):
        moved = 0.0
        for k in range(count):
            moved += opening[k] * gap[k, j]
        kept[j] = travel[j] - (moved / base if j < 3 else moved)
    return kept


@compiled("void(f8[::1], f8[::1], f8[::1], f8[::1])")
def _reflect(row: Any, u: Any, v: Any, out: Any) -> None:
    """`out` = row [I, Q], with I for the base."""
    along = 0.0
    for j in range(u.size):
        along += row[3 + j] * u[j]
    for j in range(3):
        out[j] = row[j]
    for j in range(u.size):
        out[3 + j] = row[3 + j] - along * v[j]


@compiled("void(f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[::1], f8[::1])")
def write_rows(A: Any, mass: Any, gap: Any, push: Any, u: Any, v: Any) -> None:
    """Write the rows of the QP, [-P', M Q] and below [0, J Q], into A, shape (n + 2 + nc, nc + n +
    2), with the reflection Q = I - u v' of the joints.

    Args:
        mass: M, shape (n + 2, n + 2). gap, push: J and P, shape (nc, n + 2).
        u, v: shape (n - 1,).
    """
    count, size = push.shape
    for i in range(size):
        for k in range(count):
            A[i, k] = -push[k, i]
        _reflect(mass[i], u, v, A[i, count:])
    for k in range(count):
        _reflect(gap[k], u, v, A[size + k, count:])


@compiled("f8[:, ::1](f8[:, ::1], f8[:, ::1], f8[:, :, ::1], f8[:, ::1], f8[::1], f8[::1])")
def joint_forces(push: Any, headward: Any, momentum: Any, bias: Any, force: Any, delta: Any) -> Any:
    """Forces of link i + 1 on link i at every joint, shape (n - 1, 2), N.

    Args:
        push: P, shape (nc, n + 2). headward, momentum, bias: of `contact_qp.JointForces`.
        force: of the contacts, shape (nc,), N. delta: shape (n + 2,).
    """
    joints = bias.shape[1]
    forces = np.empty((joints, 2))
    for c in range(2):
        for j in range(joints):
            total = -bias[c, j]
            for k in range(force.size):
                total += force[k] * push[k, c] * headward[k, j]
            for i in range(delta.size):
                total -= momentum[c, j, i] * delta[i]
            forces[j, c] = total
    return forces
