# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A smooth function through scattered values, which may be noisy."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from boa_description.arrays import Array

# Added to the diagonal of the kernel matrix: 0 interpolates, 1 leaves little but the linear part.
# Distances in the unit cube are of order 1.
SMOOTHINGS = (0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
GAIN = 0.5  # of the error of interpolation that smoothing must reach to be preferred


@dataclass(frozen=True, slots=True)
class Surrogate:
    """Cubic radial basis functions with a linear part.

    Attributes:
        centres: shape (n, d).
        weights: shape (n,) of the radial functions, then (d + 1,) of 1 and the coordinates.
        smoothing: how much of the values was taken for noise.
    """

    centres: Array
    weights: Array
    smoothing: float

    def __call__(self, points: Array) -> Array:
        """Values at points, shape (k, d); shape (k,)."""
        basis = np.hstack((cdist(points, self.centres) ** 3, _linear(points)))
        return basis @ self.weights


def fit(points: Array, values: Array) -> Surrogate:
    """The function through n values at points, shape (n, d), with n > d + 1. The smoothing is that
    with the least error when each value is left out in turn (S. Rippa, Adv. Comput. Math. 11, 1999,
    eq. 17: this error is the weight over the diagonal of the inverse matrix).
    """
    count, size = points.shape
    if count < size + 2:
        raise ValueError(f"{count} values for {size} variables; {size + 2} are needed")
    linear = _linear(points)
    matrix = np.block([[cdist(points, points) ** 3, linear], [linear.T, np.zeros((size + 1,) * 2)]])
    right = np.concatenate((values, np.zeros(size + 1)))
    fits = [_smoothed(points, matrix, right, smoothing) for smoothing in SMOOTHINGS]
    interpolating, least = fits[0], min(fits, key=lambda pair: pair[1])
    return (least if least[1] < GAIN * interpolating[1] else interpolating)[0]


def _smoothed(
    points: Array, matrix: Array, right: Array, smoothing: float
) -> tuple[Surrogate, float]:
    """The function with a smoothing, and the median square of its errors where values are left
    out.
    """
    count = len(points)
    diagonal = np.where(np.arange(len(right)) < count, smoothing, 0.0)
    inverse = np.linalg.pinv(matrix + np.diag(diagonal), hermitian=True)
    weights = inverse @ right
    share = np.diag(inverse)[:count]
    known = np.abs(share) > 1e-12  # the others alone carry a direction of the linear part
    errors = (weights[:count][known] / share[known]) ** 2
    return Surrogate(points, weights, smoothing), float(np.median(errors)) if known.any() else 0.0


def _linear(points: Array) -> Array:
    return np.hstack((np.ones((len(points), 1)), points))
