# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Limit: posts only push, and correct errors with so much force at most."""

import numpy as np

from boa_control.optimisation.contact_qp import Problem
from boa_control.optimisation.terms.interface import Limit, Rows


class ForceBounds(Limit):
    """floor <= lam <= max(desired, floor) + excess, softened."""

    def __init__(self, price: float) -> None:
        """`price`: per N^2."""
        self._price = price

    def rows(self, problem: Problem) -> Rows:
        count, size = problem.push.shape
        upper = np.maximum(problem.desired, problem.floor) + problem.excess
        return Rows(problem.floor, np.eye(count, count + size), upper, self._price)
