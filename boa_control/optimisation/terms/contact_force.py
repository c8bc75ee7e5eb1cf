# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wish: contacts carry the desired forces."""

import numpy as np

from boa_control.optimisation.contact_qp import Problem
from boa_control.optimisation.terms.interface import Cost, Term


class ContactForce(Term):
    """1/2 w_f |lam - desired|^2."""

    def __init__(self, weight: float) -> None:
        """`weight`: w_f, per N^2."""
        self._weight = weight

    def cost(self, problem: Problem) -> Cost:
        weight = self._weight * np.eye(problem.desired.size)
        return Cost.of_error(problem, 0, weight, problem.desired)
