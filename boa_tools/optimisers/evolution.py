# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""CMA-ES by the package `cmaes` (N. Hansen, "The CMA evolution strategy: a tutorial", 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_tools.optimisers.sample import Sample, ranking
from boa_tools.optimisers.sampler import TRIES, is_known
from boa_tools.optimisers.space import Space

SPREAD = 0.25  # standard deviation at first; part of the range


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
