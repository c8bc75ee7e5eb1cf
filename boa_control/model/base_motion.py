"""Motion of the base that keeps contacts closed as well as possible, by weighted least squares.

The kernels of the control step (`compiled.gaps`) have theirs in their own file.
"""

from __future__ import annotations

import numpy as np

from boa_description.arrays import Array


def base_response(base: Array, weight: Array, prior: Array) -> Array:
    """(J_b' W J_b + P)^-1 J_b' W, shape (3, nc): times the motions g of the gaps, (nc,), it is the
    motion xi of the base with the least sum of w (J_b xi - g)^2 and xi' P xi.

    Args:
        base: J_b, motions of the gaps per motion of the base, shape (nc, 3).
        weight: w of the squares, shape (nc,), >= 0.
        prior: diagonal of P, shape (3,), > 0: where the contacts leave the base free, it rests.
    """
    weighted = (base * weight[:, None]).T
    normal = weighted @ base + np.diag(prior)
    response: Array = np.asarray(np.linalg.solve(normal, weighted), float)
    return response
