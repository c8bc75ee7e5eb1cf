# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The report of a set with many seeds: one HTML page with bars and a table, and the table as text
and as Markdown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from boa_control.experiments.scenario_set import Member, ScenarioSet
from boa_tools.evaluation.columns import Column, aligned
from boa_tools.evaluation.metric_table import UNKNOWN
from boa_tools.evaluation.spread import percentiles
from boa_tools.report.style import SERIES, styled
from boa_tools.report.template import filled
from boa_tools.report.varied import Row

BARS = "bars"  # name of the chart
WIDTH = 12.0  # inches
ACROSS = 2  # charts in a row
HEIGHT = 2.7  # inches, of a chart
GROUP = 0.8  # width of a group of bars; the distance between groups is 1
LETTERS = 90  # that have room below a chart
LOW = 0.015  # of the largest value; a bar below this is not to be seen
WIDE = 30.0  # largest value by median of its chart, from which on the scale is logarithmic
REFUSED = "refused"
REACHED, RAN, COMPLETED = "goal reached", "ran its time", "completed"  # COMPLETED: either
SMALL, LARGE = 5e-4, 100.0  # numbers below are shown as 0, from there on as whole ones


@dataclass(frozen=True, slots=True)
class Spread:
    """The runs of a set.

    Attributes:
        chosen, members: the set.
        rows: one per run, with a column for each axis.
        refusals: what controllers said instead of running, by folder of the member.
        columns: metrics that are shown.
    """

    chosen: ScenarioSet
    members: Sequence[Member]
    rows: Sequence[Row]
    refusals: Mapping[str, str]
    columns: Sequence[Column]

    def at(self, member: Member) -> list[Row]:
        """The runs of a member that left a result."""
        axes = self.chosen.set.vary
        return [
            row
            for row in self.rows
            if row["error"] is None
            and all(row[axis] == label for axis, label in zip(axes, member.labels, strict=True))
        ]

    def about(self, member: Member) -> str:
        """Notes for the reader on a member's variants."""
        known = self.chosen.set.about
        said = (
            known.get(axis, {}).get(label)
            for axis, label in zip(self.chosen.set.vary, member.labels, strict=True)
        )
        return "; ".join(text for text in said if text)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table.

    Attributes:
        labels: of the member.
        completed: how many of its runs were, of how many; what else there is in words.
        cells: median and range of every column.
        good: whether that is true of all of them.
    """

    labels: tuple[str, ...]
    completed: str
    cells: tuple[str, ...]
    good: bool


def lines(spread: Spread) -> list[Line]:
    """The table, a line per member."""
    table = []
    for member in spread.members:
        if member.folder in spread.refusals:
            table.append(Line(member.labels, REFUSED, ("",) * len(spread.columns), good=False))
            continue
        rows = spread.at(member)
        done = sum(row["completed"] for row in rows)
        cells = tuple(_cell(rows, column) for column in spread.columns)
        table.append(Line(member.labels, f"{done} of {len(rows)}", cells, done == len(rows) > 0))
    return table


def completed_heading(spread: Spread) -> str:
    """What it means for these runs that they were completed, over their number."""
    goals = {
        member.scenario.has_goal
        for member in spread.members
        if member.folder not in spread.refusals
    }
    return {frozenset({True}): REACHED, frozenset({False}): RAN}.get(frozenset(goals), COMPLETED)


def _cell(rows: Sequence[Row], column: Column) -> str:
    """Median and, where they differ, least and largest value."""
    least, _, middle, _, most = column.factor * percentiles(rows, column.key)
    if not np.isfinite(middle):
        return UNKNOWN
    low, high = _number(least), _number(most)
    return low if low == high else f"{_number(middle)} ({low} to {high})"


def _number(value: float) -> str:
    """Three digits, without powers of ten."""
    if abs(value) < SMALL:
        return "0"
    return f"{value:.0f}" if abs(value) >= LARGE else f"{value:.3g}"


def _heads(spread: Spread, columns: Sequence[str]) -> list[str]:
    return [*spread.chosen.set.vary, completed_heading(spread), *columns]


def spread_table(spread: Spread) -> str:
    """The table as text, with what refused controllers said below it."""
    heads = _heads(spread, [column.heading for column in spread.columns])
    body = [[*line.labels, line.completed, *line.cells] for line in lines(spread)]
    text = aligned((heads, *body))
    return "\n".join([*text, *(f"{name}: {said}" for name, said in spread.refusals.items())])


def spread_markdown(spread: Spread) -> str:
    """The table as Markdown, with titles instead of headings."""
    heads = _heads(spread, [column.title for column in spread.columns])
    body = [[*line.labels, line.completed, *line.cells] for line in lines(spread)]
    rows = (heads, ["---"] * len(heads), *body)
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


def spread_page(spread: Spread, plot: bytes) -> str:
    """Return the page; `plot`: its `bars` as PNG."""
    axes = spread.chosen.set.vary
    return filled(
        "set_spread.html",
        chosen=spread.chosen,
        columns=spread.columns,
        heading=completed_heading(spread),
        lines=lines(spread),
        about={
            axis: spread.chosen.set.about[axis] for axis in axes if axis in spread.chosen.set.about
        },
        refusals=spread.refusals,
        ended=_endings(spread),
        plot=plot,
        seeds=len({row["seed"] for row in spread.rows}),
        hours=sum(row["seconds"] or 0.0 for row in spread.rows) / 3600,
        versions=sorted({row["version"] for row in spread.rows if row["version"]}),
    )


def _endings(spread: Spread) -> list[tuple[str, int, str]]:
    """Runs that were not completed: member, seed and what ended them."""
    return [
        (member.folder, row["seed"], row["outcome"])
        for member in spread.members
        for row in spread.at(member)
        if not row["completed"]
    ]


def spread_figures(spread: Spread) -> dict[str, Figure]:
    """The chart by its name."""
    with styled():
        return {BARS: bars(spread)}


def bars(spread: Spread) -> Figure:
    """A chart per column: groups by the first axis, colours by combination of the others; bars are
    medians, whiskers go from the least to the largest value. Medians too low to be seen are told.
    """
    groups = list(dict.fromkeys(member.labels[0] for member in spread.members))
    kinds = list(dict.fromkeys(member.labels[1:] for member in spread.members))
    down = -(-len(spread.columns) // ACROSS)
    figure = Figure(figsize=(WIDTH, HEIGHT * down + 0.4), layout="constrained")
    grid = list(figure.subplots(down, ACROSS, squeeze=False).flat)
    for axes, column in zip(grid, spread.columns, strict=False):
        low = _scale(axes, spread, column)
        for member in spread.members:
            group, kind = groups.index(member.labels[0]), kinds.index(member.labels[1:])
            _bar(axes, (group, kind, len(kinds)), spread, member, column, low)
        axes.set_title(column.title)
        axes.set_xlim(-0.5, len(groups) - 0.5)
        axes.set_xticks(np.arange(len(groups)), [group.replace("_", " ") for group in groups])
        crowded = len(groups) * max(map(len, groups)) > LETTERS
        axes.tick_params(axis="x", labelsize=8, rotation=20 if crowded else 0)
        axes.grid(visible=False, axis="x")
    for axes in grid[len(spread.columns) :]:
        axes.set_visible(False)
    handles = [
        Patch(color=SERIES[k % len(SERIES)], label=", ".join(kind).replace("_", " "))
        for k, kind in enumerate(kinds)
        if kind
    ]
    if handles:
        figure.legend(handles=handles, loc="outside upper right", ncols=len(handles))
    return figure


def _bar(
    axes: Axes,
    place: tuple[int, int, int],
    spread: Spread,
    member: Member,
    column: Column,
    low: float,
) -> None:
    """One bar with its whiskers at (group, kind, kinds); a word where there is none, the number
    where it is not above `low`.
    """
    group, kind, kinds = place
    width = GROUP / kinds
    at, colour = group + (kind - (kinds - 1) / 2) * width, SERIES[kind % len(SERIES)]
    rows = spread.at(member)
    least, _, middle, _, most = column.factor * percentiles(rows, column.key)
    if not np.isfinite(middle) or 0.0 <= middle <= low:
        none = REFUSED if member.folder in spread.refusals else UNKNOWN
        axes.annotate(
            f"{middle:.1g}" if np.isfinite(middle) else none,
            (at, 0.0),
            (0, 3),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            color=colour,
            ha="center",
            rotation=90,
            fontsize=8,
        )
        return
    hatch = None if all(row["completed"] for row in rows) else "///"
    axes.bar(at, middle, 0.92 * width, color=colour, hatch=hatch, edgecolor="white", linewidth=0)
    axes.plot([at, at], [least, most], color="black", linewidth=1.0, solid_capstyle="butt")


def _scale(axes: Axes, spread: Spread, column: Column) -> float:
    """Take a logarithmic scale where some values are very much larger than most and none is
    negative; return up to which value a bar is not to be seen.
    """
    known = [
        column.factor * row[column.key] for row in spread.rows if row.get(column.key) is not None
    ]
    above = [value for value in known if value > 0]
    if above and min(known) >= 0 and max(above) > WIDE * float(np.median(above)):
        axes.set_yscale("log")
        return 0.0
    return LOW * max(known, default=0.0)
