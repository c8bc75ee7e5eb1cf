# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How hardly contacts can push a body along its path."""

import numpy as np

from boa_description.arrays import Array


def effective_mass(wrenches: Array, momentum: Array) -> float:
    """Norm of the contact forces that accelerate the body along its path by 1 m/s2, signs ignored,
    kg: large where contacts can hardly push along the direction of travel.

    sqrt(g' G^-1 g) with g the momentum per speed along the path and G = W' W.

    Args:
        wrenches: W, shape (n, 3), of unit contact forces.
        momentum: g, shape (3,), linear and angular about the same origin, kg and kg m.
    """
    try:
        return float(np.sqrt(momentum @ np.linalg.solve(wrenches.T @ wrenches, momentum)))
    except np.linalg.LinAlgError:
        return float("inf")
