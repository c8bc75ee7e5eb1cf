# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Impulses of one time step as a list of blocks: contacts, joint stops and dry friction.

Every block has one to three rows; row r has the velocity u_r = (J v)_r and the impulse p_r.

The coordinates w = L' v in which a step is solved, with A = L L', compiled.

There the inertia is one: the rows are G = J L^-T, and impulses p change w by G' p.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_control.compiled import compiled_when_called
from boa_description.arrays import Array

REGULAR = 1e-12  # share of a block's diagonal that keeps its inverse finite
UNBOUNDED = np.inf


@compiled_when_called
def _cholesky(matrix: Any) -> Any:
    """Lower triangle L with L L' = matrix."""
    n = matrix.shape[0]
    lower = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= lower[i, k] * lower[j, k]
            lower[i, j] = math.sqrt(total) if i == j else total / lower[j, j]
    return lower


@compiled_when_called
def _whitened(lower: Any, jacobian: Any) -> Any:
    """G = J L^-T: every row solved forwards."""
    rows, n = jacobian.shape
    white = np.empty((rows, n))
    for r in range(rows):
        for i in range(n):
            total = jacobian[r, i]
            for k in range(i):
                total -= lower[i, k] * white[r, k]
            white[r, i] = total / lower[i, i]
    return white


@compiled_when_called
def back(lower: Any, w: Any) -> Any:
    """v with L' v = w."""
    n = w.size
    v = np.empty(n)
    for i in range(n - 1, -1, -1):
        total = w[i]
        for k in range(i + 1, n):
            total -= lower[k, i] * v[k]
        v[i] = total / lower[i, i]
    return v


@compiled_when_called
def moved(inertia: Any, velocity: Any, impulse: Any) -> Any:
    """Velocity (nv,) after an impulse (nv,) on the coordinates: v + A^-1 p."""
    lower = _cholesky(inertia)
    w = np.empty(impulse.size)
    for i in range(w.size):
        total = impulse[i]
        for k in range(i):
            total -= lower[i, k] * w[k]
        w[i] = total / lower[i, i]
    return velocity + back(lower, w)


@compiled_when_called
def assembled(inertia: Any, free: Any, jacobian: Any, first: Any, start: Any) -> Any:
    """G, the diagonal blocks W of G G', w at the impulses `start`, and L."""
    lower = _cholesky(inertia)
    n, rows, blocks = free.size, jacobian.shape[0], first.size - 1
    G = _whitened(lower, jacobian)
    w = np.zeros(n)
    for i in range(n):
        for k in range(i, n):
            w[i] += lower[k, i] * free[k]
    for r in range(rows):
        for i in range(n):
            w[i] += G[r, i] * start[r]
    W = np.zeros((blocks, 3, 3))
    for k in range(blocks):
        row, size = first[k], first[k + 1] - first[k]
        largest = 0.0
        for r in range(size):
            for c in range(size):
                for i in range(n):
                    W[k, r, c] += G[row + r, i] * G[row + c, i]
            largest = max(largest, W[k, r, r])
        for r in range(size):
            W[k, r, r] += REGULAR * largest
    return G, W, w, lower


class Blocks(NamedTuple):
    """Laws of all rows. A block of

    - one row with a finite limit is dry friction: |p| <= limit, against u;
    - one row without limit is a stop: 0 <= p, 0 <= u + shift, one of them zero;
    - two or three rows is a contact: its first row a stop along the normal, the others friction,
      |p_t| <= mu p_n, against u_t.

    Attributes:
        first: row at which a block begins, shape (n + 1,); the last entry is the number of rows.
        mu: shape (n,). limit: shape (n,), N s (N m s about a joint).
        shift: shape (rows,), m/s: what a velocity may fall short of zero; rows of friction: 0.
    """

    first: NDArray[np.int64]
    mu: Array
    limit: Array
    shift: Array

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.first[-1])


def stops(shift: Array) -> Blocks:
    """Blocks of one row each that only push; `shift` as in `Blocks`, shape (n,)."""
    n = shift.size
    return Blocks(np.arange(n + 1), np.zeros(n), np.full(n, UNBOUNDED), shift)


def dry_friction(limit: Array) -> Blocks:
    """Blocks of one row each with an impulse of at most `limit`, shape (n,)."""
    n = limit.size
    return Blocks(np.arange(n + 1), np.zeros(n), limit, np.zeros(n))


def contacts(shift: Array, mu: float, tangents: int) -> Blocks:
    """Contacts with `tangents` rows of friction (0, 1 or 2) after each normal; `shift` (n,) of the
    normals.
    """
    n, size = shift.size, 1 + tangents
    every = np.zeros((n, size))
    every[:, 0] = shift
    return Blocks(
        size * np.arange(n + 1), np.full(n, float(mu)), np.full(n, UNBOUNDED), every.ravel()
    )


def together(parts: list[Blocks]) -> Blocks:
    """All blocks in order, with their rows one after the other."""
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(part.rows for part in parts)])
    first = [part.first[:-1] + start for part, start in zip(parts, starts, strict=False)]
    return Blocks(
        np.concatenate([*first, starts[-1:]]),
        np.concatenate([part.mu for part in parts]),
        np.concatenate([part.limit for part in parts]),
        np.concatenate([part.shift for part in parts]),
    )


class Impulses(NamedTuple):
    """Solution of one time step.

    Attributes:
        velocity: v+, shape (nv,).
        impulse: p, shape (rows,), N s.
        residual: largest error of the laws, m/s.
        sweeps: how many were made before and between attempts of Newton's method.
    """

    velocity: Array
    impulse: Array
    residual: float
    sweeps: int
