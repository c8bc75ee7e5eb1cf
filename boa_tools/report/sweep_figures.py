# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The figures of a sweep: success, medians and spread over the varied keys."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boa_description.arrays import Array
from boa_tools.evaluation.columns import COLUMNS, Column
from boa_tools.evaluation.spread import median, percentiles, success_rate
from boa_tools.report.style import styled
from boa_tools.report.sweep_overview import WIDTH, importance_figure, parallel_figure
from boa_tools.report.varied import Row, Runs, VariedKey, lines_over

ACROSS = 3  # charts in a row
HEIGHT = 2.5  # inches, of a chart
PER_CENT = (0.0, 100.0)
MAP_SIDE = 3  # values of a key that are worth a map


def sweep_figures(runs: Runs, columns: Sequence[Column] = COLUMNS) -> dict[str, Figure]:
    """Figures by name: one for each varied key, one of what they decide, one with every run, and
    maps for each pair of numeric keys with at least three values.
    """
    figures: dict[str, Figure] = {}
    with styled():
        for key in runs.keys:
            if len(key.values) > 1:
                figures[f"over_{key.key}"] = spread_figure(runs, key, columns)
        if any(len(key.values) > 1 for key in runs.keys):
            figures["importance"] = importance_figure(runs, columns)
            figures["parallel"] = parallel_figure(runs, columns)
        wide = [key for key in runs.keys if key.numeric and len(key.values) >= MAP_SIDE]
        for place, first in enumerate(wide):
            for second in wide[place + 1 :]:
                name = f"map_{first.key}_and_{second.key}"
                figures[name] = maps_figure(runs, first, second, columns)
    return figures


def spread_figure(runs: Runs, chosen: VariedKey, columns: Sequence[Column]) -> Figure:
    """Success rate and every column over one varied key: medians with the quartiles behind them,
    a line for each combination of the other keys.
    """
    lines = lines_over(runs.keys, chosen)
    figure, charts, shown = _charts(runs, columns, HEIGHT)
    for line in lines:
        cells = [runs.at({**line.point, chosen.key: value}) for value in chosen.values]
        _rates(charts[0], cells, chosen, line.colour, line.label)
        for axes, column in zip(charts[1:], shown, strict=True):
            _medians(axes, cells, chosen, column, line.colour)
    for axes in charts:
        _along(axes, chosen)
    if lines[0].label:
        figure.legend(loc="outside upper right", ncols=3)
    return figure


def maps_figure(
    runs: Runs, first: VariedKey, second: VariedKey, columns: Sequence[Column]
) -> Figure:
    """Success rate and medians of every column over two numeric keys, as coloured maps."""
    figure, charts, shown = _charts(runs, columns, 1.15 * HEIGHT)
    cells = [[runs.at({first.key: x, second.key: y}) for x in first.values] for y in second.values]
    rates = np.array([[100 * success_rate(here).share for here in line] for line in cells])
    _map(figure, charts[0], (first, second), rates, "success (%)")
    for axes, column in zip(charts[1:], shown, strict=True):
        middle = np.array([[percentiles(here, column.key)[2] for here in line] for line in cells])
        _map(figure, axes, (first, second), column.factor * middle, column.title)
    return figure


def _charts(
    runs: Runs, columns: Sequence[Column], height: float
) -> tuple[Figure, list[Axes], list[Column]]:
    """A figure with a chart for the success rate and one for each column that any run has."""
    shown = [column for column in columns if median(runs.rows, column.key) is not None]
    down = -(-(1 + len(shown)) // ACROSS)
    figure = Figure(figsize=(WIDTH, height * down + 0.5), layout="constrained")
    grid = list(figure.subplots(down, ACROSS, squeeze=False).flat)
    for axes in grid[1 + len(shown) :]:
        axes.set_visible(False)
    return figure, grid[: 1 + len(shown)], shown


def _rates(
    axes: Axes, cells: Sequence[Sequence[Row]], key: VariedKey, colour: str, label: str
) -> None:
    rates = [success_rate(here) for here in cells]
    share, low, high = (
        100 * np.array([getattr(rate, part) for rate in rates]) for part in ("share", "low", "high")
    )
    axes.fill_between(key.places, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.plot(key.places, share, "o-", color=colour, markersize=4, label=label, clip_on=False)
    axes.set_title("success (%)")
    axes.set_ylim(*PER_CENT)


def _medians(
    axes: Axes, cells: Sequence[Sequence[Row]], key: VariedKey, column: Column, colour: str
) -> None:
    table = np.array([percentiles(here, column.key) for here in cells])
    least, low, middle, high, most = column.factor * table.T
    axes.fill_between(key.places, low, high, color=colour, alpha=0.25, linewidth=0)
    axes.plot(key.places, middle, "o-", color=colour, markersize=4, clip_on=False)
    for end in (least, most):
        axes.plot(key.places, end, color=colour, linewidth=0.7, linestyle=":")
    axes.set_title(column.title)
    if column.share:
        axes.set_ylim(*PER_CENT)


def _along(axes: Axes, key: VariedKey) -> None:
    if key.logarithmic:
        axes.set_xscale("log")
    if not key.numeric:
        axes.set_xticks(key.places, key.labels)
    axes.set_xlabel(key.title)


def _map(
    figure: Figure, axes: Axes, keys: tuple[VariedKey, VariedKey], values: Array, title: str
) -> None:
    mesh = axes.pcolormesh(keys[0].places, keys[1].places, values, shading="nearest")
    figure.colorbar(mesh, ax=axes)
    axes.set_title(title)
    axes.grid(visible=False)
    axes.set_xlabel(keys[0].title)
    axes.set_ylabel(keys[1].title)
    if keys[0].logarithmic:
        axes.set_xscale("log")
    if keys[1].logarithmic:
        axes.set_yscale("log")
