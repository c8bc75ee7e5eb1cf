# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Search with a surrogate: R. G. Regis and C. A. Shoemaker, "A stochastic radial basis function
method", INFORMS J. Comput. 19 (2007), with limits as in R. G. Regis, "Constrained optimization by
radial basis function interpolation", Eng. Optim. 46 (2014): each limit has a surrogate of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.stats import qmc

from boa_description.arrays import Array
from boa_tools.optimisers.sample import Sample, ranking, scales
from boa_tools.optimisers.space import Space
from boa_tools.optimisers.surrogate import Surrogate, fit

WEIGHTS = (0.3, 0.5, 0.8, 0.95)  # of the predicted value against the distance from known points
STEP = 0.2  # of the random changes of the best point at first; part of the range
LEAST_STEP = 0.005  # below it the step begins anew: the way out of a narrow valley
PATIENCE = 5  # proposals without improvement until the step is halved
CANDIDATES = 200  # per variable, half around the best point, half anywhere
MOVED = 4.0  # variables that a change moves at once, about
MARGIN = 0.03  # of a limit's typical size, kept more for each miss in a row
MISSES = 5  # that count


@dataclass(frozen=True, slots=True)
class RadialSampler:
    """Cubic radial basis functions through all known values, and the best of many random candidates
    by predicted value and distance from what is known. Limits are predicted, not penalised.
    """

    seed: int

    def propose(
        self, space: Space, samples: Sequence[Sample], pending: Sequence[Array], number: int
    ) -> Array | None:
        """See `Sampler.propose`."""
        rng = np.random.default_rng((self.seed, number))
        first = 2 * (space.size + 1)
        known = np.array([*(sample.point for sample in samples), *pending]).reshape(-1, space.size)
        if number < first:
            design = qmc.LatinHypercube(space.size, seed=self.seed).random(first)
            return _new(space.snapped(design[number : number + 1]), known, space, rng)
        usable = [sample for sample in samples if not sample.failed]
        if len(usable) < space.size + 2:
            return _new(np.zeros((0, space.size)), known, space, rng)
        centre = samples[ranking(samples)[0]].point
        candidates = _unknown(_candidates(space, centre, _step(samples, first), rng), known)
        if not len(candidates):
            return _new(candidates, known, space, rng)
        allowed = _allowed(samples, usable, candidates, first)
        candidates = candidates[allowed]
        values = np.array([sample.objective for sample in usable])
        predicted = _fit(usable, _flattened(values))(candidates)
        distance = cdist(candidates, known).min(axis=1)
        weight = WEIGHTS[number % len(WEIGHTS)]
        score = weight * _relative(predicted) + (1 - weight) * (1 - _relative(distance))
        return candidates[int(np.argmin(score))]


def _fit(samples: Sequence[Sample], values: Array) -> Surrogate:
    return fit(np.array([sample.point for sample in samples]), values)


def _flattened(values: Array) -> Array:
    """The values with those above their median growing by their logarithm only: peaks would bend
    the valleys of a surrogate.
    """
    middle = np.median(values)
    scale = max(float(middle - values.min()), 1e-12 * (1 + abs(float(middle))))
    above = np.maximum(values - middle, 0.0)
    return np.minimum(values, middle) + scale * np.log1p(above / scale)


def _candidates(space: Space, centre: Array, step: float, rng: np.random.Generator) -> Array:
    """Random points anywhere, and around `centre`, in the cube."""
    count, size = CANDIDATES * space.size // 2, space.size
    moved = rng.random((count, size)) < min(1.0, MOVED / size)
    moved[np.arange(count), rng.integers(size, size=count)] = True
    near = centre + np.where(moved, step * rng.standard_normal((count, size)), 0.0)
    near = np.where((near < 0) | (near > 1), np.abs(near) % 2, near)  # reflected at the faces
    near = np.where(near > 1, 2 - near, near)
    return space.snapped(np.vstack((near, rng.random((count, size)))))


def _unknown(points: Array, known: Array) -> Array:
    """Those of the points that are not known."""
    if not len(known) or not len(points):
        return points
    return points[cdist(points, known).min(axis=1) > 1e-9]


def _new(points: Array, known: Array, space: Space, rng: np.random.Generator) -> Array | None:
    """The first of the points that is not known, else a random one, else none."""
    more = rng.random((CANDIDATES * space.size, space.size))  # always, so that searches repeat
    unknown = _unknown(points, known)
    if not len(unknown):
        unknown = _unknown(space.snapped(more), known)
    return unknown[0] if len(unknown) else None


def _step(samples: Sequence[Sample], first: int) -> float:
    """Size of the random changes, from how the search went so far."""
    step, failures = STEP, 0
    for count in range(first, len(samples)):
        if ranking(samples[: count + 1])[0] == count:
            failures = 0
            continue
        failures += 1
        if failures >= PATIENCE:
            step, failures = step / 2, 0
            if step < LEAST_STEP:
                step = STEP
    return step


def _allowed(
    samples: Sequence[Sample], usable: Sequence[Sample], candidates: Array, first: int
) -> NDArray[np.intp]:
    """Indices of the candidates that are predicted to keep all limits and not to fail; where there
    is none, the tenth of them that comes nearest to it.
    """
    misses = 0
    for sample in reversed(samples[first:]):
        if sample.feasible or misses == MISSES:
            break
        misses += 1
    predicted = [np.zeros(len(candidates))]
    for place, scale in enumerate(scales(samples)):
        excess = np.array([sample.excess[place] for sample in usable]) / scale
        surrogate = _fit(usable, np.clip(excess, -1.0, 1.0))  # only the border matters
        predicted.append(surrogate(candidates) + MARGIN * misses)
    if any(sample.failed for sample in samples):
        failed = np.array([1.0 if sample.failed else -1.0 for sample in samples])
        predicted.append(_fit(samples, failed)(candidates))
    total = np.maximum(predicted, 0).sum(axis=0)
    keeping = np.flatnonzero(total <= 0)
    if len(keeping):
        return keeping
    return np.argsort(total, kind="stable")[: max(1, len(candidates) // 10)]


def _relative(values: Array) -> Array:
    """Values between 0 (least) and 1 (largest)."""
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.zeros_like(values)
