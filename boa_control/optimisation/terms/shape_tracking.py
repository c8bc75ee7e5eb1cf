# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wish: the joints accelerate as the loops of the controller ask for."""

import numpy as np

from boa_control.optimisation.contact_qp import Problem
from boa_control.optimisation.terms.interface import Cost, Term


class ShapeTracking(Term):
    """1/2 w_a |P_p e|^2 + 1/2 w_s (p'e)^2 / p'p, e = delta_phi - target."""

    def __init__(self, across: float, along: float) -> None:
        """`across`, `along`: the direction of travel, w_a and w_s, per (rad/s2)^2."""
        self._across = across
        self._along = along

    def cost(self, problem: Problem) -> Cost:
        p = problem.along / np.linalg.norm(problem.along)
        weight = self._across * np.eye(p.size) + (self._along - self._across) * np.outer(p, p)
        return Cost.of_error(problem, len(problem.push) + 3, weight, problem.target)
