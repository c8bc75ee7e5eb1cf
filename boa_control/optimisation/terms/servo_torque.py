# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Limit: servos give no more than they can at their speed."""

import numpy as np

from boa_control.optimisation.contact_qp import Problem
from boa_control.optimisation.terms.interface import Limit, Rows


class ServoTorque(Limit):
    """lower <= M_phi delta + b_phi - (P' lam)_phi <= upper."""

    def rows(self, problem: Problem) -> Rows:
        lower, upper = problem.torque_bounds - problem.bias[3:]
        return Rows(lower, np.hstack([-problem.push[:, 3:].T, problem.mass[3:]]), upper)
