# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The QP of `contact_qp`, of the terms and limits that it lists, as fast as a tick needs it.

With the reflection Q = I - 2 u u'/u'u that maps the first axis to the direction of travel p,
delta_phi = Q y, the cost is diagonal in y: w_s for its first element, w_a for the others. A
diagonal Hessian costs the solver nothing, and Q a rank-one update of the rows. While no servo is at
its limit `compiled.qp` finds the optimum without the solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import daqp
import numpy as np

from boa_control.compiled.qp import EQUAL, SOFT, Form, Reflection, hold_and_move, read_solution
from boa_control.optimisation.contact_qp import Problem, Solution, Weights
from boa_control.optimisation.general_solver import ROUNDS, GeneralSolver
from boa_control.optimisation.terms import limits_of, terms_of
from boa_control.optimisation.terms.interface import Limit, Rows, Term
from boa_control.optimisation.terms.joint_force import JointForce
from boa_description.arrays import Array


class Solver(Protocol):
    """Solves one instance after the other; one per controller."""

    def solve(self, problem: Problem) -> Solution:
        """The optimum."""


def solver(weights: Weights, terms: Sequence[Term] = (), limits: Sequence[Limit] = ()) -> Solver:
    """Of the QP of `contact_qp`, with further terms and limits; without any it is the fast one."""
    if not terms and not limits:
        return CompiledSolver(weights)
    return GeneralSolver((*terms_of(weights), *terms), (*limits_of(weights), *limits))


class CompiledSolver:
    """Solves in the same buffers."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._joints = JointForce(weights.violation)
        self._buffers: dict[tuple[int, ...], _Buffers] = {}

    def solve(self, problem: Problem) -> Solution:
        """Solve one instance; joint forces beyond their limit are cut off in further rounds."""
        nc, d = shape = problem.push.shape
        buffers = self._buffers.get(shape)
        if buffers is None:
            buffers = self._buffers[shape] = _Buffers(nc, d, self._weights)
        optimum = np.empty(nc), np.empty(d), np.empty(d - 3)
        if buffers.fill(problem, optimum):
            solution = Solution.of(problem, *optimum, solved=True)
        else:
            solution = self._optimum(buffers, problem, buffers.form)
        if problem.joint_forces is None:
            return solution
        form = buffers.form
        for _ in range(ROUNDS):
            cut = self._joints.cut(problem, solution)
            if cut is None:
                break
            form = buffers.cut_by(form, cut)
            solution = self._optimum(buffers, problem, form)
        return solution

    def _optimum(self, buffers: _Buffers, problem: Problem, form: Form) -> Solution:
        x, _, flag, _ = daqp.solve(
            buffers.H,
            form.f,
            form.A,
            form.upper,
            form.lower,
            form.sense,
            rho_soft=self._weights.softness,
            eq_reduction=-1,
        )
        nc, d = problem.push.shape
        optimum = np.empty(nc), np.empty(d), np.empty(d - 3)
        read_solution(x, buffers.mirror, form.A, problem.bias, optimum)
        return Solution.of(problem, *optimum, solved=flag > 0)


class _Buffers:
    """The QP in the solver's form for `nc` contacts and `d` coordinates: x = [lam, delta_b, y].

    Rows of A: base and torque (M delta - P' lam), then contacts (J delta). Bounds begin with those
    of lam itself.
    """

    def __init__(self, nc: int, d: int, weights: Weights) -> None:
        diagonal = np.r_[
            np.full(nc, weights.force),
            np.full(3, weights.base),
            weights.travel,
            np.full(d - 4, weights.acceleration),
        ]
        sense = np.r_[np.full(nc, SOFT), np.full(3, EQUAL), np.zeros(d - 3), np.full(nc, EQUAL)]
        lower, upper = np.zeros((2, 2 * nc + d))
        A = np.zeros((d + nc, nc + d))
        self.H = np.diag(diagonal)
        self.form = Form(diagonal, np.zeros(nc + d), A, lower, upper, sense.astype(np.int32))
        self.mirror = Reflection(np.zeros(d - 3), np.zeros(d - 3))
        self._x, self._price = np.zeros(nc + d), weights.violation
        self._no_slip, self._none_left_out = np.zeros(nc), np.zeros(nc, bool)
        self._excess = np.zeros(nc)

    def fill(self, problem: Problem, optimum: tuple[Array, Array, Array]) -> bool:
        """Write one instance into the buffers; if no bound is active, also its solution, and return
        True. `optimum`: a `compiled.qp.Optimum`.
        """
        slip, redundant = problem.slip, problem.redundant
        self._excess[:] = problem.excess
        given = (  # a `compiled.qp.Instance`
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
        )
        found: bool = hold_and_move(self._x, self.form, self.mirror, self._price, given, optimum)
        return found

    def cut_by(self, form: Form, cut: Rows) -> Form:
        """With softened rows more."""
        rows = cut.G
        joints = rows[:, -self.mirror.u.size :]
        joints -= joints.dot(self.mirror.u)[:, None] * self.mirror.v  # from [lam, delta] to x
        return form._replace(
            A=np.vstack([form.A, rows]),
            lower=np.r_[form.lower, cut.lower],
            upper=np.r_[form.upper, cut.upper],
            sense=np.r_[form.sense, np.full(len(rows), SOFT, np.int32)],
        )
