# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The best gaits of both ducts, in both readings, by both criteria, each with its map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from boa_description.errors import BoaError
from boa_sim.duct.model import DUCTS, READINGS, DuctGait
from boa_tools.duct.chart import Chart, around_best, charts
from boa_tools.duct.search import Finalist, finalists
from boa_tools.duct.task import CRITERIA, DuctTask, variable
from boa_tools.optimisers.space import Space

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
