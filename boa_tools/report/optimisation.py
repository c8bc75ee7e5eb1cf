# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The report of an optimisation: plots and one HTML page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boa_tools.evaluation.metric_table import description, shown
from boa_tools.optimisers.space import Space, Variable
from boa_tools.report.style import LIMIT, SECOND, TRUE, legend, styled
from boa_tools.report.template import filled

WIDTH = 12.0  # inches
HEIGHT = 3.4  # inches, of a row of charts
ACROSS = 3  # charts in a row
MOST_MAPS = 3  # pairs of variables
LISTED = 10  # evaluations on the page


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluated point.

    Attributes:
        number: in the order of the proposals.
        values: by key.
        objective: as the metric; NaN where it failed.
        excess: over each limit, in its unit; NaN where it failed.
        feasible: whether it keeps all limits.
    """

    number: int
    values: Mapping[str, float]
    objective: float
    excess: tuple[float, ...]
    feasible: bool


@dataclass(frozen=True, slots=True)
class Finalist:
    """One of the best, run again with neighbouring values and other seeds.

    Attributes:
        evaluation: how it came out first.
        median: of the objective over the repetitions; NaN where none has it.
        kept, total: repetitions within the limits, and all.
    """

    evaluation: Evaluation
    median: float
    kept: int
    total: int


def optimisation_figures(
    evaluations: Sequence[Evaluation],
    space: Space,
    units: Mapping[str, str | None],
    metric: str,
    maximise: bool,
) -> dict[str, Figure]:
    """Figures by name: the course, the objective over every variable, maps of pairs."""
    with styled():
        figures = {"course": _course(evaluations, metric, maximise)}
        figures["variables"] = _variables(evaluations, space, units, metric)
        if space.size > 1:
            figures["maps"] = _maps(evaluations, space, units, metric)
    return figures


def optimisation_page(
    name: str,
    summary: str,
    evaluations: Sequence[Evaluation],
    finalists: Sequence[Finalist],
    plots: Mapping[str, bytes],
    more: Mapping[str, Any],
    metric: str,
) -> str:
    """Return the page. `more`: `total` (evaluations of the whole), `yaml`, `limits` and `why_none`
    (why there are no finalists).
    """
    keys = list(evaluations[0].values)
    numbers = {finalist.evaluation.number: place for place, finalist in enumerate(finalists)}
    known = [e for e in evaluations if e.feasible]
    first = sorted(known, key=lambda e: numbers.get(e.number, len(numbers)))
    return filled(
        "optimisation.html",
        name=name,
        summary=summary,
        keys=keys,
        metric=description(metric).label,
        evaluated=len(evaluations),
        feasible=len(known),
        failed=sum(bool(np.isnan(e.objective)) for e in evaluations),
        finalists=[
            {
                "values": [_text(f.evaluation.values[key]) for key in keys],
                "objective": shown(metric, f.evaluation.objective),
                "median": shown(metric, None if np.isnan(f.median) else f.median),
                "kept": f"{f.kept} of {f.total}",
                "good": f.kept == f.total > 0,
            }
            for f in finalists
        ],
        rows=[
            {
                "number": e.number,
                "values": [_text(e.values[key]) for key in keys],
                "objective": shown(metric, e.objective),
                "excess": [f"{-excess:.3g}" for excess in e.excess],
            }
            for e in first[:LISTED]
        ],
        plots=plots,
        **more,
    )


def _text(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def _course(evaluations: Sequence[Evaluation], metric: str, maximise: bool) -> Figure:
    """Objective of every evaluation, and the best within the limits so far."""
    figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
    axes = figure.subplots()
    evaluations = sorted(evaluations, key=lambda e: e.number)
    places = np.array([e.number for e in evaluations])
    _dots(axes, evaluations, places, metric)
    known = np.array([e.objective if e.feasible else np.nan for e in evaluations])
    best = (np.fmax if maximise else np.fmin).accumulate(description(metric).factor * known)
    axes.step(places, best, where="post", color=SECOND, label="best so far")
    axes.set_xlabel("evaluation")
    legend(axes)
    return figure


def _variables(
    evaluations: Sequence[Evaluation], space: Space, units: Mapping[str, str | None], metric: str
) -> Figure:
    """Objective over each variable."""
    down = -(-space.size // ACROSS)
    figure = Figure(figsize=(WIDTH, HEIGHT * down), layout="constrained")
    grid = list(figure.subplots(down, ACROSS, squeeze=False).flat)
    for axes, variable in zip(grid, space.variables, strict=False):
        _dots(axes, evaluations, np.array([e.values[variable.name] for e in evaluations]), metric)
        axes.set_xlabel(_label(variable.name, units))
        _scale(axes, variable, "x")
    for axes in grid[space.size :]:
        axes.set_visible(False)
    return figure


def _dots(axes: Axes, evaluations: Sequence[Evaluation], places: Any, metric: str) -> None:
    how = description(metric)
    objective = how.factor * np.array([e.objective for e in evaluations])
    feasible = np.array([e.feasible for e in evaluations])
    failed = np.isnan(objective)
    outside = ~feasible & ~failed
    axes.plot(places[feasible], objective[feasible], "o", color=TRUE, label="within the limits")
    if outside.any():
        axes.plot(
            places[outside], objective[outside], "o", color=LIMIT, fillstyle="none", label="outside"
        )
    if failed.any():
        low = axes.get_ylim()[0]
        axes.plot(places[failed], np.full(failed.sum(), low), "x", color=LIMIT, label="failed")
    if failed.all():
        axes.set_yticks([])  # crosses have no value
    axes.set_ylabel(f"{how.label} ({how.unit})" if how.unit else how.label)


def _maps(
    evaluations: Sequence[Evaluation], space: Space, units: Mapping[str, str | None], metric: str
) -> Figure:
    """Where the evaluations were, for pairs of variables; colour: objective."""
    pairs = list(combinations(space.variables, 2))[:MOST_MAPS]
    figure = Figure(figsize=(WIDTH, 1.1 * HEIGHT), layout="constrained")
    grid = list(figure.subplots(1, max(2, len(pairs)), squeeze=False).flat)
    how = description(metric)
    for axes, (first, second) in zip(grid, pairs, strict=False):
        x, y = (
            np.array([e.values[variable.name] for e in evaluations]) for variable in (first, second)
        )
        objective = how.factor * np.array([e.objective for e in evaluations])
        feasible = np.array([e.feasible for e in evaluations])
        axes.plot(x[~feasible], y[~feasible], "x", color=LIMIT, markersize=4)
        dots = axes.scatter(x[feasible], y[feasible], c=objective[feasible], zorder=3)
        if feasible.any():
            figure.colorbar(dots, ax=axes, label=f"{how.label} ({how.unit})")
        axes.set_xlabel(_label(first.name, units))
        axes.set_ylabel(_label(second.name, units))
        _scale(axes, first, "x")
        _scale(axes, second, "y")
    for axes in grid[len(pairs) :]:
        axes.set_visible(False)
    return figure


def _scale(axes: Axes, variable: Variable, axis: str) -> None:
    if variable.log:
        (axes.set_xscale if axis == "x" else axes.set_yscale)("log")
    width = 0.0 if variable.log else 0.03 * (variable.high - variable.low)
    ends = (variable.low - width, variable.high + width)
    if axis == "x":
        axes.set_xlim(*ends)
    else:
        axes.set_ylim(*ends)


def _label(name: str, units: Mapping[str, str | None]) -> str:
    short, unit = name.rpartition(".")[2], units.get(name)
    return f"{short} ({unit})" if unit and unit != "1" else short
