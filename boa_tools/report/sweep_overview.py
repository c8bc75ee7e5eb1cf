# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""All varied keys of a sweep at once: how much each decides, and every run as a line."""

from collections.abc import Sequence

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from boa_description.arrays import Array
from boa_tools.evaluation.columns import Column
from boa_tools.evaluation.spread import median
from boa_tools.report.style import LIMIT, TRUE
from boa_tools.report.varied import Runs, VariedKey

ROW = 0.32  # inches, of a number in the map of importance
TALL = 4.0  # inches, of the parallel coordinates
MOST_RUNS = 2000  # that are drawn as lines; more would only blacken
WIDTH = 12.0  # inches


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
