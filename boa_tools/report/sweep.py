# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The report of a sweep: one HTML page, and a table as text."""

from collections.abc import Mapping, Sequence
from typing import Any

from boa_tools.evaluation.columns import COLUMNS, Column, aligned, cell
from boa_tools.evaluation.spread import median, success_rate
from boa_tools.report.interactive.many_runs import as_script, sweep_data
from boa_tools.report.template import can_move, filled
from boa_tools.report.varied import Point, Row, Runs, points

LISTED = 200  # runs without success that the page lists


def sweep_page(
    name: str,
    summary: str,
    runs: Runs,
    plots: Mapping[str, bytes],
    more: Mapping[str, Any],
    columns: Sequence[Column] = COLUMNS,
) -> str:
    """Return the page. `more`: `total` (runs of the whole sweep) and `yaml` (base scenario)."""
    curves = sweep_data(runs, columns) if can_move() else {}
    curves = {name: curve for name, curve in curves.items() if name in plots}
    troubled = [row for row in runs.rows if not row["success"]]
    return filled(
        "sweep.html",
        name=name,
        summary=summary,
        keys=runs.keys,
        columns=columns,
        table=[_line(runs, point, columns) for point in points(runs.keys)],
        plots=plots,
        curves=curves,
        data=as_script(curves) if curves else None,
        ended=len(runs.rows),
        troubled=[_trouble(runs, row) for row in troubled[:LISTED]],
        troubles=len(troubled),
        hours=sum(row["seconds"] or 0.0 for row in runs.rows) / 3600,
        versions=sorted({row["version"] for row in runs.rows if row["version"]}),
        hosts=sorted({row["host"] for row in runs.rows if row["host"]}),
        **more,
    )


def sweep_table(runs: Runs, columns: Sequence[Column] = COLUMNS) -> str:
    """The medians as text: a line for each combination."""
    heads = [key.key.rpartition(".")[2] for key in runs.keys]
    lines = [[*heads, "success", *(column.heading for column in columns)]]
    for point in points(runs.keys):
        line = _line(runs, point, columns)
        lines.append([*line["values"], line["success"], *line["cells"]])
    return "\n".join(aligned(lines, ">"))


def _line(runs: Runs, point: Point, columns: Sequence[Column]) -> dict[str, Any]:
    """One combination: its values, success rate and medians."""
    here = runs.at(point)
    rate = success_rate(here)
    middle = {column.key: median(here, column.key) for column in columns}
    return {
        "values": [key.label(point[key.key]) for key in runs.keys],
        "success": f"{rate.count}/{rate.total}",
        "good": rate.count == rate.total > 0,
        "cells": [cell(middle, column) for column in columns],
    }


def _trouble(runs: Runs, row: Row) -> dict[str, Any]:
    """One run without success."""
    return {
        "run": row["run"],
        "values": [key.label(row[key.key]) for key in runs.keys],
        "seed": row["seed"],
        "outcome": row["error"] or row["outcome"],
    }
