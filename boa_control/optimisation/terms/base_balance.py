# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Limit: no actuator moves the base."""

import numpy as np

from boa_control.optimisation.contact_qp import Problem
from boa_control.optimisation.terms.interface import Limit, Rows


class BaseBalance(Limit):
    """M_b delta + b_b = (P' lam)_b."""

    def rows(self, problem: Problem) -> Rows:
        G = np.hstack([-problem.push[:, :3].T, problem.mass[:3]])
        return Rows(-problem.bias[:3], G, -problem.bias[:3])
