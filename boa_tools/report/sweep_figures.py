# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The figures of a sweep: success, medians and spread over the varied keys. All varied keys of a
sweep at once: how much each decides, and every run as a line.
"""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from boa_description.arrays import Array
from boa_tools.evaluation.columns import COLUMNS, Column
from boa_tools.evaluation.spread import median, percentiles, success_rate
from boa_tools.report.style import LIMIT, TRUE, styled
from boa_tools.report.varied import Row, Runs, VariedKey, lines_over

ROW = 0.32  # inches, of a number in the map of importance
TALL = 4.0  # inches, of the parallel coordinates
MOST_RUNS = 2000  # that are drawn as lines; more would only blacken
WIDTH = 12.0  # inches
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


def importance(runs: Runs, key: VariedKey, values: Array) -> float:
    """Share of the variance of `values`, one for each run, that a key explains: the correlation
    ratio (first-order index of Sobol' for a complete design); NaN where nothing varies.
    """
    place = _places(runs, key)
    known = np.isfinite(values)
    total = float(np.var(values[known])) if known.any() else 0.0
    if total == 0.0:
        return float("nan")
    overall = float(values[known].mean())
    groups = [values[known & (place == at)] for at in np.unique(place)]
    between = sum(group.size * (group.mean() - overall) ** 2 for group in groups if group.size)
    return float(between / known.sum() / total)


def importance_figure(runs: Runs, columns: Sequence[Column]) -> Figure:
    """How much of what varies from run to run each key decides, for success and every column."""
    keys = [key for key in runs.keys if len(key.values) > 1]
    shown = [column for column in columns if median(runs.rows, column.key) is not None]
    names = ["success", *(column.name for column in shown)]
    table = np.array(
        [
            [importance(runs, key, values) for key in keys]
            for values in (_success(runs), *(_values(runs, column) for column in shown))
        ]
    )
    figure = Figure(figsize=(WIDTH, ROW * len(names) + 1.2), layout="constrained")
    axes = figure.subplots()
    mesh = axes.imshow(100 * table, vmin=0, vmax=100, cmap="Blues", aspect="auto")
    axes.set_xticks(range(len(keys)), [key.title for key in keys])
    axes.set_yticks(range(len(names)), names)
    axes.grid(visible=False)
    for row, line in enumerate(table):
        for at, share in enumerate(line):
            text = f"{100 * share:.0f} %" if np.isfinite(share) else "–"
            colour = "white" if share > 0.6 else "black"
            axes.annotate(text, (at, row), ha="center", va="center", color=colour, fontsize=9)
    figure.colorbar(mesh, label="variance explained (%)")
    return figure


def parallel_figure(runs: Runs, columns: Sequence[Column]) -> Figure:
    """Every run as a line over varied keys and what came of it; those without success orange."""
    keys = [key for key in runs.keys if len(key.values) > 1]
    shown = [column for column in columns if median(runs.rows, column.key) is not None]
    every = max(1, -(-len(runs.rows) // MOST_RUNS))
    stands = [
        *(_stand(_places(runs, key), key.logarithmic) for key in keys),
        *(_stand(_values(runs, column), logarithmic=False) for column in shown),
    ]
    lines = np.array([heights for heights, _ in stands]).T[::every]
    good = _success(runs)[::every] > 0
    figure = Figure(figsize=(WIDTH, TALL), layout="constrained")
    axes = figure.subplots()
    across = np.arange(len(stands))
    for which, colour in ((good, TRUE), (~good, LIMIT)):
        parts = [np.column_stack((across, line)) for line in lines[which]]
        faint = max(0.08, min(0.6, 40.0 / max(len(lines), 1)))
        axes.add_collection(LineCollection(parts, colors=colour, alpha=faint, linewidths=1.0))
    for at, (_, (low, high)) in enumerate(stands):
        axes.axvline(at, color="black", linewidth=0.8)
        key = keys[at] if at < len(keys) else None
        words = (f"{low:.3g}", f"{high:.3g}")
        if key is not None and not key.numeric:
            words = key.labels[0], key.labels[-1]
        for height, text in zip((0.0, 1.0), words, strict=True):
            shift = (3, 3 if height else -10)
            axes.annotate(text, (at, height), shift, textcoords="offset points", fontsize=8)
    names = [*(key.title for key in keys), *(column.title for column in shown)]
    axes.set_xticks(across, names, rotation=20, ha="right", fontsize=8)
    axes.set_yticks([])
    axes.set_xlim(-0.2, len(stands) - 0.5)
    axes.set_ylim(-0.08, 1.08)
    axes.grid(visible=False)
    return figure


def _stand(values: Array, logarithmic: bool) -> tuple[Array, tuple[float, float]]:
    """Heights of values between their least, 0, and largest, 1; and those two."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    scaled, least, most = (
        (np.log(values), np.log(low), np.log(high)) if logarithmic else (values, low, high)
    )
    span = most - least
    return (scaled - least) / span if span else 0.5 * np.ones_like(values), (low, high)


def _places(runs: Runs, key: VariedKey) -> Array:
    """Where each run is on the axis of a key."""
    order = {repr(value): place for value, place in zip(key.values, key.places, strict=True)}
    return np.array([order[repr(row[key.key])] for row in runs.rows])


def _values(runs: Runs, column: Column) -> Array:
    """A column of every run; NaN where it has none."""
    given = (row.get(column.key) for row in runs.rows)
    return column.factor * np.array([np.nan if one is None else float(one) for one in given])


def _success(runs: Runs) -> Array:
    return np.array([float(row["success"]) for row in runs.rows])
