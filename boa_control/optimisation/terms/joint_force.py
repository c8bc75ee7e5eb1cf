# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Limit: joints are not torn."""

import numpy as np

from boa_control.compiled.qp import UNBOUNDED
from boa_control.optimisation.contact_qp import Problem, Solution
from boa_control.optimisation.terms.interface import Limit, Rows


class JointForce(Limit):
    """|F_i| <= F_max, softened.

    The limit is a disc; every cut adds, for each joint outside it, the tangent half plane in the
    direction of its present force. Usually no joint is near its limit, and then this costs nothing.
    """

    def __init__(self, price: float) -> None:
        """`price`: per N^2."""
        self._price = price

    def rows(self, problem: Problem) -> None:
        """None before an optimum tells in which directions the forces act."""

    def cut(self, problem: Problem, solution: Solution) -> Rows | None:
        joint, forces = problem.joint_forces, solution.joint_force
        if joint is None or forces is None:
            return None
        most = joint.limit * (1 + 1e-3)
        if solution.largest <= most:
            return None
        size = np.hypot(forces[:, 0], forces[:, 1])
        over = (size > most).nonzero()[0]
        direction = forces[over] / size[over, None]
        contact = (direction @ problem.push[:, :2].T) * (joint.link > over[:, None])
        momentum = np.einsum("ik,kij->ij", direction, joint.momentum[:, over])
        upper = joint.limit + np.einsum("ik,ki->i", direction, joint.bias[:, over])
        G = np.hstack([contact, -momentum])
        return Rows(np.full(upper.size, -UNBOUNDED), G, upper, self._price)
