# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""An optimisation: what it is, and what is known so far."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from boa_control.experiments.change import changed, value_at
from boa_control.experiments.scenario import Scenario
from boa_description.arrays import Array
from boa_tools.optimisers.evolution import EvolutionSampler
from boa_tools.optimisers.radial import RadialSampler
from boa_tools.optimisers.sample import Sample, ranking
from boa_tools.optimisers.sampler import RandomSampler, Sampler
from boa_tools.optimisers.space import Space, Variable
from boa_tools.sweeps.goal import Goal, Limit
from boa_tools.sweeps.journal import Row
from boa_tools.sweeps.plan import said
from boa_tools.sweeps.rows import NUMBER
from boa_tools.sweeps.task import Task

SAMPLERS: dict[str, Callable[[int], Sampler]] = {
    "radial": RadialSampler,
    "random": RandomSampler,
    "cmaes": EvolutionSampler,
}
FINALISTS = 3  # best points that are run again
NEIGHBOURS = 0.01  # of the range: how far the values of a repetition are changed

SEARCH, CHECK = "search", "check"
PLAIN = "evaluations", "seeds", "checks", "sampler", "seed"  # of an optimisation as JSON


@dataclass(frozen=True, slots=True)
class Optimisation:
    """The task of an optimisation.

    Attributes:
        base: scenario.
        space: keys of the scenario and their ranges.
        goal: what is good.
        evaluations: points that are tried.
        seeds: runs of each, with seeds from 0.
        checks: runs of each finalist, with neighbouring values and seeds that were not used.
        sampler, seed: which one says where to evaluate, and its seed.
    """

    base: Scenario
    space: Space
    goal: Goal
    evaluations: int
    seeds: int
    checks: int
    sampler: str
    seed: int

    @property
    def total(self) -> int:
        """Runs, where there are as many finalists as there may be."""
        return self.evaluations * self.seeds + FINALISTS * self.checks

    def scenario(self, values: Mapping[str, float]) -> Scenario:
        """The scenario with these values. Raises BoaError where it is refused."""
        return changed(self.base, values)

    def own_point(self) -> Array | None:
        """Point of the scenario's own values; None where one is no number within its range."""
        values = {v.name: value_at(self.base, v.name) for v in self.space.variables}
        if not all(
            isinstance(values[v.name], int | float) and v.low <= values[v.name] <= v.high
            for v in self.space.variables
        ):
            return None
        return self.space.snapped(self.space.point(values)[None])[0]

    def make_sampler(self) -> Sampler:
        """The sampler."""
        return SAMPLERS[self.sampler](self.seed)

    def record(self) -> dict[str, Any]:
        """As JSON, without the scenario."""
        return {
            "over": list(map(asdict, self.space.variables)),
            "objective": self.goal.metric,
            "maximise": self.goal.maximise,
            "limits": list(map(asdict, self.goal.limits)),
            **{key: getattr(self, key) for key in PLAIN},
        }

    @classmethod
    def of(cls, record: Mapping[str, Any], base: Scenario) -> Self:
        """Read `record` back. Raises KeyError, TypeError, ValueError."""
        limits = tuple(Limit(**limit) for limit in record["limits"])
        return cls(
            base,
            Space(tuple(Variable(**variable) for variable in record["over"])),
            Goal(record["objective"], record["maximise"], limits),
            **{key: record[key] for key in PLAIN},
        )


@dataclass(frozen=True, slots=True)
class Job:
    """One run of an optimisation.

    Attributes:
        number: of the run.
        evaluation: of which it is part.
        phase: SEARCH or CHECK.
        values: of the variables.
        seed: of the run.
    """

    number: int
    evaluation: int
    phase: str
    values: dict[str, float]
    seed: int

    def task(self, optimisation: Optimisation) -> Task:
        """For a worker. Raises BoaError where the scenario refuses the values."""
        key = f"{self.phase} {self.evaluation} ({said(self.values)}), seed {self.seed}"
        return Task(key, optimisation.scenario(self.values), self.seed)


class Study:
    """The state of an optimisation: the rows of its runs, in the order in which they ended."""

    def __init__(
        self, optimisation: Optimisation, rows: Sequence[Row] = (), *, repeat_failed: bool = False
    ) -> None:
        """Of the rows of one run the last counts.

        Args:
            repeat_failed: runs that left no result are missing, and become jobs again; a worker may
                have been killed. Without, such a run is a failed one.
        """
        self.optimisation = optimisation
        self.rows: list[Row] = []
        self.samples: list[Sample] = []
        self.numbers: list[int] = []  # of the evaluations of the samples
        self._runs: dict[int, list[Row]] = {}  # of the search, by evaluation
        self._values: dict[int, dict[str, float]] = {}  # of evaluations that have begun
        for row in {row[NUMBER]: row for row in rows}.values():
            if row["error"] is None or not repeat_failed:
                self.add(row)
            elif row["phase"] == SEARCH:
                self._begin(row)

    def add(self, row: Row) -> None:
        """A run has ended; the last of an evaluation makes it a sample."""
        self.rows.append(row)
        if row["phase"] == CHECK:
            return
        number = self._begin(row)
        runs = self._runs.setdefault(number, [])
        runs.append(row)
        if len(runs) == self.optimisation.seeds:
            self.samples.append(self._sample(self._values[number], runs))
            self.numbers.append(number)

    def _begin(self, row: Row) -> int:
        """Keep the values of an evaluation; its number."""
        number: int = row["evaluation"]
        self._values[number] = {v.name: row[v.name] for v in self.optimisation.space.variables}
        return number

    def jobs(self) -> Iterator[Job | None]:
        """The runs that are missing; None while the next one depends on results to come."""
        yield from self._search()
        while len(self.samples) < len(self._values):
            yield None
        yield from self._checks()

    def finalists(self) -> list[int]:
        """Evaluations that are run again: the best that keep all limits."""
        order = [place for place in ranking(self.samples) if self.samples[place].feasible]
        return [self.numbers[place] for place in order[:FINALISTS]]

    def values(self, evaluation: int) -> dict[str, float]:
        """Values of an evaluation."""
        return self._values[evaluation]

    def checks(self, evaluation: int) -> list[Row]:
        """Its repetitions."""
        return [r for r in self.rows if r["phase"] == CHECK and r["evaluation"] == evaluation]

    def judged(self) -> list[int]:
        """The finalists by their repetitions: those with most of them within the limits first, and
        of these the one with the best median.
        """
        goal = self.optimisation.goal

        def key(evaluation: int) -> tuple[int, float]:
            kept = sum(goal.kept(row) for row in self.checks(evaluation))
            middle = self.median(evaluation)
            worth = -middle if goal.maximise else middle
            return -kept, float("inf") if np.isnan(middle) else worth

        return sorted(self.finalists(), key=key)

    def median(self, evaluation: int) -> float:
        """Median of the objective over the repetitions that have one; NaN where none has."""
        goal = self.optimisation.goal
        values = [goal.objective([row]) for row in self.checks(evaluation)]
        known = [value for value in values if np.isfinite(value)]
        return float(np.median(known)) if known else float("nan")

    def _search(self) -> Iterator[Job]:
        optimisation = self.optimisation
        sampler, space = optimisation.make_sampler(), optimisation.space
        for number in range(optimisation.evaluations):
            if number not in self._values:
                point = optimisation.own_point() if number == 0 else None
                if point is None:
                    point = sampler.propose(space, self.samples, self._pending(), number)
                if point is None:  # all values have been tried
                    return
                self._values[number] = space.values(point)
            ended = {row["seed"] for row in self._runs.get(number, ())}
            for seed in range(optimisation.seeds):
                if seed not in ended:
                    run = number * optimisation.seeds + seed
                    yield Job(run, number, SEARCH, self._values[number], seed)

    def _pending(self) -> list[Array]:
        done = set(self.numbers)
        space = self.optimisation.space
        return [space.point(v) for number, v in self._values.items() if number not in done]

    def _checks(self) -> Iterator[Job]:
        """Runs of the finalists: the first with their own values, the others with neighbouring
        ones, all with new seeds.
        """
        optimisation, space = self.optimisation, self.optimisation.space
        first = optimisation.evaluations * optimisation.seeds
        for place, evaluation in enumerate(self.finalists()):
            rng = np.random.default_rng((optimisation.seed, evaluation))
            centre = space.point(self._values[evaluation])
            shifts = rng.uniform(-NEIGHBOURS, NEIGHBOURS, (optimisation.checks, space.size))
            shifts[0] = 0.0
            ended = {row["seed"] for row in self.checks(evaluation)}
            for k, shift in enumerate(shifts):
                seed = optimisation.seeds + k
                if seed not in ended:
                    values = space.values(np.clip(centre + shift, 0.0, 1.0))
                    number = first + place * optimisation.checks + k
                    yield Job(number, evaluation, CHECK, values, seed)

    def _sample(self, values: Mapping[str, float], rows: Sequence[Row]) -> Sample:
        goal = self.optimisation.goal
        objective, excess = goal.objective(rows), goal.excess(rows)
        point = self.optimisation.space.point(values)
        return Sample(point, -objective if goal.maximise else objective, excess)
