# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A chain between posts that can hold it, as the QP sees it."""

from __future__ import annotations

import numpy as np

from boa_control.model.dynamics import PlanarChain
from boa_control.optimisation import contact_qp as qp
from boa_description.load import load_robot
from test.boa_control.conftest import gap_rows

CHAIN = PlanarChain(load_robot("boa13"))
N, JOINTS = CHAIN.links, CHAIN.links - 1


def problem(seed: int, torque: float = 6.0) -> qp.Problem:
    """A zigzag chain with five posts that can hold it, at a random shape and with random wishes."""
    rng = np.random.default_rng(seed)
    q = np.concatenate(
        [rng.normal(size=3), 0.6 * np.cos(2.4 * np.arange(JOINTS)) + 0.1 * rng.normal(size=JOINTS)]
    )
    posture = CHAIN.posture(q)
    link = np.array([1, 3, 6, 8, 11])
    side = np.array([1.0, -1.0, -1.0, 1.0, 1.0])
    gap = gap_rows(CHAIN, posture, link, rng.uniform(0.02, 0.11, 5), side)
    limit = np.full(JOINTS, torque)
    return qp.Problem(
        mass=CHAIN.mass_matrix(posture),
        bias=rng.normal(scale=0.3, size=N + 2),
        gap=gap,
        push=gap,
        slip=np.zeros(5),
        redundant=None,
        target=rng.normal(scale=2.0, size=JOINTS),
        along=rng.normal(size=JOINTS),
        desired=np.full(5, 5.0),
        floor=np.full(5, 1.0),
        torque_bounds=np.stack([-limit, limit]),
    )
