# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How well the contacts of a window of the path hold the body, and how well they can push along it.

While the head goes from one contact to the next, the contacts on the body are a window of the
sequence of contacts of which only the tail end changes: closure along the path is a finite test.
"""

from collections.abc import Sequence

import numpy as np

from boa_control.compiled import closure as kernels
from boa_description.arrays import Array

SINGULAR = 1e-9


def contact_wrenches(points: Array, normals: Array) -> Array:
    """Forces as wrenches (force, moment about the origin of `points`), shape (..., 3).

    Args:
        points, normals: shape (..., 2), m and unit vectors from post to body.
    """
    moment = points[..., 0] * normals[..., 1] - points[..., 1] * normals[..., 0]
    return np.concatenate([normals, moment[..., None]], axis=-1)


def rubbing_wrenches(
    points: Array, normals: Array, tangents: Array, frictions: Sequence[float]
) -> Array:
    """The same of forces that friction tilts against the motion of the body, shape (n, k, 3).

    Args:
        tangents: along which the body slides, shape (n, 2), unit vectors.
        frictions: k coefficients.
    """
    forces = (normals - friction * tangents for friction in frictions)
    return np.stack([contact_wrenches(points, force) for force in forces], axis=1)


def worst_margins(wrenches: Array) -> Array:
    """Margins of the contacts from each one on to the last, and of none; the least over k
    frictions, shape (n + 1,).

    Contact forces are 1 + mu with mu >= 0 and W' mu = -W' 1; the margin is n / (n + least sum of
    mu), and that least sum lies at a corner, where at most three of the mu are not zero.

    Args:
        wrenches: shape (n, k, 3), as `margin`.
    """
    margins = np.empty(len(wrenches) + 1)
    kernels.worst_margins(margins, np.ascontiguousarray(wrenches), SINGULAR)
    return margins


def margin(wrenches: Array) -> float:
    """How evenly frictionless contacts can press without moving the body: the largest t n with
    W' lam = 0, lam_i >= t, sum lam = 1, without a linear program.

    Args:
        wrenches: shape (n, 3), any origin, any unit of length.

    Returns:
        1 where all can press alike, 0 where closure is just lost, -1 where there is none.
    """
    return float(worst_margins(wrenches[:, None])[0])
