"""The quadratic program (QP) of hybrid position and force control.

Unknowns are the contact forces lam and the deviation delta = qdd - q'' s_dot^2 from the
acceleration that the path itself demands. Contacts are kept if J delta = 0.

    minimise   1/2 w_a |P_p e|^2 + 1/2 w_s (p'e)^2 / p'p
               + 1/2 w_f |lam - desired|^2 + 1/2 eps |delta_base|^2,   e = delta_phi - target,
    subject to M_b delta + b_b = (P' lam)_b                     no actuator moves the base
               J delta = slip                                   contacts are kept, see `redundant`
               floor <= lam <= max(desired, floor) + excess     posts only push; softened
               lower <= M_phi delta + b_phi - (P' lam)_phi <= upper      servo torque
               |F_i| <= F_max                                   softened, see `_protect`

p is the direction of travel in the joints (`kept_travel`) and P_p = I - p p'/p'p: shape across it
is worth w_a, travel along it w_s. With the reflection Q = I - 2 u u'/u'u that maps the first axis
to p, delta_phi = Q y, both are diagonal in y: w_s for its first element, w_a for the others. A
diagonal Hessian costs the solver nothing, and Q a rank-one update of the rows.

P holds the generalised forces of unit normal forces: J, or J - mu J_t with sliding friction at the
posts. While no servo is at its limit `compiled.qp` finds the optimum without the solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import daqp
import numpy as np
from numpy.typing import NDArray

from boa_control.compiled.qp import (
    EQUAL,
    SOFT,
    UNBOUNDED,
    hold_and_move,
    joint_forces,
    read_solution,
)
from boa_description.arrays import Array, Indices


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the cost. Only their ratios matter.

    Attributes:
        acceleration: w_a, per (rad/s2)^2, across the direction of travel.
        travel: w_s, per (rad/s2)^2, along it.
        force: w_f, per N^2.
        base: eps, per (m/s2)^2; keeps the QP strictly convex. A base cannot be fed back, so
            it stays small, but not below 1e-4 w_a, where the solver takes rows for dependent.
        violation: per N^2, price of a contact force outside its bounds; that of exceeding a joint
            force is of the same order.
    """

    acceleration: float = 5.0
    travel: float = 0.05
    force: float = 1e-3
    base: float = 1e-3
    violation: float = 1e3

    @property
    def softness(self) -> float:
        """The solver's rho_soft. It measures violations in rows scaled to length 1 in the metric of
        the cost, in which a bound on a contact force has length force^(-1/2); hence the factor."""
        return self.force / self.violation


class JointForces(NamedTuple):
    """Joint constraint forces as an affine function: F = p lam - momentum delta - bias, p lam of
    all contacts headward of the joint.

    Attributes:
        link: of the contacts, shape (nc,).
        momentum: shape (2, n - 1, n + 2).
        bias: shape (2, n - 1), N.
        limit: N.
    """

    link: Indices
    momentum: Array
    bias: Array
    limit: float


class Problem(NamedTuple):
    """One instance. Matrices lie in memory row by row.

    Attributes:
        mass: M, shape (n + 2, n + 2).
        bias: b, shape (n + 2,): all forces at delta = 0 but those of servos and contacts.
        gap: J, shape (nc, n + 2).
        push: P, shape (nc, n + 2).
        slip: shape (nc,), desired acceleration of the gaps beyond the path's own, m/s2; None: none.
        redundant: shape (nc,), contacts whose row of J is left out; None: there are none.
        target: desired delta_phi, shape (n - 1,).
        along: p, direction of travel in the joints, of any length above 0, shape (n - 1,).
        desired, floor: contact forces, shape (nc,), N.
        torque_bounds: of the servos, least and largest, shape (2, n - 1), N m.
        joint_forces: None leaves the joints unprotected.
        excess: of a contact force above the desired one, N; one value or shape (nc,).
    """

    mass: Array
    bias: Array
    gap: Array
    push: Array
    slip: Array | None
    redundant: NDArray[np.bool_] | None
    target: Array
    along: Array
    desired: Array
    floor: Array
    torque_bounds: Array
    joint_forces: JointForces | None = None
    excess: Array | float = UNBOUNDED


class Solution(NamedTuple):
    """The optimum.

    Attributes:
        lam: shape (nc,), N. The feasible force reference.
        delta: shape (n + 2,).
        torque: shape (n - 1,), N m.
        joint_force: shape (n - 1, 2) in the frame of the rows; None where not asked for.
        largest: of the joint forces, N.
        solved: this is the optimum, as far as the solver can tell.
    """

    lam: Array
    delta: Array
    torque: Array
    joint_force: Array | None
    largest: float
    solved: bool


class Solver:
    """Solves one instance after the other in the same buffers; one per controller."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._softness = weights.softness
        self._buffers: dict[tuple[int, ...], _Buffers] = {}

    def solve(self, problem: Problem) -> Solution:
        """Solve one instance; joint forces beyond their limit are cut off in at most three further
        rounds.
        """
        nc, d = shape = problem.push.shape
        buffers = self._buffers.get(shape)
        if buffers is None:
            buffers = self._buffers[shape] = _Buffers(nc, d, self._weights)
        lam, delta, torque = np.empty(nc), np.empty(d), np.empty(d - 3)
        if buffers.fill(problem, lam, delta, torque):
            solution = _solution(problem, lam, delta, torque, solved=True)
        else:
            solution = self._optimum(buffers, problem, buffers.rows)
        if problem.joint_forces is None:
            return solution
        rows = buffers.rows
        for _ in range(3):
            cut = _protect(problem, solution)
            if cut is None:
                break
            rows = rows.cut_by(buffers.reflected(cut.rows), cut.bounds)
            solution = self._optimum(buffers, problem, rows)
        return solution

    def _optimum(self, buffers: _Buffers, problem: Problem, rows: _Rows) -> Solution:
        x, _, flag, _ = daqp.solve(
            buffers.H,
            buffers.f,
            rows.A,
            rows.upper,
            rows.lower,
            rows.sense,
            rho_soft=self._softness,
            eq_reduction=-1,
        )
        nc, d = problem.push.shape
        lam, delta, torque = np.empty(nc), np.empty(d), np.empty(d - 3)
        read_solution(x, buffers.u, buffers.v, rows.A, problem.bias, lam, delta, torque)
        return _solution(problem, lam, delta, torque, solved=flag > 0)


def _solution(problem: Problem, lam: Array, delta: Array, torque: Array, solved: bool) -> Solution:
    """With the joint forces, where they are asked for."""
    joint = problem.joint_forces
    if joint is None:
        return Solution(lam, delta, torque, None, 0.0, solved)
    forces = np.empty((torque.size, 2))
    largest: float = joint_forces(
        forces, problem.push, joint.link, joint.momentum, joint.bias, lam, delta
    )
    return Solution(lam, delta, torque, forces, largest, solved)


def solve(problem: Problem, weights: Weights) -> Solution:
    """Solve a single instance."""
    return Solver(weights).solve(problem)


class _Rows(NamedTuple):
    """Constraints as the solver takes them; bounds and types begin with those of x itself."""

    A: Array
    lower: Array
    upper: Array
    sense: NDArray[np.int32]

    def cut_by(self, rows: Array, bounds: Array) -> _Rows:
        """With half planes more, softened: `rows` x <= `bounds`."""
        more = len(rows)
        return _Rows(
            np.vstack([self.A, rows]),
            np.r_[self.lower, np.full(more, -UNBOUNDED)],
            np.r_[self.upper, bounds],
            np.r_[self.sense, np.full(more, SOFT, np.int32)],
        )


class _Buffers:
    """The QP in the solver's form for `nc` contacts and `d` coordinates: x = [lam, delta_b, y].

    Rows of A: base and torque (M delta - P' lam), then contacts (J delta). Bounds begin with those
    of lam itself.
    """

    def __init__(self, nc: int, d: int, weights: Weights) -> None:
        self._diagonal = np.r_[
            np.full(nc, weights.force),
            np.full(3, weights.base),
            weights.travel,
            np.full(d - 4, weights.acceleration),
        ]
        self.H = np.diag(self._diagonal)
        self.f = np.zeros(nc + d)
        sense = np.r_[np.full(nc, SOFT), np.full(3, EQUAL), np.zeros(d - 3), np.full(nc, EQUAL)]
        size = 2 * nc + d
        self.rows = _Rows(
            np.zeros((d + nc, nc + d)), np.zeros(size), np.zeros(size), sense.astype(np.int32)
        )
        self.u, self.v = np.zeros(d - 3), np.zeros(d - 3)  # of Q = I - u v'
        self._x, self._price = np.zeros(nc + d), weights.violation
        self._no_slip, self._none_left_out = np.zeros(nc), np.zeros(nc, bool)
        self._excess = np.zeros(nc)

    def fill(self, problem: Problem, lam: Array, delta: Array, torque: Array) -> bool:
        """Write one instance into the buffers; if no bound is active, also its solution, and return
        True.
        """
        rows, slip, redundant = self.rows, problem.slip, problem.redundant
        self._excess[:] = problem.excess
        found: bool = hold_and_move(
            self._x,
            self._diagonal,
            self.f,
            rows.A,
            rows.lower,
            rows.upper,
            rows.sense,
            self._price,
            self.u,
            self.v,
            problem.mass,
            problem.bias,
            problem.gap,
            problem.push,
            self._no_slip if slip is None else slip,
            self._none_left_out if redundant is None else redundant,
            problem.target,
            problem.along,
            problem.desired,
            problem.floor,
            problem.torque_bounds,
            self._excess,
            lam,
            delta,
            torque,
        )
        return found

    def reflected(self, rows: Array) -> Array:
        """Rows on [lam, delta] as rows on x, in place."""
        joints = rows[:, -self.u.size :]
        joints -= joints.dot(self.u)[:, None] * self.v
        return rows


class _Cut(NamedTuple):
    """Half planes `rows` [lam, delta] <= `bounds`."""

    rows: Array
    bounds: Array


def _protect(problem: Problem, solution: Solution) -> _Cut | None:
    """Half planes that cut off joint forces beyond the limit; None where there are none.

    The limit is a disc; every round adds, for each joint outside it, the tangent half plane in the
    direction of its present force. Usually no joint is near its limit, and then this costs nothing.
    """
    joint, forces = problem.joint_forces, solution.joint_force
    assert joint is not None and forces is not None
    most = joint.limit * (1 + 1e-3)
    if solution.largest <= most:
        return None
    size = np.hypot(forces[:, 0], forces[:, 1])
    over = (size > most).nonzero()[0]
    direction = forces[over] / size[over, None]
    contact = (direction @ problem.push[:, :2].T) * (joint.link > over[:, None])
    momentum = np.einsum("ik,kij->ij", direction, joint.momentum[:, over])
    bounds = joint.limit + np.einsum("ik,ki->i", direction, joint.bias[:, over])
    return _Cut(np.hstack([contact, -momentum]), bounds)
