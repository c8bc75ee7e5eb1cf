# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Least squares with unknowns of every joint and unknowns of all, and how sure they are.

Errors of neighbouring samples are alike, so their number says little. The run is cut into blocks
that are longer than errors last, and the estimate is made once more without each of them: the
delete-one-block jackknife (Efron and Stein, *Annals of Statistics* 9, 1981; Künsch, *ibid.* 17,
1989), which counts blocks, not samples, and asks nothing of the errors inside of one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from boa_description.arrays import Array, Flags, Integers

CONFIDENCE = 0.95  # of all intervals
SINGULAR = 1e-10  # of the largest singular value: less tells nothing


class NormalEquations(NamedTuple):
    """Sums over the equations of each of B blocks and each joint, of p local and q common unknowns.

    Attributes:
        square: (B, n - 1, p + q, p + q). product: (B, n - 1, p + q).
    """

    square: Array
    product: Array

    @classmethod
    def of(cls, columns: Array, target: Array, used: Flags, block: Integers) -> NormalEquations:
        """From equations columns x = target of shapes (W, n - 1, p + q) and (W, n - 1), those
        `used`; `block` of each, (W,).
        """
        rows = np.where(used[..., None], columns, 0.0)
        aim = np.where(used, target, 0.0)
        numbers, which = np.unique(block, return_inverse=True)
        size = rows.shape[-1]
        square = np.zeros((numbers.size, rows.shape[1], size, size))
        product = np.zeros(square.shape[:-1])
        np.add.at(square, which, rows[..., :, None] * rows[..., None, :])
        np.add.at(product, which, rows * aim[..., None])
        return cls(square, product)

    def total(self) -> NormalEquations:
        """All blocks together, without the leading dimension."""
        return NormalEquations(self.square.sum(axis=0), self.product.sum(axis=0))

    def without_each(self) -> NormalEquations:
        """All blocks but one, for each."""
        whole = self.total()
        return NormalEquations(whole.square - self.square, whole.product - self.product)

    def near_average(self, common: int, weight: Array, doubt: Array) -> NormalEquations:
        """The same with a prior: the local unknowns of every joint are about those that would be
        best for all joints alike.

        Args:
            weight: noise over spread, squared, of the joints around the average, (p,).
            doubt: likewise, of the average around zero, (p,).
        """
        size = self.product.shape[-1] - common
        together = NormalEquations(
            self.square.sum(axis=-3, keepdims=True), self.product.sum(axis=-2, keepdims=True)
        )
        together.square[..., :size, :size] += np.diag(doubt)
        average = together.solve(common)[0]  # (..., 1, p)
        square, product = self.square.copy(), self.product.copy()
        square[..., :size, :size] += np.diag(weight)
        product[..., :size] += weight * average
        return NormalEquations(square, product)

    def solve(self, common: int) -> tuple[Array, Array]:
        """Least squares: local unknowns, (..., n - 1, p), and the last `common` ones, (..., q); 0
        where nothing is told.
        """
        size = self.product.shape[-1] - common
        local = inverses(self.square[..., :size, :size])
        mixed, target = self.square[..., :size, size:], self.product[..., :size, None]
        # the local unknowns eliminated, joint by joint
        turned = np.swapaxes(mixed, -1, -2) @ local
        rest = (self.square[..., size:, size:] - turned @ mixed).sum(axis=-3)
        aim = (self.product[..., size:, None] - turned @ target).sum(axis=-3)
        shared = inverses(rest) @ aim
        own = local @ (target - mixed @ shared[..., None, :, :])
        return own[..., 0], shared[..., 0]


def inverses(square: Array) -> Array:
    """Pseudo-inverses of symmetric matrices (..., m, m) whose columns have units of their own."""
    # rounding leaves less than nothing of what others have told
    scale = np.sqrt(np.maximum(np.einsum("...ii->...i", square), 0.0))
    scale = np.where(scale > 0, scale, 1.0)
    both = scale[..., :, None] * scale[..., None, :]
    inverse: Array = np.linalg.pinv(square / both, rcond=SINGULAR, hermitian=True) / both
    return inverse


def jackknife(without_each: Array) -> Array:
    """Covariance (m, m) of an estimate from those without each block, (B, m)."""
    blocks = len(without_each)
    off = without_each - without_each.mean(axis=0)
    covariance: Array = (blocks - 1) / blocks * off.T @ off
    return covariance


def coverage_factor(blocks: int) -> float:
    """Standard deviations to each side of an interval of `CONFIDENCE`, from so many blocks."""
    return float(student.ppf((1 + CONFIDENCE) / 2, blocks - 1))
