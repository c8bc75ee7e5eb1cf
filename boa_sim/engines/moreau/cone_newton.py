# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The convex relaxation of friction by Newton's method: all contacts at once, where sweeps from one
to the next take thousands of rounds because many share a load.

An augmented Lagrangian. Every contact is a soft spring with an offset, its impulse p of before, and
answers a velocity u with

    p+ = P(p - u / R),    R = softness times its own W,

P the projection on its cone. With w = w~ + G' p+ this is the minimum of a strictly convex function
of the nv coordinates w (`gauss_seidel`), and Newton's method with a search along each step
reaches it from anywhere. Then p+ becomes the offset: what the springs give gets smaller with
every round. Impulses that are not unique stay near those that the method began with.
"""

import math
from typing import Any

import numpy as np

from boa_control.compiled import compiled_when_called

ROUNDS = 30  # of Newton's method
TRIALS = 12  # along one step
CLOSE = 1e-13  # of w, sqrt(kg) m/s
ROUNDING = 1e-8  # below this an error that no longer falls is one of rounding


@compiled_when_called
def cone_newton(
    G: Any, first: Any, mu: Any, limit: Any, shift: Any, W: Any, p: Any, w: Any, softness: float
) -> Any:
    """Impulses (rows,) and w (nv,) after one round from p and w, which may be worse than these.

    Args:
        G, W, p, w: as in `gauss_seidel`. first, mu, limit, shift: of `Blocks`.
        softness: of the springs, as a share of W.
    """
    n = w.size
    free = w - p @ G
    w, after, nothing = w.copy(), p.copy(), np.zeros((0, 0))
    size = np.inf
    for _ in range(ROUNDS):
        system = np.eye(n)
        _answer(G, first, mu, limit, shift, W, softness, p, w, after, system)
        lack = free + after @ G - w
        before, size = size, np.sum(lack * lack)
        if size < CLOSE**2 or 0.25 * before < size < ROUNDING**2:
            break
        step = np.linalg.solve(system, lack)
        steep = np.sum(lack * step)
        low, high, share = 0.0, 1.0, 1.0
        for _ in range(TRIALS):
            trial = w + share * step
            _answer(G, first, mu, limit, shift, W, softness, p, trial, after, nothing)
            slope = np.sum((free + after @ G - trial) * step)
            if slope >= -0.5 * steep and (share == 1.0 or slope <= 0.5 * steep):
                break
            low, high = (low, share) if slope < 0.0 else (share, high)
            share = 0.5 * (low + high)
        w += share * step
    return after, free + after @ G


@compiled_when_called
def _answer(
    G: Any,
    first: Any,
    mu: Any,
    limit: Any,
    shift: Any,
    W: Any,
    softness: float,
    p: Any,
    w: Any,
    after: Any,
    system: Any,
) -> None:
    """Fill `after` with P(p - u / R); add -G' d(after)/dw to `system` unless it is empty."""
    n, stiff = w.size, system.size > 0
    target = np.zeros(3)
    for k in range(mu.size):
        row, size = first[k], first[k + 1] - first[k]
        soft = softness * max(W[k, 0, 0], W[k, 1, 1], W[k, 2, 2])
        target[:] = 0.0
        for r in range(size):
            u = shift[row + r]
            for i in range(n):
                u += G[row + r, i] * w[i]
            target[r] = p[row + r] - u / soft
        if size == 1:
            bound = limit[k]
            kept = max(target[0], 0.0) if bound == np.inf else min(max(target[0], -bound), bound)
            after[row] = kept
            if stiff and kept == target[0]:
                _stiffen(system, G[row], 1.0 / soft)
            continue
        normal, reach = target[0], math.hypot(target[1], target[2])
        slides, share = reach > mu[k] * normal, 1.0
        if slides:
            share = 1.0 / (1.0 + mu[k] * mu[k])
            normal = share * (normal + mu[k] * reach)
        if normal <= 0.0:
            after[row : row + size] = 0.0
            continue
        kept = mu[k] * normal / reach if slides else 1.0
        after[row] = normal
        for r in range(1, size):
            after[row + r] = kept * target[r]
        if stiff and not slides:
            for r in range(size):
                _stiffen(system, G[row + r], 1.0 / soft)
        elif stiff:
            cos, sin = target[1] / reach, target[2] / reach
            push = G[row] + mu[k] * cos * G[row + 1]
            if size == 3:
                push += mu[k] * sin * G[row + 2]
                _stiffen(system, cos * G[row + 2] - sin * G[row + 1], kept / soft)
            _stiffen(system, push, share / soft)


@compiled_when_called
def _stiffen(system: Any, push: Any, stiffness: float) -> None:
    """Add push' push times `stiffness`."""
    for i in range(push.size):
        part = stiffness * push[i]
        for j in range(push.size):
            system[i, j] += part * push[j]
