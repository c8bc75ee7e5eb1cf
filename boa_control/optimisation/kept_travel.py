# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The direction of travel that keeps the contacts.

Along its path the chain moves by q' per metre. Where a post touches a link that lies partly on a
bend, or stands off the map, J q' is not zero: the path would open the gap, or close it further. A
body that stays in touch moves instead by

    t = c (q' + x),   x = argmin |x_phi|^2 + w |x_b|^2   subject to J (q' + x) = 0,

the motion nearest to q' in the joints that keeps all contacts (w is small: the base is free). The
factor c makes p.t_phi = p.p, with p = q'_phi: along t the robot makes as much progress as along q'.

Nothing in the joints may work against t. The shape that the contacts allow is not that of the path,
and the difference e(s) changes on the way; a spring on e would hold the robot back where |e| grows.

For the QP of a tick `compiled.rows.motion_rows` works it out.

`effective_mass` says how hardly contacts can push a body along its path.
"""

import numpy as np

from boa_control.compiled import rows
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


def kept_travel(gap: Array, travel: Array) -> Array:
    """t, shape (n + 2,).

    Args:
        gap: J of the contacts that are kept, shape (nc, n + 2). travel: q', shape (n + 2,).
    """
    motion: Array = rows.kept_travel(gap, travel)
    return motion
