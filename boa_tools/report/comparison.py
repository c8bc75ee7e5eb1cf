"""The report of a set of scenarios: one HTML page with bars and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from boa_control.scenario_set import Member, ScenarioSet
from boa_tools.compare import COLUMNS, Column, cell, outcome, value_of
from boa_tools.report.style import SERIES, WIDTH, png, styled
from boa_tools.report.template import filled

SHOWN = (
    "head_path_error_rms_m",
    "force_error_relative",
    "contact_lost_fraction",
    "form_closure_fraction",
)


def comparison_page(chosen: ScenarioSet, members: Sequence[Member], found: Mapping[str, dict[str, Any]]) -> str:
    """Return the page. `found`: metrics by the members' folders."""
    with styled():
        plot = png(bars(members, found))
    rows = [
        {
            "labels": member.labels,
            "cells": [cell(found[member.folder], column) for column in COLUMNS],
            "outcome": outcome(found[member.folder]),
            "completed": found[member.folder]["completed"],
        }
        for member in members
    ]
    return filled("comparison.html", chosen=chosen, columns=COLUMNS, rows=rows, plot=plot)


def bars(members: Sequence[Member], found: Mapping[str, dict[str, Any]]) -> Figure:
    """Bars of the main numbers: a group per variant of the first axis, a colour per combination of the others."""
    groups = list(dict.fromkeys(member.labels[0] for member in members))
    kinds = list(dict.fromkeys(member.labels[1:] for member in members))
    figure = Figure(figsize=(WIDTH, 6.4), layout="constrained")
    width = 0.8 / len(kinds)
    for axes, key in zip(figure.subplots(2, 2).flat, SHOWN, strict=True):
        column = _column(key)
        for member in members:
            values = found[member.folder]
            value = value_of(values, key)
            if value is None:
                continue
            kind = kinds.index(member.labels[1:])
            axes.bar(
                groups.index(member.labels[0]) + (kind - (len(kinds) - 1) / 2) * width,
                value * column.factor,
                width * 0.92,
                color=SERIES[kind % len(SERIES)],
                hatch=None if values["completed"] else "///",
                edgecolor="white",
                linewidth=0,
            )
        axes.set_title(column.title)
        axes.set_xticks(np.arange(len(groups)), groups)
        axes.grid(visible=False, axis="x")
    if kinds != [()]:
        handles = [Patch(color=SERIES[k % len(SERIES)], label=", ".join(kind)) for k, kind in enumerate(kinds)]
        figure.legend(handles=handles, loc="outside upper right", ncols=len(kinds))
    return figure


def _column(key: str) -> Column:
    return next(column for column in COLUMNS if column.key == key)
