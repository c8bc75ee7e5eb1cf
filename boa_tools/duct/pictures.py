# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures of gaits in a duct: the robot on its way, and criteria over two variables."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from boa_sim.duct.model import DUCTS, READINGS
from boa_sim.duct.run import LOG_PERIOD, DuctRun, contact_points
from boa_tools.duct.atlas import Sheet
from boa_tools.duct.chart import Chart
from boa_tools.duct.search import Evaluation
from boa_tools.duct.task import CRITERIA, UNITS, DuctTask
from boa_tools.report.style import LIMIT, POST, ROBOT, TRUE, styled

SNAPSHOTS = 6
WIDTH = 10.0  # inches


def draw_run(task: DuctTask, run: DuctRun) -> Figure:
    """The body at equal times, one below the other, and its centre of mass over time."""
    points = contact_points(READINGS[task.reading], run)
    shown = np.linspace(0, len(points) - 1, SNAPSHOTS).astype(int)
    half = DUCTS[task.width]
    with styled():
        figure = Figure(figsize=(WIDTH, 7.0), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(SNAPSHOTS + 1, 1, height_ratios=[*[1.0] * SNAPSHOTS, 2.2])
        low, high = points[..., 0].min() - 0.1, points[..., 0].max() + 0.1
        for axis, number in zip(axes, shown, strict=False):
            axis.fill_between([low, high], half, half + 0.03, color=POST)
            axis.fill_between([low, high], -half - 0.03, -half, color=POST)
            axis.plot(*points[number].T, color=ROBOT, lw=3, marker="o", ms=4)
            axis.plot(*points[number, -1], color=LIMIT, marker="o", ms=6)
            axis.set_xlim(low, high)
            axis.set_aspect("equal")
            axis.set_ylabel(f"{number * LOG_PERIOD:.1f} s", rotation=0, ha="right", va="center")
            axis.set_yticks([])
            axis.grid(visible=False)
        axes[SNAPSHOTS - 1].set_xlabel("x, m (orange: head)")
        axes[-1].plot(np.arange(len(points)) * LOG_PERIOD, run.centre[:, 0], color=TRUE)
        axes[-1].set_xlabel("time, s")
        axes[-1].set_ylabel("centre of mass, m")
    return figure


def draw_chart(charted: Chart) -> Figure:
    """The criterion in colours, white where runs were stopped, with the best marked."""
    with styled():
        figure = Figure(figsize=(7.5, 6.0), layout="constrained")
        FigureCanvasAgg(figure)
        _paint(figure, figure.subplots(), charted, charted.best)
    return figure


def draw_sheets(found: Sequence[Sheet]) -> Figure:
    """All maps, criteria below each other."""
    down = len(CRITERIA)
    across = len(found) // down
    with styled():
        figure = Figure(figsize=(3.6 * across, 3.2 * down), layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(down, across, sharex=True, sharey=True)
        for axes, sheet in zip(grid.T.flat, found, strict=True):
            _paint(figure, axes, sheet.chart, sheet.best.evaluation)
            axes.label_outer()
    return figure


def _paint(figure: Figure, axes: Axes, charted: Chart, best: Evaluation) -> None:
    task = charted.task
    one, two = task.space.variables
    mesh = axes.pcolormesh(charted.first, charted.second, charted.scores, cmap="viridis")
    figure.colorbar(mesh, ax=axes, label=f"{task.criterion}, {CRITERIA[task.criterion]}")
    axes.plot(
        best.values[one.name], best.values[two.name], "o", mfc="none", mec=LIMIT, mew=2, ms=10
    )
    axes.set_xlabel(f"{one.name}, {UNITS[one.name]}")
    axes.set_ylabel(f"{two.name}, {UNITS[two.name]}")
    axes.set_title(f"{task.width} duct, reading '{task.reading}'")
