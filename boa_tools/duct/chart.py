# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Criteria over two variables of the gait, on a grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from boa_description.arrays import Array
from boa_tools.duct.search import Evaluation, judged
from boa_tools.duct.task import CRITERIA, DuctTask
from boa_tools.optimisers.space import Space, Variable


@dataclass(frozen=True, slots=True)
class Chart:
    """Attributes:
    task: the question that it answers.
    first, second: values of the two variables, shapes (k,) and (m,).
    evaluations: by rows of the second variable, k in each.
    """

    task: DuctTask
    first: Array
    second: Array
    evaluations: tuple[tuple[Evaluation, ...], ...]

    @property
    def scores(self) -> Array:
        """Shape (m, k); NaN where a run was stopped."""
        return np.array(
            [[np.nan if e.stopped else e.score for e in row] for row in self.evaluations]
        )

    @property
    def all(self) -> list[Evaluation]:
        """Row by row."""
        return [each for row in self.evaluations for each in row]

    @property
    def best(self) -> Evaluation:
        """The gait with the highest score."""
        return max(self.all, key=lambda each: each.score)

    @property
    def csv(self) -> str:
        """A line per gait."""
        names = [variable.name for variable in self.task.space.variables]
        lines = [",".join((*names, self.task.criterion, "end", "energy_j", "force_peak_n"))]
        for each in self.all:
            values = [f"{each.values[name]:.6g}" for name in names]
            rest = [f"{each.score:.6g}", each.end, f"{each.energy:.6g}", f"{each.force_peak:.6g}"]
            lines.append(",".join(values + rest))
        return "\n".join(lines) + "\n"


def charts(task: DuctTask, points: int, told: Callable[[int], None]) -> dict[str, Chart]:
    """Run a grid of `points` by `points` over both variables of the task, and judge every run by
    each criterion.

    Args:
        told: called with the number of runs so far.

    Returns:
        A chart by criterion.
    """
    one, two = task.space.variables
    first = np.linspace(one.low, one.high, points)
    second = np.linspace(two.low, two.high, points)
    tasks = {criterion: replace(task, criterion=criterion) for criterion in CRITERIA}
    rows: dict[str, list[tuple[Evaluation, ...]]] = {criterion: [] for criterion in CRITERIA}
    for number, y in enumerate(second, start=1):
        grid = [{one.name: float(x), two.name: float(y)} for x in first]
        runs = [task.run(values) for values in grid]
        for criterion, each in tasks.items():
            rows[criterion].append(
                tuple(judged(each, v, run) for v, run in zip(grid, runs, strict=True))
            )
        told(number * points)
    return {c: Chart(tasks[c], first, second, tuple(rows[c])) for c in CRITERIA}


def around_best(charted: Chart) -> Space:
    """Both variables from the neighbour below the best gait of a chart to the one above it."""
    best = charted.best.values
    ends = []
    for axis, values in zip(
        charted.task.space.variables, (charted.first, charted.second), strict=True
    ):
        at = int(np.argmin(np.abs(values - best[axis.name])))
        low, high = values[max(at - 1, 0)], values[min(at + 1, len(values) - 1)]
        ends.append(Variable(axis.name, float(low), float(high)))
    return Space(tuple(ends))
