# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The coordinates w = L' v in which a step is solved, with A = L L', compiled.

There the inertia is one: the rows are G = J L^-T, and impulses p change w by G' p.
"""

import math
from typing import Any

import numpy as np

from boa_control.compiled import compiled_when_called

REGULAR = 1e-12  # share of a block's diagonal that keeps its inverse finite


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
