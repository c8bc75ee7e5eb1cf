# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The report of a set of scenarios: one HTML page with bars and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from boa_control.experiments.scenario_set import Member, ScenarioSet
from boa_tools.evaluation.columns import COLUMNS, Column, cell, value_of
from boa_tools.evaluation.metric_table import UNKNOWN
from boa_tools.evaluation.verdict import outcome, troubles
from boa_tools.report.interactive.many_runs import as_script, set_data
from boa_tools.report.style import SERIES, png, styled
from boa_tools.report.template import can_move, filled

WIDTH = 12.0  # inches; the page is wide
ACROSS = 3  # charts in a row
HEIGHT = 2.4  # inches, of a chart
GROUP = 0.8  # width of a group of bars; the distance between groups is 1
LOW = 0.015  # of the highest bar; one below this is not to be seen
LETTERS = 60  # that have room below a chart


def comparison_page(
    chosen: ScenarioSet, members: Sequence[Member], by_folder: Mapping[str, dict[str, Any]]
) -> str:
    """Return the page. `by_folder`: metrics by the members' folders."""
    with styled():
        plot = png(bars(members, by_folder))
    rows = [
        {
            "labels": member.labels,
            "cells": [cell(values, column) for column in COLUMNS],
            "outcome": outcome(values),
            "good": values["completed"] and not troubles(values),
        }
        for member in members
        for values in (by_folder[member.folder],)
    ]
    data = as_script(set_data(list(chosen.set.vary), members, by_folder)) if can_move() else None
    return filled(
        "comparison.html", chosen=chosen, columns=COLUMNS, rows=rows, plot=plot, data=data
    )


def bars(members: Sequence[Member], by_folder: Mapping[str, dict[str, Any]]) -> Figure:
    """A chart per column: groups by the first axis, colours by combination of the others."""
    groups = list(dict.fromkeys(member.labels[0] for member in members))
    kinds = list(dict.fromkeys(member.labels[1:] for member in members))
    across, down = ACROSS, -(-len(COLUMNS) // ACROSS)
    figure = Figure(figsize=(WIDTH, HEIGHT * down + 0.4), layout="constrained")
    grid = list(figure.subplots(down, across, squeeze=False).flat)
    for axes, column in zip(grid, COLUMNS, strict=False):
        high = max(value_of(by_folder[member.folder], column.key) or 0.0 for member in members)
        for member in members:
            group, kind = groups.index(member.labels[0]), kinds.index(member.labels[1:])
            _bar(axes, (group, kind, len(kinds)), column, by_folder[member.folder], LOW * high)
        axes.set_title(column.title)
        axes.set_xlim(-0.5, len(groups) - 0.5)
        axes.set_ylim(0.0, 1.05 * column.factor * high or 1.0)
        axes.set_xticks(np.arange(len(groups)), groups, fontsize=8)
        if len(groups) * max(map(len, groups)) > LETTERS:
            axes.tick_params(axis="x", rotation=20)
        axes.grid(visible=False, axis="x")
    for axes in grid[len(COLUMNS) :]:
        axes.set_visible(False)
    if kinds != [()]:
        handles = [
            Patch(color=SERIES[k % len(SERIES)], label=", ".join(kind))
            for k, kind in enumerate(kinds)
        ]
        figure.legend(handles=handles, loc="outside upper right", ncols=len(kinds))
    return figure


def _bar(
    axes: Axes, place: tuple[int, int, int], column: Column, values: Mapping[str, Any], low: float
) -> None:
    """One bar at (group, kind, kinds); the number itself, or a dash for none, where a bar up to
    `low` shows nothing.
    """
    group, kind, kinds = place
    width = GROUP / kinds
    at, colour = group + (kind - (kinds - 1) / 2) * width, SERIES[kind % len(SERIES)]
    value = value_of(values, column.key)
    if value is None or value <= low:
        text = UNKNOWN if value is None else f"{value * column.factor:.1g}"
        axes.annotate(
            text,
            (at, 0.0),
            (0, 3),
            textcoords="offset points",
            color=colour,
            ha="center",
            fontsize=8,
        )
        return
    hatch = None if values["completed"] else "///"
    axes.bar(
        at,
        value * column.factor,
        0.92 * width,
        color=colour,
        hatch=hatch,
        edgecolor="white",
        linewidth=0,
    )
