# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""First-order form closure of a planar body held by frictionless contacts.

With its joints held, the chain is one rigid body with three degrees of freedom. Contact i with unit
normal nu_i (from the obstacle to the body) at point r_i pushes with the wrench w_i = (nu_i, r_i x
nu_i). The contacts close the body to first order if they can balance every wrench, that is if the
w_i positively span R^3 (Reuleaux; Bicchi, IEEE Trans. Robotics and Automation 11 (1995) 868).
"""

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from boa_description.arrays import Array, Flags

TOLERANCE = 1e-7  # of a wrench scaled to length 1


def wrenches(points: Array, normals: Array) -> Array:
    """Unit wrenches (force, moment about the mean contact point, in units of the contacts' spread).

    Origin and scale do not change whether there is closure, only how well the numbers are
    conditioned.

    Args:
        points, normals: shape (..., nc, 2), m and unit vectors.

    Returns:
        Shape (..., nc, 3), each row of length 1.
    """
    arm = points - points.mean(axis=-2, keepdims=True)
    spread = np.sqrt(np.mean(np.sum(arm**2, axis=-1), axis=-1))[..., None]
    moment = (arm[..., 0] * normals[..., 1] - arm[..., 1] * normals[..., 0]) / np.maximum(
        spread, 1e-9
    )
    w = np.concatenate([normals, moment[..., None]], axis=-1)
    unit: Array = w / np.linalg.norm(w, axis=-1, keepdims=True)
    return unit


def is_closed(points: Array, normals: Array, touching: Flags | None = None) -> Flags:
    """Whether contacts give first-order form closure, for one or many configurations at once.

    A motion (twist) escapes if it moves no contact into its obstacle: w_i . v >= 0 for all i. If
    the w_i span space, all such v form a pointed cone whose edges are normal to two of the w_i; so
    testing the cross products of all pairs decides, without a linear program.

    Args:
        points, normals: shape (..., nc, 2).
        touching: shape (..., nc); contacts that count. All by default.

    Returns:
        Shape (...).
    """
    points, normals = np.asarray(points, float), np.asarray(normals, float)
    count = points.shape[-2]
    if touching is None:
        touching = np.ones(points.shape[:-1], bool)
    if count < 4:
        return np.zeros(points.shape[:-2], bool)
    w = wrenches(points, normals) * touching[..., None]
    i, j = np.triu_indices(count, 1)
    edges = np.cross(w[..., i, :], w[..., j, :])
    sizes = np.linalg.norm(edges, axis=-1)
    real = sizes > TOLERANCE
    edges = edges / np.where(real, sizes, 1.0)[..., None]
    along = edges @ np.swapaxes(w, -1, -2)
    escapes = real & ((along >= -TOLERANCE).all(axis=-1) | (along <= TOLERANCE).all(axis=-1))
    spans = np.linalg.matrix_rank(w, tol=1e-6) == 3
    closed: Flags = spans & ~escapes.any(axis=-1)
    return closed


def wrench_ball(points: Array, normals: Array) -> float:
    """The largest wrench that contacts which press with one newton in all can resist in every
    direction, N; moments about the mean contact point count over the contacts' spread. 0 where
    there is no closure.

    Radius of the largest ball around the origin in the convex hull of the unit wrenches (Ferrari
    and Canny, IEEE ICRA 1992, p. 2290, the criterion of the total force).

    Args:
        points, normals: shape (nc, 2).
    """
    if len(points) < 4:
        return 0.0
    try:
        hull = ConvexHull(_of_unit_forces(wrenches(points, normals)))
    except QhullError:  # all wrenches lie in a plane
        return 0.0
    return max(0.0, -float(hull.equations[:, -1].max()))


def _of_unit_forces(unit_wrenches: Array) -> Array:
    return np.asarray(unit_wrenches / np.linalg.norm(unit_wrenches[:, :2], axis=1, keepdims=True))
