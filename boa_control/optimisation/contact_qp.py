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
posts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import daqp
import numpy as np
from numpy.typing import NDArray

from boa_control.optimisation.kernels import NUMPY, Kernels
from boa_description.arrays import Array

EQUAL, SOFT = 5, 8  # constraint types of the solver
UNBOUNDED = 1e30


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
    """Joint constraint forces as an affine function: F = headward' (p lam) - momentum delta - bias.

    Attributes:
        headward: shape (nc, n - 1), whether the contact acts headward of the joint.
        momentum: shape (2, n - 1, n + 2).
        bias: shape (2, n - 1), N.
        limit: N.
    """

    headward: Array
    momentum: Array
    bias: Array
    limit: float


class Problem(NamedTuple):
    """One instance.

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
        multipliers: of bounds on lam, then of base, torque, contact and joint force rows.
        solved: the solver reports an optimum.
    """

    lam: Array
    delta: Array
    torque: Array
    joint_force: Array | None
    multipliers: Array
    solved: bool


class Solver:
    """Solves one instance after the other in the same buffers; one per controller."""

    def __init__(self, weights: Weights, kernels: Kernels = NUMPY) -> None:
        self._weights = weights
        self._kernels = kernels
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
        buffers.fill(problem, self._weights, self._kernels)
        H, f, A, lower, upper, sense = (
            buffers.H,
            buffers.f,
            buffers.A,
            buffers.lower,
            buffers.upper,
            buffers.sense,
        )
        for _ in range(4):
            x, _, flag, info = daqp.solve(
                H, f, A, upper, lower, sense, rho_soft=self._softness, eq_reduction=-1
            )
            lam, delta = x[:nc], buffers.mirror.motion(x[nc:])
            forces = None
            if problem.joint_forces is None:
                break
            forces = self._joint_forces(problem, lam, delta)
            cut = _protect(problem, forces)
            if cut is None:
                break
            rows, bounds = cut
            buffers.mirror.reflect(rows[:, nc + 3 :])
            A = np.vstack([A, rows])
            lower, upper = np.r_[lower, np.full(len(rows), -UNBOUNDED)], np.r_[upper, bounds]
            sense = np.r_[sense, np.full(len(rows), SOFT, np.int32)]
        torque = buffers.torque_rows.dot(x) + problem.bias[3:]
        return Solution(lam, delta, torque, forces, info["lam"], flag > 0)

    def _joint_forces(self, problem: Problem, lam: Array, delta: Array) -> Array:
        """Forces of link i + 1 on link i at every joint, shape (n - 1, 2), N."""
        joint = problem.joint_forces
        assert joint is not None
        return self._kernels.joint_forces(
            problem.push, joint.headward, joint.momentum, joint.bias, lam, delta
        )


def solve(problem: Problem, weights: Weights) -> Solution:
    """Solve a single instance."""
    return Solver(weights).solve(problem)


class _Buffers:
    """The QP in the solver's form for `nc` contacts and `d` coordinates: x = [lam, delta_b, y].

    Rows of A: base and torque (M delta - P' lam), then contacts (J delta). Bounds begin with those
    of lam itself.
    """

    def __init__(self, nc: int, d: int, weights: Weights) -> None:
        self.H = np.diag(
            np.r_[
                np.full(nc, weights.force),
                np.full(3, weights.base),
                weights.travel,
                np.full(d - 4, weights.acceleration),
            ]
        )
        self._less_weights = -np.r_[weights.travel, np.full(d - 4, weights.acceleration)]
        self.f = np.zeros(nc + d)
        self.A = np.zeros((d + nc, nc + d))
        bounds = np.zeros((2, 2 * nc + d))
        bounds[1] = UNBOUNDED
        self.lower, self.upper = bounds
        self.sense = np.r_[
            np.full(nc, SOFT), np.full(3, EQUAL), np.zeros(d - 3), np.full(nc, EQUAL)
        ].astype(np.int32)
        self.mirror = Mirror.onto(np.eye(1, d - 3)[0])
        base = slice(nc, nc + 3)
        torque = slice(nc + 3, nc + d)
        kept = slice(nc + d, None)
        self._force_cost = self.f[:nc]
        self._shape_cost = self.f[nc + 3 :]
        self._floor, self._ceiling = bounds[:, :nc]
        self._base = bounds[:, base]
        self._torque = bounds[:, torque]
        self._kept = bounds[:, kept]
        self._kept_sense = self.sense[kept]
        self._all_kept = False
        self.torque_rows = self.A[3:d]

    def fill(self, problem: Problem, weights: Weights, kernels: Kernels) -> None:
        """Write one instance into the buffers."""
        base, joint = problem.bias[:3], problem.bias[3:]
        self.mirror = mirror = Mirror.onto(problem.along)
        kernels.write_rows(self.A, problem.mass, problem.gap, problem.push, mirror.u, mirror.v)
        np.multiply(problem.desired, -weights.force, out=self._force_cost)
        np.multiply(mirror.image(problem.target), self._less_weights, out=self._shape_cost)
        self._floor[:] = problem.floor
        np.maximum(problem.desired, problem.floor, out=self._ceiling)
        self._ceiling += problem.excess
        np.negative(base, out=self._base)
        np.subtract(problem.torque_bounds, joint, out=self._torque)
        all_kept = problem.slip is None and problem.redundant is None
        if not (all_kept and self._all_kept):
            self._keep(problem)
        self._all_kept = all_kept

    def _keep(self, problem: Problem) -> None:
        """Bounds of the contact rows: kept, let slip, or left out."""
        self._kept[:] = 0.0 if problem.slip is None else problem.slip
        self._kept_sense[:] = EQUAL
        if problem.redundant is not None:
            self._kept[:, problem.redundant] = [[-UNBOUNDED], [UNBOUNDED]]
            self._kept_sense[problem.redundant] = 0


class Mirror(NamedTuple):
    """The reflection Q = I - u v' of joint coordinates that maps the first axis to a direction, up
    to its sign; Q = Q' = Q^-1.

    Attributes:
        u, v: shape (n - 1,); v = 2 u / u'u.
    """

    u: Array
    v: Array

    @classmethod
    def onto(cls, direction: Array) -> Mirror:
        """That for a `direction`, shape (n - 1,), of any length above 0."""
        u = direction / math.sqrt(direction.dot(direction))
        first = u.item(0)
        u[0] += math.copysign(1.0, first)  # away from 0, so that nothing cancels
        return cls(u, u / (1.0 + abs(first)))

    def image(self, vector: Array) -> Array:
        """Q vector, shape (n - 1,)."""
        return vector - self.u * self.v.dot(vector)

    def reflect(self, rows: Array) -> None:
        """Replace `rows`, shape (m, n - 1), by rows Q."""
        rows -= rows.dot(self.u)[:, None] * self.v

    def motion(self, x: Array) -> Array:
        """delta, shape (n + 2,), from [delta_b, y]."""
        delta = x.copy()
        delta[3:] -= self.u * self.v.dot(x[3:])
        return delta


def _protect(problem: Problem, forces: Array) -> tuple[Array, Array] | None:
    """Half planes that cut off joint forces beyond the limit; None where there are none.

    The limit is a disc; every round adds, for each joint outside it, the tangent half plane in the
    direction of its present force. Usually no joint is near its limit, and then this costs nothing.
    """
    joint = problem.joint_forces
    assert joint is not None
    size = np.hypot(forces[:, 0], forces[:, 1])
    over = (size > joint.limit * (1 + 1e-3)).nonzero()[0]
    if not over.size:
        return None
    direction = forces[over] / size[over, None]
    contact = (direction @ problem.push[:, :2].T) * joint.headward.T[over]
    momentum = np.einsum("ik,kij->ij", direction, joint.momentum[:, over])
    bounds = joint.limit + np.einsum("ik,ki->i", direction, joint.bias[:, over])
    return np.hstack([contact, -momentum]), bounds
