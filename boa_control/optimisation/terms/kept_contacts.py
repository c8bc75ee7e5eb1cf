# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Limit: contacts are kept, or their gaps accelerate as asked for."""

import numpy as np

from boa_control.optimisation.contact_qp import Problem
from boa_control.optimisation.terms.interface import Limit, Rows


class KeptContacts(Limit):
    """J delta = slip, without the rows of redundant contacts."""

    def rows(self, problem: Problem) -> Rows:
        count = len(problem.gap)
        slip = np.zeros(count) if problem.slip is None else problem.slip
        redundant = np.zeros(count, bool) if problem.redundant is None else problem.redundant
        G = np.hstack([np.zeros((count, count)), problem.gap])[~redundant]
        return Rows(slip[~redundant], G, slip[~redundant])
