# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Motion of the base that keeps contacts closed as well as possible, by weighted least squares.

The kernels of the control step (`compiled.gaps`) have theirs in their own file.
"""

import numpy as np

from boa_description.arrays import Array


def base_motion(
    base: Array, weight: Array, prior: Array, moved: Array, pull: Array | float = 0.0
) -> Array:
    """xi, shape (3,) or (3, k), with the least sum of w (J_b xi - g)^2 and p (xi - e)^2.

    Args:
        base: J_b, motions of the gaps per motion of the base, shape (nc, 3).
        weight: w, shape (nc,), >= 0.
        prior: p, shape (3,), > 0: where the contacts leave the base free, it moves as expected.
        moved: g, motions of the gaps, shape (nc,), or (nc, k) for several at once.
        pull: p e, shape (3,), of the expected motion e; 0: rest.
    """
    held = (base * weight[:, None]).T
    right: Array = np.asarray(held @ moved + pull, float)
    motion: Array = np.asarray(np.linalg.solve(held @ base + np.diag(prior), right), float)
    return motion
