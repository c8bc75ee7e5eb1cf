"""A criterion over two variables of the gait, on a grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from boa_description.arrays import Array
from boa_tools.duct.search import Evaluation, evaluate
from boa_tools.duct.task import DuctTask


@dataclass(frozen=True, slots=True)
class Chart:
    """Attributes:
    first, second: values of the two variables, shapes (k,) and (m,).
    evaluations: by rows of the second variable, k in each.
    """

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
    def best(self) -> Evaluation:
        """The gait with the highest score."""
        return max((e for row in self.evaluations for e in row), key=lambda e: e.score)


def chart(task: DuctTask, points: int, told: Callable[[int], None]) -> Chart:
    """Evaluate a grid of `points` by `points` over both variables of the task."""
    one, two = task.space.variables
    first = np.linspace(one.low, one.high, points)
    second = np.linspace(two.low, two.high, points)
    rows = []
    for number, y in enumerate(second, start=1):
        rows.append(tuple(evaluate(task, {one.name: float(x), two.name: float(y)}) for x in first))
        told(number * points)
    return Chart(first, second, tuple(rows))
