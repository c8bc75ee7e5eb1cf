# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Functions with known optima, and a loop that optimises them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from boa_tools.optimisers.sample import Sample, best
from boa_tools.optimisers.space import Space, Variable


@dataclass(frozen=True)
class Problem:
    """A function of named variables; `limits` gives the excesses. `least` is its known optimum."""

    space: Space
    objective: Callable
    least: float
    limits: Callable = lambda **_: np.zeros(0)

    def sample(self, point) -> Sample:
        values = self.space.values(point)
        objective = self.objective(**values)
        excess = np.asarray(self.limits(**values), float)
        return Sample(
            point, objective, np.full(excess.shape, np.nan) if np.isnan(objective) else excess
        )


def space(*ranges, **more) -> Space:
    return Space(tuple(Variable(name, low, high, **more) for name, low, high in ranges))


def branin(x, y):
    """Dixon and Szego 1978; three optima of 0.397887."""
    a = y - 5.1 / (4 * np.pi**2) * x**2 + 5 / np.pi * x - 6
    return a**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10


def rosenbrock(x, y):
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


BRANIN = Problem(space(("x", -5, 10), ("y", 0, 15)), branin, 0.397887)
# in the disk of radius sqrt(2); its optimum (1, 1) lies on the border
DISK = Problem(
    space(("x", -1.5, 1.5), ("y", -1.5, 1.5)),
    rosenbrock,
    0.0,
    lambda x, y: [x**2 + y**2 - 2],
)
# Gomez and Levy 1982, modified: four islands of allowed points, optimum -1.0316 on one of them
ISLANDS = Problem(
    space(("x", -1, 0.75), ("y", -1, 1)),
    lambda x, y: 4 * x**2 - 2.1 * x**4 + x**6 / 3 + x * y - 4 * y**2 + 4 * y**4,
    -1.031628453,
    lambda x, y: [-np.sin(4 * np.pi * x) + 2 * np.sin(2 * np.pi * y) ** 2 - 1.5],
)


def noisy(seed):
    """A valley with noise of 0.05 on values from 0 to about 2; its optimum is 0 at (0.3, -0.2)."""
    rng = np.random.default_rng(seed)
    return Problem(
        space(("x", -1, 1), ("y", -1, 1)),
        lambda x, y: (x - 0.3) ** 2 + (y + 0.2) ** 2 + 0.05 * rng.standard_normal(),
        0.0,
    )


# fails (NaN) left of a line beside which the optimum lies
CLIFF = Problem(
    space(("x", 0, 1), ("y", 0, 1)),
    lambda x, y: np.nan if x + y < 0.7 else (x - 0.2) ** 2 + (y - 0.5) ** 2 + 0.1 * x,
    0.01875,
)
SIX = Problem(
    Space(tuple(Variable(name, -2.0, 2.0) for name in "abcdef")),
    lambda **v: float(sum((x - 0.3 * k) ** 2 for k, x in enumerate(v.values()))),
    0.0,
)


def search(problem: Problem, sampler, evaluations: int) -> list[Sample]:
    """Evaluate one point after the other."""
    samples: list[Sample] = []
    for number in range(evaluations):
        point = sampler.propose(problem.space, samples, (), number)
        samples.append(problem.sample(point))
    return samples


def regret(problem: Problem, sampler, evaluations: int) -> float:
    """How far the best allowed value is above the optimum; infinite where there is none."""
    found = best(search(problem, sampler, evaluations))
    return np.inf if found is None else found.objective - problem.least
