# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A second way to the margin of closure: the linear program that defines it."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from boa_control.planning.checks.first_order import TOLERANCE, wrenches


def margin(points: np.ndarray, normals: np.ndarray) -> float:
    """How evenly the contacts can press without moving the body: 1 all equal, 0 closure just lost,
    -1 none.

    Largest t nc with W lam = 0, lam_i >= t, sum lam = 1 (linear program in lam and t), W having
    full rank.

    Args:
        points, normals: shape (nc, 2).
    """
    count = len(points)
    if count < 4:
        return -1.0
    w = wrenches(points, normals)
    if np.linalg.matrix_rank(w, tol=1e-6) < 3:
        return -1.0
    w = w / np.linalg.norm(w[:, :2], axis=1, keepdims=True)  # of unit forces
    cost = np.r_[np.zeros(count), -1.0]
    balance = np.vstack([np.column_stack([w.T, np.zeros(3)]), np.r_[np.ones(count), 0.0]])
    pressing = np.column_stack([-np.eye(count), np.ones(count)])
    result = linprog(
        cost,
        A_ub=pressing,
        b_ub=np.zeros(count),
        A_eq=balance,
        b_eq=np.r_[np.zeros(3), 1.0],
        bounds=[(0, None)] * count + [(None, None)],
        method="highs",
    )
    if result.status != 0 or result.x is None or result.x[-1] <= TOLERANCE:
        return -1.0
    return float(result.x[-1] * count)
