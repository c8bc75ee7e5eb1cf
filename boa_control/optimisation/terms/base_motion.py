# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wish, hardly more than one: the base moves as on the path, which keeps the QP strictly convex."""

import numpy as np

from boa_control.optimisation.contact_qp import Problem
from boa_control.optimisation.terms.interface import Cost, Term


class BaseMotion(Term):
    """1/2 eps |delta_base|^2."""

    def __init__(self, weight: float) -> None:
        """`weight`: eps, per (m/s2)^2."""
        self._weight = weight

    def cost(self, problem: Problem) -> Cost:
        return Cost.of_error(problem, len(problem.push), self._weight * np.eye(3), np.zeros(3))
