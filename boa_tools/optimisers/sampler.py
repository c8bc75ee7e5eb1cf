# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The interface of optimisers, and the simplest one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from boa_description.arrays import Array
from boa_tools.optimisers.sample import Sample
from boa_tools.optimisers.space import Space

TRIES = 1000  # to draw a point that is new


class Sampler(Protocol):
    """Says where to evaluate next: a pure function of what is known, so an optimisation goes on
    after a break as if there had been none.
    """

    def propose(
        self, space: Space, samples: Sequence[Sample], pending: Sequence[Array], number: int
    ) -> Array | None:
        """The next point.

        Args:
            samples: in the order in which they became known.
            pending: points that are being evaluated.
            number: of the proposal, from 0; the random numbers depend on it.

        Returns:
            Point in the unit cube, shape (d,), one of `space.snapped` and not among the known and
                pending ones; None where there is no further one.
        """


@dataclass(frozen=True, slots=True)
class RandomSampler:
    """Uniform random points: what every other sampler must beat."""

    seed: int

    def propose(
        self, space: Space, samples: Sequence[Sample], pending: Sequence[Array], number: int
    ) -> Array | None:
        """A random point."""
        draws = np.random.default_rng((self.seed, number)).random((TRIES, space.size))
        known = [*(sample.point for sample in samples), *pending]
        for draw in draws:
            point = space.snapped(draw[None])[0]
            if not is_known(point, known):
                return point
        return None


def is_known(point: Array, known: Sequence[Array]) -> bool:
    """Whether the point is one of these."""
    return bool(len(known)) and bool((np.abs(np.array(known) - point).max(axis=1) < 1e-12).any())
