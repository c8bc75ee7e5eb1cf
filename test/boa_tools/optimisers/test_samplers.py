# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Samplers on functions with known optima, against random search. The seeds are not those on which
the constants of the samplers were chosen (0 to 5).
"""

from __future__ import annotations

import sys

import numpy as np
import pytest
from known_functions import BRANIN, CLIFF, DISK, ISLANDS, SIX, Problem, noisy, regret, search, space

from boa_description.errors import BoaError
from boa_tools.optimisers.evolution import EvolutionSampler
from boa_tools.optimisers.radial import RadialSampler
from boa_tools.optimisers.sample import Sample, best, ranking
from boa_tools.optimisers.sampler import RandomSampler, is_known
from boa_tools.optimisers.space import Space, Variable

SEEDS = range(100, 105)
ALL = [RadialSampler, RandomSampler, EvolutionSampler]


def regrets(problem, sampler, evaluations):
    return np.array([regret(problem, sampler(seed), evaluations) for seed in SEEDS])


@pytest.mark.parametrize(
    ("problem", "evaluations", "share"),
    [(BRANIN, 40, 0.1), (DISK, 50, 0.5), (ISLANDS, 50, 0.1), (CLIFF, 40, 0.5), (SIX, 60, 0.3)],
    ids=["Branin", "Rosenbrock in a disk", "islands", "beside failures", "six variables"],
)
def test_the_surrogate_comes_nearer_than_random_search(problem, evaluations, share):
    """By a factor, in the median over seeds; and its worst seed is better than half of the random
    ones.
    """
    ours = regrets(problem, RadialSampler, evaluations)
    chance = regrets(problem, RandomSampler, evaluations)
    assert np.isfinite(ours).all()
    assert np.median(ours) < share * np.median(chance)
    assert ours.max() < np.median(chance)


def test_noise_does_not_lead_astray():
    """By the true value at the point that seems best."""

    def true_values(sampler):
        points = []
        for seed in SEEDS:
            problem = noisy(seed)
            values = problem.space.values(best(search(problem, sampler(seed), 40)).point)
            points.append((values["x"] - 0.3) ** 2 + (values["y"] + 0.2) ** 2)
        return np.median(points)

    assert true_values(RadialSampler) < 0.5 * true_values(RandomSampler)


def test_evolution_beats_random_search_given_time():
    ours = regrets(SIX, EvolutionSampler, 150)
    assert np.median(ours) < 0.2 * np.median(regrets(SIX, RandomSampler, 150))


@pytest.mark.parametrize("sampler", ALL)
def test_a_search_that_goes_on_later_is_the_same(sampler):
    """Proposals depend on what is known and on their number only."""
    whole = search(DISK, sampler(7), 24)
    for number in (0, 5, 9, 17, 23):
        point = sampler(7).propose(DISK.space, whole[:number], (), number)
        assert (point == whole[number].point).all()
    other = search(DISK, sampler(8), 8)
    assert any((a.point != b.point).any() for a, b in zip(whole, other, strict=False))


@pytest.mark.parametrize("sampler", ALL)
def test_whole_numbers_are_tried_once_each_and_then_no_more(sampler):
    few = Problem(
        Space((Variable("k", 1, 4, whole=True), Variable("m", 0, 2, whole=True))),
        lambda k, m: (k - 3) ** 2 + (m - 1) ** 2,
        0,
    )
    samples = search(few, sampler(3), 12)
    values = {tuple(few.space.values(sample.point).values()) for sample in samples}
    assert len(values) == 12
    assert sampler(3).propose(few.space, samples, (), 12) is None
    assert few.space.values(best(samples).point) == {"k": 3, "m": 1}


@pytest.mark.parametrize("sampler", ALL)
def test_what_is_pending_is_not_proposed_again(sampler):
    """Four at a time, told in another order."""
    samples, pending, points = [], [], []
    for number in range(24):
        point = sampler(2).propose(DISK.space, samples, pending, number)
        assert not is_known(point, points)
        points.append(point)
        pending.append(point)
        if len(pending) == 4:
            samples.append(DISK.sample(pending.pop(number % 4)))
    assert best(samples) is not None


@pytest.mark.parametrize("sampler", ALL)
def test_a_search_in_which_everything_fails_goes_on(sampler):
    hopeless = Problem(space(("x", 0, 1), ("y", 0, 1)), lambda x, y: np.nan, 0, lambda x, y: [0.0])
    samples = search(hopeless, sampler(1), 15)
    assert best(samples) is None and len(samples) == 15


def test_limits_that_nothing_keeps_are_approached():
    """x + y must be 3 at least, of 2 at most: the corner comes nearest."""
    out = Problem(space(("x", 0, 1), ("y", 0, 1)), lambda x, y: x, 0, lambda x, y: [3 - x - y])
    samples = search(out, RadialSampler(1), 30)
    nearest = samples[ranking(samples)[0]]
    assert not nearest.feasible and nearest.excess[0] < 1.05


def test_samples_are_ranked_by_limits_first():
    def sample(objective, *excess):
        return Sample(np.zeros(1), objective, np.array(excess))

    samples = [
        sample(5.0, -1.0),
        sample(np.nan, np.nan),
        sample(1.0, 2.0),
        sample(3.0, 0.0),
        sample(0.0, 1.0),
    ]
    assert ranking(samples) == [3, 0, 4, 2, 1]
    assert best(samples) is samples[3] and best(samples[1:3]) is None
    assert samples[1].failed and not samples[2].feasible


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cmaes", None)
    with pytest.raises(BoaError, match="pip install cmaes"):
        EvolutionSampler(0).propose(DISK.space, (), (), 0)
