"""The sums of the QP of a tick, by numpy; `compiled.rows` has the same as compiled loops.

Both give the same but for the last bits. With an exact map the compiled ones save little, and to
load them takes a third of a second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array


class Kernels(NamedTuple):
    """One way to work them out; see the functions of these names below."""

    nearest_kept: Callable[[Array, Array, Array, float, float], Array]
    write_rows: Callable[[Array, Array, Array, Array, Array, Array], None]
    joint_forces: Callable[[Array, Array, Array, Array, Array, Array], Array]


def nearest_kept(gap: Array, travel: Array, opening: Array, base: float, rounding: float) -> Array:
    """The motion nearest to `travel`, shape (n + 2,), that keeps the contacts.

    Args:
        gap: J, shape (nc, n + 2). opening: J travel, shape (nc,); not needed any more afterwards.
        base: weight of the squares of the base. rounding: added to the diagonal of the rows.
    """
    free = gap.copy()
    free[:, :3] /= base
    rows = free.dot(gap.T)
    rows.ravel()[:: len(rows) + 1] += rounding
    kept: Array = travel - np.linalg.solve(rows, opening).dot(free)
    return kept


def write_rows(A: Array, mass: Array, gap: Array, push: Array, u: Array, v: Array) -> None:
    """Write the rows of the QP, [-P', M Q] and below [0, J Q], into A, shape (n + 2 + nc, nc + n +
    2), with the reflection Q = I - u v' of the joints; the zeros are there.

    Args:
        mass: M, shape (n + 2, n + 2). gap, push: J and P, shape (nc, n + 2).
        u, v: shape (n - 1,).
    """
    count, size = push.shape
    np.negative(push.T, out=A[:size, :count])
    A[:size, count:] = mass
    A[size:, count:] = gap
    joints = A[:, count + 3 :]
    joints -= joints.dot(u)[:, None] * v


def joint_forces(
    push: Array, headward: Array, momentum: Array, bias: Array, force: Array, delta: Array
) -> Array:
    """Forces of link i + 1 on link i at every joint, shape (n - 1, 2), N.

    Args:
        push: P, shape (nc, n + 2). headward, momentum, bias: of `contact_qp.JointForces`.
        force: of the contacts, shape (nc,), N. delta: shape (n + 2,).
    """
    contact = (force[:, None] * push[:, :2]).T.dot(headward)
    forces: Array = (contact - momentum.dot(delta) - bias).T
    return forces


NUMPY = Kernels(nearest_kept, write_rows, joint_forces)
