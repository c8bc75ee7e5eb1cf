# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Projected block Gauss-Seidel for rigid contact with Coulomb friction, compiled.

Solves for the velocity v+ at the end of a step and the impulses p,

    A (v+ - v~) = J' p,    u = J v+,    every block of p and u in its law (`blocks.Blocks`),

with v~ the velocity that the step would end with if nothing touched. Coulomb's law with maximal
dissipation (De Saxce and Feng, 1998; Acary and Brogliato, Numerical Methods for Nonsmooth Dynamical
Systems, chapter 13): 0 <= p_n, 0 <= u_n + shift, one of them zero; |p_t| <= mu p_n, and where
u_t is not zero, p_t = -mu p_n u_t / |u_t|.

In the coordinates w = L' v with A = L L' the rows are G = J L^-T and a block changes w by G_k' dp:
one sweep costs rows times nv. Blocks are updated one after the other, always in the same order: the
same input gives the same bits. Sweeps are fast while contacts are few; where many share a load,
Newton's method takes over between them (`newton`, `cone_newton`).
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from boa_control.compiled import compiled_when_called
from boa_description.arrays import Array
from boa_sim.engines.moreau.blocks import Blocks, Impulses
from boa_sim.engines.moreau.cone_newton import cone_newton
from boa_sim.engines.moreau.coordinates import assembled, back
from boa_sim.engines.moreau.newton import newton_step

TOLERANCE = 1e-9  # m/s, of the residual
CHECK_EVERY = 5  # sweeps; measuring the residual costs as much as a sweep
# sweeps between attempts of Newton's method. The first ones share a load out evenly where Coulomb's
# law leaves it open, and end most steps; motion of the convex problem is unique.
PORTIONS = (80, 40, 80, 160, 320, 640)
MOST_SWEEPS = sum(PORTIONS)
NEWTON_STEPS = 30  # of 40 tried on 118 hard steps of COBRA hardly any solved more
SOFTNESS = (1e-4, 1e-5, *(1e-6,) * 6)  # of the rounds of `cone_newton`; rounding forbids less
INNER = 8  # rounds within one sliding contact; the sweeps around them do the rest


def solve(
    inertia: Array,
    free: Array,
    jacobian: Array,
    blocks: Blocks,
    start: Array,
    *,
    convex: bool = False,
) -> Impulses:
    """The impulses of one step.

    Args:
        inertia: A, shape (nv, nv), symmetric and positive definite.
        free: v~, shape (nv,).
        jacobian: J, shape (rows, nv).
        start: p to begin with, shape (rows,), N s; that of the last step saves most sweeps.
        convex: replace Coulomb's law at contacts by the cone complementarity problem of convex
            relaxations: u + shift in the dual cone, orthogonal to p. A sliding contact then gets
            u_n = mu |u_t|: it is pushed off. Wrong for sliding; for comparison.
    """
    G, W, w, lower = assembled(
        np.ascontiguousarray(inertia),
        np.ascontiguousarray(free),
        np.ascontiguousarray(jacobian),
        blocks.first,
        start,
    )
    problem = _Problem(G, W, blocks, convex)
    state = problem.state(start.copy(), w)
    sweeps = 0
    for portion in (CHECK_EVERY, *PORTIONS) if convex else PORTIONS:
        if state.error <= TOLERANCE:
            break
        state, made = problem.swept(state, portion)
        sweeps += made
        if state.error > TOLERANCE:
            state = problem.solved_at_once(state)
    return Impulses(back(lower, state.w), state.impulse, state.error, sweeps)


class _State(NamedTuple):
    """Impulses p (rows,), w (nv,) and the error of the laws, m/s."""

    impulse: Array
    w: Array
    error: float


class _Problem:
    """One step's problem in the coordinates w."""

    def __init__(self, G: Array, W: Array, blocks: Blocks, convex: bool) -> None:
        self._laws = G, blocks.first, blocks.mu, blocks.limit, blocks.shift, W
        self._convex = convex

    def state(self, impulse: Array, w: Array) -> _State:
        """These impulses with their error."""
        return _State(impulse, w, _error(*self._laws, self._convex, impulse, w))

    def swept(self, state: _State, most: int) -> tuple[_State, int]:
        """After at most so many sweeps, and how many they were."""
        impulse, w = state.impulse.copy(), state.w.copy()
        error, made = _sweeps(*self._laws, self._convex, impulse, w, most)
        return _State(impulse, w, error), made

    def solved_at_once(self, start: _State) -> _State:
        """The best state on the way of Newton's method, `start` if none is better. A sweep puts
        every impulse into its set, which Newton's steps miss by rounding.
        """
        steps = self._cone_rounds(start) if self._convex else self._newton_steps(start)
        best = start
        for step in steps:
            state = self.swept(step, 1)[0] if step.error < best.error else step
            if state.error < best.error:
                best = state
            if best.error <= TOLERANCE:
                break
        return best

    def _cone_rounds(self, state: _State) -> Iterator[_State]:
        for softness in SOFTNESS:
            state = self.state(*cone_newton(*self._laws, state.impulse, state.w, softness))
            yield state

    def _newton_steps(self, state: _State) -> Iterator[_State]:
        G = self._laws[0]
        for _ in range(NEWTON_STEPS):
            impulse = newton_step(*self._laws, state.impulse, state.w)
            state = self.state(impulse, state.w + (impulse - state.impulse) @ G)
            yield state


@compiled_when_called
def _project_line(value: float, limit: float) -> float:
    """The nearest impulse of a stop, or of dry friction where there is a limit."""
    return min(max(value, -limit), limit) if limit < np.inf else max(value, 0.0)


@compiled_when_called
def _project_disc(x: float, y: float, radius: float) -> tuple[float, float]:
    """The nearest point of a disc around zero."""
    size = math.hypot(x, y)
    if size <= radius:
        return x, y
    return x * radius / size, y * radius / size


@compiled_when_called
def _project_cone(n: float, x: float, y: float, mu: float) -> tuple[float, float, float]:
    """The nearest point of the cone |(x, y)| <= mu n."""
    size = math.hypot(x, y)
    if size <= mu * n:
        return n, x, y
    if mu * size <= -n:
        return 0.0, 0.0, 0.0
    along = (n + mu * size) / (1.0 + mu * mu)
    return along, mu * along * x / size, mu * along * y / size


@compiled_when_called
def _sticking(W: Any, b: Any, size: int, p: Any) -> None:
    """p = -W^-1 b for a block of two or three rows (Cramer)."""
    if size == 2:
        det = W[0, 0] * W[1, 1] - W[0, 1] * W[1, 0]
        p[0] = (-b[0] * W[1, 1] + b[1] * W[0, 1]) / det
        p[1] = (-b[1] * W[0, 0] + b[0] * W[1, 0]) / det
        return
    c00 = W[1, 1] * W[2, 2] - W[1, 2] * W[2, 1]
    c01 = W[1, 2] * W[2, 0] - W[1, 0] * W[2, 2]
    c02 = W[1, 0] * W[2, 1] - W[1, 1] * W[2, 0]
    det = W[0, 0] * c00 + W[0, 1] * c01 + W[0, 2] * c02
    c11 = W[0, 0] * W[2, 2] - W[0, 2] * W[2, 0]
    c12 = W[0, 1] * W[2, 0] - W[0, 0] * W[2, 1]
    c22 = W[0, 0] * W[1, 1] - W[0, 1] * W[1, 0]
    p[0] = -(c00 * b[0] + c01 * b[1] + c02 * b[2]) / det
    p[1] = -(c01 * b[0] + c11 * b[1] + c12 * b[2]) / det
    p[2] = -(c02 * b[0] + c12 * b[1] + c22 * b[2]) / det


@compiled_when_called
def _contact(W: Any, b: Any, size: int, mu: float, convex: bool, p: Any, trial: Any) -> None:
    """Bring the impulse `p` of one contact into its law, with u = W p + b at all others' impulses.

    Lifting off and sticking are exact; sliding is a few rounds of projection.
    """
    sliding = math.hypot(b[1], b[2])
    if b[0] >= (mu * sliding if convex else 0.0):
        p[:] = 0.0
        return
    _sticking(W, b, size, trial)
    if trial[0] > 0.0 and math.hypot(trial[1], trial[2]) <= mu * trial[0]:
        p[:] = trial
        return
    across = max(W[1, 1], W[2, 2])
    for _ in range(INNER):
        if convex:
            rate = W[0, 0] + across
            n = p[0] - (W[0, 0] * p[0] + W[0, 1] * p[1] + W[0, 2] * p[2] + b[0]) / rate
            x = p[1] - (W[1, 0] * p[0] + W[1, 1] * p[1] + W[1, 2] * p[2] + b[1]) / rate
            y = p[2] - (W[2, 0] * p[0] + W[2, 1] * p[1] + W[2, 2] * p[2] + b[2]) / rate
            p[0], p[1], p[2] = _project_cone(n, x, y, mu)
            continue
        p[0] = max(0.0, -(b[0] + W[0, 1] * p[1] + W[0, 2] * p[2]) / W[0, 0])
        x = p[1] - (W[1, 0] * p[0] + W[1, 1] * p[1] + W[1, 2] * p[2] + b[1]) / across
        y = p[2] - (W[2, 0] * p[0] + W[2, 1] * p[1] + W[2, 2] * p[2] + b[2]) / across
        p[1], p[2] = _project_disc(x, y, mu * p[0])


@compiled_when_called
def _velocity(G: Any, shift: Any, w: Any, row: int) -> Any:
    """u + shift of one row."""
    total = shift[row]
    for i in range(w.size):
        total += G[row, i] * w[i]
    return total


@compiled_when_called
def _sweep(
    G: Any, first: Any, mu: Any, limit: Any, shift: Any, W: Any, convex: bool, p: Any, w: Any
) -> None:
    """Update every block once; p and w change in place."""
    b, block, trial = np.zeros(3), np.zeros(3), np.zeros(3)
    n = w.size
    for k in range(mu.size):
        row, size = first[k], first[k + 1] - first[k]
        b[:] = 0.0
        block[:] = 0.0
        trial[:] = 0.0
        for r in range(size):
            b[r] = _velocity(G, shift, w, row + r)
            block[r] = p[row + r]
        if size == 1:
            block[0] = _project_line(block[0] - b[0] / W[k, 0, 0], limit[k])
        else:
            for r in range(size):
                for c in range(size):
                    b[r] -= W[k, r, c] * p[row + c]
            _contact(W[k], b, size, mu[k], convex, block, trial)
        for r in range(size):
            change = block[r] - p[row + r]
            if change != 0.0:
                p[row + r] = block[r]
                for i in range(n):
                    w[i] += G[row + r, i] * change


@compiled_when_called
def _error(
    G: Any, first: Any, mu: Any, limit: Any, shift: Any, W: Any, convex: bool, p: Any, w: Any
) -> float:
    """Largest |p - P(p - u / W)| W over all blocks, P the projection on the block's set, m/s: zero
    exactly where all laws hold.
    """
    worst = 0.0
    u = np.zeros(3)
    for k in range(mu.size):
        row, size = first[k], first[k + 1] - first[k]
        for r in range(size):
            u[r] = _velocity(G, shift, w, row + r)
        if size == 1:
            value = _project_line(p[row] - u[0] / W[k, 0, 0], limit[k])
            worst = max(worst, abs(value - p[row]) * W[k, 0, 0])
            continue
        px, py = p[row + 1], p[row + 2] if size == 3 else 0.0
        uy = u[2] if size == 3 else 0.0
        across = max(W[k, 1, 1], W[k, 2, 2])
        if convex:
            rate = max(W[k, 0, 0], across)
            n, x, y = _project_cone(p[row] - u[0] / rate, px - u[1] / rate, py - uy / rate, mu[k])
            worst = max(worst, rate * math.sqrt((n - p[row]) ** 2 + (x - px) ** 2 + (y - py) ** 2))
            continue
        n = max(0.0, p[row] - u[0] / W[k, 0, 0])
        x, y = _project_disc(px - u[1] / across, py - uy / across, mu[k] * p[row])
        worst = max(worst, abs(n - p[row]) * W[k, 0, 0], math.hypot(x - px, y - py) * across)
    return worst


@compiled_when_called
def _sweeps(
    G: Any,
    first: Any,
    mu: Any,
    limit: Any,
    shift: Any,
    W: Any,
    convex: bool,
    p: Any,
    w: Any,
    most: int,
) -> tuple[float, int]:
    """Make at most so many sweeps, joined to conjugate gradients; p and w change in place.

    Returns:
        the error of the laws, m/s, and how many sweeps were made.
    """
    rows, n = G.shape
    along, size = np.zeros(rows), np.inf
    for number in range(1, most + 1):
        before = p.copy()
        _sweep(G, first, mu, limit, shift, W, convex, p, w)
        if number % CHECK_EVERY == 0 or number == most:
            error = _error(G, first, mu, limit, shift, W, convex, p, w)
            if error <= TOLERANCE or number == most:
                return error, number
        change = p - before
        now = np.sum(change * change)
        share = now / size if size > 0.0 else 0.0
        size = now
        if share > 1.0:
            along[:] = 0.0
            continue
        along *= share
        for r in range(rows):
            if along[r] != 0.0:
                p[r] += along[r]
                for i in range(n):
                    w[i] += G[r, i] * along[r]
        along += change
    return _error(G, first, mu, limit, shift, W, convex, p, w), most
