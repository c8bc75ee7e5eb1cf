# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The quadratic program (QP) of hybrid position and force control.

Unknowns are the contact forces lam and the deviation delta = qdd - q'' s_dot^2 from the
acceleration that the path itself demands. Contacts are kept if J delta = 0.

    minimise   1/2 w_a |P_p e|^2 + 1/2 w_s (p'e)^2 / p'p
               + 1/2 w_f |lam - desired|^2 + 1/2 eps |delta_base|^2,   e = delta_phi - target,
    subject to M_b delta + b_b = (P' lam)_b                     no actuator moves the base
               J delta = slip                                   contacts are kept, see `redundant`
               floor <= lam <= max(desired, floor) + excess     posts only push; softened
               lower <= M_phi delta + b_phi - (P' lam)_phi <= upper      servo torque
               |F_i| <= F_max                                   softened, see `terms.joint_force`

Each line is an object of `terms`, with one interface: `Term` adds to the cost, `Limit` to the rows.
`general_solver` adds them up with numpy, those of a user among them, and so says what the QP is;
`compiled_solver` solves the one of the lines above, in a fifteenth of the time.

p is the direction of travel in the joints (`kept_travel`) and P_p = I - p p'/p'p: shape across it
is worth w_a, travel along it w_s.

P holds the generalised forces of unit normal forces: J, or J - mu J_t with sliding friction at the
posts.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from boa_control.compiled.qp import UNBOUNDED, joint_forces
from boa_description.arrays import Array, Flags, Indices


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
        the cost, in which a bound on a contact force has length force^(-1/2); hence the factor.
        """
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
        now: what else the caller knows of this instant, for terms of one's own.
    """

    mass: Array
    bias: Array
    gap: Array
    push: Array
    slip: Array | None
    redundant: Flags | None
    target: Array
    along: Array
    desired: Array
    floor: Array
    torque_bounds: Array
    joint_forces: JointForces | None = None
    excess: Array | float = UNBOUNDED
    now: object = None


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

    @classmethod
    def of(cls, problem: Problem, lam: Array, delta: Array, torque: Array, solved: bool) -> Self:
        """With the joint forces, where they are asked for."""
        joint = problem.joint_forces
        if joint is None:
            return cls(lam, delta, torque, None, 0.0, solved)
        forces = np.empty((torque.size, 2))
        largest: float = joint_forces(
            forces, problem.push, joint.link, joint.momentum, joint.bias, lam, delta
        )
        return cls(lam, delta, torque, forces, largest, solved)
