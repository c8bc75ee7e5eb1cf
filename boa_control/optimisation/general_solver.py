# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A QP of any terms and limits, added up with numpy."""

from __future__ import annotations

from collections.abc import Sequence

import daqp
import numpy as np

from boa_control.compiled.qp import EQUAL
from boa_control.optimisation.contact_qp import Problem, Solution
from boa_control.optimisation.terms.interface import Limit, Rows, Term

ROUNDS = 3  # of cuts


class GeneralSolver:
    """Minimises the sum of terms within limits. Violations of softened rows are unknowns more."""

    def __init__(self, terms: Sequence[Term], limits: Sequence[Limit]) -> None:
        """Together the terms must be strictly convex."""
        self._terms = terms
        self._limits = limits

    def solve(self, problem: Problem) -> Solution:
        """Solve one instance; where limits cut its optimum off, up to `ROUNDS` times more."""
        rows = [made for limit in self._limits if (made := limit.rows(problem)) is not None]
        solution = self._optimum(problem, rows)
        for _ in range(ROUNDS):
            cuts = (limit.cut(problem, solution) for limit in self._limits)
            more = [cut for cut in cuts if cut is not None]
            if not more:
                break
            rows += more
            solution = self._optimum(problem, rows)
        return solution

    def _optimum(self, problem: Problem, rows: Sequence[Rows]) -> Solution:
        count, size = problem.push.shape
        costs = [term.cost(problem) for term in self._terms]
        price = np.concatenate([np.full(part.upper.size, part.price) for part in rows])
        soft = np.isfinite(price)
        H = np.diag(np.r_[np.zeros(count + size), price[soft]])
        H[: count + size, : count + size] = sum(cost.H for cost in costs)
        c = np.r_[sum(cost.c for cost in costs), np.zeros(np.count_nonzero(soft))]
        G = np.hstack([np.vstack([part.G for part in rows]), -np.eye(soft.size)[:, soft]])
        lower = np.concatenate([part.lower for part in rows])
        upper = np.concatenate([part.upper for part in rows])
        sense = np.where(lower == upper, EQUAL, 0).astype(np.int32)
        z, _, flag, _ = daqp.solve(H, c, G, upper, lower, sense, eq_reduction=-1)
        lam, delta = z[:count], z[count : count + size]
        torque = problem.mass[3:] @ delta + problem.bias[3:] - lam @ problem.push[:, 3:]
        return Solution.of(problem, lam, delta, torque, solved=flag > 0)
