# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Criteria over two variables of the gait, on a grid. The best gaits of both ducts, in both
readings, by both criteria, each with its map.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_sim.duct.model import DUCTS, READINGS, DuctGait
from boa_tools.duct.search import Evaluation, Finalist, finalists, judged
from boa_tools.duct.task import CRITERIA, DuctTask, variable
from boa_tools.optimisers.space import Space, Variable

AXES = ("amplitude", "delay")
MAPS = len(DUCTS) * len(READINGS) * len(CRITERIA)
FINE = 9  # gaits along each variable, between the neighbours of the best one of a map
SEED = 0  # of the gaits beside the finalists


@dataclass(frozen=True, slots=True)
class Sheet:
    """One map.

    Attributes:
        chart: of the whole space.
        best: of the map and of a finer grid around its best gait; the one with the best median.
    """

    chart: Chart
    best: Finalist

    @property
    def whole(self) -> float:
        """Share of the gaits that no limit stopped."""
        every = self.chart.all
        return sum(not each.stopped for each in every) / len(every)


def sheets(points: int, told: Callable[[str], None]) -> list[Sheet]:
    """Map the ducts with `points` by `points` gaits.

    Args:
        told: called with a word about each map that is done.

    Raises:
        BoaError: a single gait is no map.
    """
    if points < 2:
        raise BoaError(f"--points {points}: a map takes at least 2 gaits along each variable")
    found = []
    for width in DUCTS:
        for reading in READINGS:
            space = Space(tuple(map(variable, AXES)))
            task = DuctTask(width, reading, next(iter(CRITERIA)), space, DuctGait())
            for charted in charts(task, points, lambda _: None).values():
                found.append(sheet(charted))
                told(f"{width}, {reading}, {charted.task.criterion}")
    return found


def sheet(charted: Chart, fine: int = FINE) -> Sheet:
    """Search on around the best gait of a map, with `fine` by `fine` gaits."""
    task = charted.task
    near = charts(replace(task, space=around_best(charted)), fine, lambda _: None)
    known = [*charted.all, *near[task.criterion].all]
    return Sheet(charted, finalists(task, known, SEED)[0])


def table(found: list[Sheet]) -> str:
    """Markdown for people: the best gait of every map."""
    rows = [
        "| duct | reading | criterion | best | median with neighbours | amplitude, delay (rad) "
        "| wall, largest (N) | not stopped |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for each in found:
        task, best = each.chart.task, each.best.evaluation
        unit = CRITERIA[task.criterion]
        amplitude, delay = (best.values[name] for name in AXES)
        rows.append(
            f"| {task.width} | {task.reading} | {task.criterion} | {best.score:.3g} {unit} "
            f"| {each.best.median:.3g} {unit} | {amplitude:.3f}, {delay:.3f} "
            f"| {best.force_peak:.1f} | {each.whole:.0%} |"
        )
    return "\n".join(rows) + "\n"


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
