# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Evaluated points, and which of them is better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boa_description.arrays import Array


@dataclass(frozen=True, slots=True)
class Sample:
    """One evaluation. Values never change.

    Attributes:
        point: shape (d,), in the unit cube.
        objective: the smaller, the better; NaN where the evaluation failed.
        excess: shape (m,), by how much each limit is exceeded, in units of its own; 0 or less
            where it is kept. NaN where the evaluation failed.
    """

    point: Array
    objective: float
    excess: Array

    @property
    def failed(self) -> bool:
        """Whether something is unknown."""
        return bool(math.isnan(self.objective) or np.isnan(self.excess).any())

    @property
    def feasible(self) -> bool:
        """Whether it keeps all limits."""
        return not self.failed and bool((self.excess <= 0).all())


def scales(samples: Sequence[Sample]) -> Array:
    """Typical size of each excess, shape (m,), that makes them comparable."""
    known = [sample.excess for sample in samples if not sample.failed]
    if not known:
        return np.ones(samples[0].excess.size if samples else 0)
    size = np.median(np.abs(known), axis=0)
    return np.where(size > 0, size, 1.0)


def ranking(samples: Sequence[Sample]) -> list[int]:
    """Indices from the best to the worst: those that keep all limits by their objective, then the
    others by how far they exceed them, then those that failed.
    """
    scale = scales(samples)

    def key(index: int) -> tuple[int, float]:
        sample = samples[index]
        if sample.failed:
            return 2, 0.0
        if sample.feasible:
            return 0, sample.objective
        return 1, float(np.maximum(sample.excess / scale, 0).sum())

    return sorted(range(len(samples)), key=key)


def best(samples: Sequence[Sample]) -> Sample | None:
    """The best that keeps all limits, if there is one."""
    known = [sample for sample in samples if sample.feasible]
    return min(known, key=lambda sample: sample.objective) if known else None
