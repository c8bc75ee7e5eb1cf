# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Mass of the links and scales of the force sensors, from the balance along every link.

Along itself a link is pushed by its neighbours alone, as posts push across it:

    s_i (F_i along the link) - s_{i-1} (F_{i-1} along it) = m a,

with the scales s of the sensors at its ends. Accelerations are small and noisy: the mass is
estimated with an instrument, the accelerations of neighbouring samples, whose noise is another.
The scales' common factor stays unknown: it cannot be told from torque constant and mass, so their
mean is 1. Noise of a force multiplies itself then in all equations alike, which that mean takes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array
from boa_tools.identification.record import SETTLE, Balance
from boa_tools.identification.windows import BLOCK, WIDTH


class BalanceSums(NamedTuple):
    """Sums over each of B blocks.

    Attributes:
        forces: of products of forces and instrument, (B,), N m/s2. inertia: of accelerations and
            instrument, (B,), m2/s4.
        scales: of products of forces at the ends, (B, n - 1, n - 1), N2.
        pushes: of those and accelerations, (B, n - 1), N m/s2.
    """

    forces: Array
    inertia: Array
    scales: Array
    pushes: Array

    def without_each(self) -> BalanceSums:
        """All blocks but one, for each."""
        return BalanceSums(*(part.sum(axis=0) - part for part in self))

    def total(self) -> BalanceSums:
        """All blocks together."""
        return BalanceSums(*(part.sum(axis=0) for part in self))

    def estimate(self) -> Array:
        """Mass of a link, kg, and scales of the sensors, (..., n)."""
        mass = np.asarray(self.forces / self.inertia)[..., None]
        joints = self.pushes.shape[-1]
        apart = np.eye(joints) - 1 / joints  # takes the mean away
        left = mass * self.pushes - self.scales.sum(axis=-1)
        square = np.linalg.pinv(apart @ self.scales @ apart, hermitian=True)
        off = square @ (apart @ left[..., None])
        return np.concatenate((mass, 1.0 + off[..., 0]), axis=-1)


def balance_sums(balance: Balance) -> BalanceSums:
    """The sums of one run."""
    step = float(np.median(np.diff(balance.time)))
    pairs = max(round(WIDTH / step / 2), 1)
    first = int(np.searchsorted(balance.time, SETTLE))
    count = (balance.time.size - first) // (2 * pairs)

    def cut(value: Array) -> Array:
        """In windows of pairs of samples, (W, pairs, 2, ...)."""
        return value[first : first + 2 * pairs * count].reshape(count, pairs, 2, *value.shape[1:])

    free = cut(balance.straight.astype(float)).all(axis=(1, 2)).astype(float)  # (W, n)
    ends = cut(balance.ends)
    force = _deviations((ends[..., 0] - ends[..., 1]).mean(axis=1), free)
    acceleration = _deviations(cut(balance.acceleration).mean(axis=1), free)
    instrument = acceleration[:, ::-1]
    which = (cut(balance.time)[:, 0, 0] // BLOCK).astype(int)
    numbers, which = np.unique(which, return_inverse=True)
    rows = _rows(ends.mean(axis=(1, 2)), free)
    parts = (
        (instrument * force).sum(axis=(1, 2)),
        (instrument * acceleration).sum(axis=(1, 2)),
        np.swapaxes(rows, 1, 2) @ rows,
        (np.swapaxes(rows, 1, 2) @ acceleration.mean(axis=1)[..., None])[..., 0],
    )
    sums = [np.zeros((numbers.size, *part.shape[1:])) for part in parts]
    for total, part in zip(sums, parts, strict=True):
        np.add.at(total, which, part)
    return BalanceSums(*sums)


def _deviations(value: Array, free: Array) -> Array:
    """From the mean of each link over the windows that count, (W, 2, n): sensors have zeros."""
    weight = free[:, None]
    off: Array = weight * (value - (weight * value).sum(axis=0) / free.sum(axis=0))
    return off


def _rows(ends: Array, free: Array) -> Array:
    """Balance of the links as rows on the scales, (W, n, n - 1), from the forces at both ends."""
    links = ends.shape[1]
    rows = np.zeros((len(ends), links, links - 1))
    joint = np.arange(links - 1)
    rows[:, joint, joint] = ends[:, :-1, 0]
    rows[:, joint + 1, joint] = -ends[:, 1:, 1]
    return rows * free[..., None]
