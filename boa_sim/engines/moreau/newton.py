# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Newton's step towards the impulses of Coulomb's law: all contacts at once, with the state of each
held. Which are open, stick or slide is read from the projection that the error of the laws is
measured with (Alart and Curnier 1991); between sweeps this is a subspace minimisation (Silcowitz,
Niebuhr and Erleben, Projected Gauss-Seidel subspace minimization method for interactive rigid body
dynamics, 2010). It ends what many contacts that share a load would draw out over thousands of
sweeps.

In the coordinates w of `gauss_seidel` the rows that carry load meet in one system of nv equations,

    (1 + K + B' C / R) dw = ..,    R = SOFT times their own W:

C the velocities that have to vanish, B the impulses that see to it (a sliding normal with its
friction, hence not C), K the friction across a slip that turns. R is taken away again by offsets,
as in `cone_newton`: rows that depend on one another do no harm.
"""

import math
from typing import Any

import numpy as np

from boa_control.compiled import compiled_when_called

SOFT = 1e-5  # softness of a row as a share of its own W
CORRECTIONS = 3  # rounds of the offset; each leaves SOFT of the error
LEAST_SLIP = 1e-9  # share of friction's target that lies outside of its disc, at least


@compiled_when_called
def newton_step(G: Any, first: Any, mu: Any, limit: Any, shift: Any, W: Any, p: Any, w: Any) -> Any:
    """Impulses (rows,) after one step from p, which may be worse.

    Args:
        G, W, p, w: as in `gauss_seidel`. first, mu, limit, shift: of `Blocks`.
    """
    rows = G.shape[0]
    u = shift + G @ w
    change = np.zeros(rows)  # of p, as far as no load is unknown
    held = np.zeros(rows, np.bool_)  # rows whose velocity has to vanish
    soft, B = np.ones(rows), G.copy()
    slip, across = np.zeros((mu.size, 2)), np.zeros(mu.size)  # direction; K of it
    for k in range(mu.size):
        row, size = first[k], first[k + 1] - first[k]
        soft[row] = SOFT * W[k, 0, 0]
        normal = p[row] - u[row] / W[k, 0, 0]
        if size == 1:
            if limit[k] < np.inf and abs(normal) >= limit[k]:
                change[row] = math.copysign(limit[k], normal) - p[row]
            elif limit[k] == np.inf and normal <= 0.0:
                change[row] = -p[row]
            else:
                held[row] = True
            continue
        if normal <= 0.0:
            change[row : row + size] = -p[row : row + size]
            continue
        held[row] = True
        rate = max(W[k, 1, 1], W[k, 2, 2])
        soft[row + 1 : row + size] = SOFT * rate
        px, py = p[row + 1], p[row + 2] if size == 3 else 0.0
        x = px - u[row + 1] / rate
        y = py - u[row + 2] / rate if size == 3 else 0.0
        reach = math.hypot(x, y)
        if reach <= mu[k] * normal:
            held[row + 1 : row + size] = True
            continue
        cos, sin = x / reach, y / reach
        slip[k] = cos, sin
        along = mu[k] * p[row] - (px * cos + py * sin)
        change[row + 1] = along * cos
        B[row] += mu[k] * cos * G[row + 1]
        if size == 3:
            B[row] += mu[k] * sin * G[row + 2]
            outside = max(1.0 - mu[k] * normal / reach, LEAST_SLIP)
            aside = (px * sin - py * cos) / outside
            change[row + 1] -= aside * sin
            change[row + 2] = along * sin + aside * cos
            across[k] = (1.0 - outside) / (outside * rate)
    load, shifted = _solved(G, first, across, slip, B, u, change, held, soft)
    after = p + change + load
    for k in range(mu.size):
        row, size = first[k], first[k + 1] - first[k]
        cos, sin = slip[k]
        if cos == 0.0 and sin == 0.0:
            continue
        after[row + 1] += mu[k] * cos * load[row]
        if size == 3:
            after[row + 2] += mu[k] * sin * load[row]
            brake = across[k] * np.sum((cos * G[row + 2] - sin * G[row + 1]) * shifted)
            after[row + 1] += sin * brake
            after[row + 2] -= cos * brake
    return after


@compiled_when_called
def _solved(
    G: Any, first: Any, across: Any, slip: Any, B: Any, u: Any, change: Any, held: Any, soft: Any
) -> Any:
    """Changes of the loads of all held rows (rows,), and dw (nv,)."""
    rows, n = G.shape
    system = np.eye(n)
    for k in range(across.size):
        if across[k] > 0.0:
            turned = slip[k, 0] * G[first[k] + 2] - slip[k, 1] * G[first[k] + 1]
            _add(system, across[k] * turned, turned)
    for r in range(rows):
        if held[r]:
            _add(system, B[r] / soft[r], G[r])
    inverse = np.linalg.inv(system)
    force, load, shifted = change @ G, np.zeros(rows), np.zeros(n)
    for _ in range(CORRECTIONS):
        shifted = inverse @ (force + (load - held * u / soft) @ B)
        load -= held * (u + G @ shifted) / soft
    return load, shifted


@compiled_when_called
def _add(system: Any, push: Any, give: Any) -> None:
    """Add push' give."""
    for i in range(push.size):
        for j in range(push.size):
            system[i, j] += push[i] * give[j]
