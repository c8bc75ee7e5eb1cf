# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The interface of optimisers, and the simplest one. Evaluated points, and which of them is better.
Several searches one after the other: where one stays at a lesser peak, another does not. CMA-ES by
the package `cmaes` (N. Hansen, "The CMA evolution strategy: a tutorial", 2016).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_tools.optimisers.space import Space

SPREAD = 0.25  # standard deviation at first; part of the range
TRIES = 1000  # to draw a point that is new


@dataclass(frozen=True, slots=True)
class RestartedSampler:
    """A sampler that begins anew, with the next seed, after every so many proposals.

    Attributes:
        make: the sampler of a seed.
        seed: of the first search.
        length: proposals of each search.
    """

    make: Callable[[int], Sampler]
    seed: int
    length: int

    def propose(
        self, space: Space, samples: Sequence[Sample], pending: Sequence[Array], number: int
    ) -> Array | None:
        """The next point of the present search, which knows nothing of those before it."""
        begun, within = divmod(number, self.length)
        known = samples[begun * self.length :]
        return self.make(self.seed + begun).propose(space, known, pending, within)


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
        return bool(np.isnan(self.objective) or np.isnan(self.excess).any())

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


@dataclass(frozen=True, slots=True)
class EvolutionSampler:
    """Covariance matrix adaptation. It uses the order of the samples only, in which those that keep
    all limits come first, so limits need no penalty. Samples count by generations, in the order in
    which they became known.

    Raises:
        BoaError: the package is missing.
    """

    seed: int

    def propose(
        self, space: Space, samples: Sequence[Sample], pending: Sequence[Array], number: int
    ) -> Array | None:
        """See `Sampler.propose`."""
        strategy = _strategy(space.size, self.seed + number)
        size = strategy.population_size
        for start in range(0, len(samples) // size * size, size):
            generation = samples[start : start + size]
            order = ranking(generation)
            points = [(generation[index].point, float(rank)) for rank, index in enumerate(order)]
            strategy.tell(points)
        known = [*(sample.point for sample in samples), *pending]
        for _ in range(TRIES):
            point = space.snapped(np.clip(strategy.ask(), 0.0, 1.0)[None])[0]
            if not is_known(point, known):
                return point
        return None


def _strategy(size: int, seed: int) -> Any:
    try:
        cmaes: Any = import_module("cmaes")
    except ModuleNotFoundError as error:
        raise BoaError(
            "the sampler cmaes needs the package of that name, which this Python lacks; install "
            "it: pip install cmaes (it belongs to the extra 'sweeps' of boa_control)"
        ) from error
    bounds = np.tile([0.0, 1.0], (size, 1))
    return cmaes.CMA(mean=np.full(size, 0.5), sigma=SPREAD, bounds=bounds, seed=seed)
