# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The report of a set of scenarios: one HTML page with bars and a table."""

from collections.abc import Mapping, Sequence
from typing import Any

from boa_control.experiments.scenario_set import Member, ScenarioSet
from boa_tools.evaluation.columns import COLUMNS, cell, known, value_of
from boa_tools.evaluation.verdict import outcome, troubles
from boa_tools.report.interactive.many_runs import as_script, set_data
from boa_tools.report.set_spread import Spread
from boa_tools.report.template import can_move, filled


def comparison_page(
    chosen: ScenarioSet,
    members: Sequence[Member],
    by_folder: Mapping[str, dict[str, Any]],
    plot: bytes,
) -> str:
    """Return the page. `by_folder`: metrics by the members' folders; `plot`: bars as PNG."""
    columns = known(by_folder.values())
    rows = [
        {
            "labels": member.labels,
            "cells": [cell(values, column) for column in columns],
            "outcome": outcome(values),
            "good": values["completed"] and not troubles(values),
        }
        for member in members
        for values in (by_folder[member.folder],)
    ]
    data = as_script(set_data(list(chosen.set.vary), members, by_folder)) if can_move() else None
    return filled(
        "comparison.html", chosen=chosen, columns=columns, rows=rows, plot=plot, data=data
    )


def spread_of(
    chosen: ScenarioSet, members: Sequence[Member], by_folder: Mapping[str, dict[str, Any]]
) -> Spread:
    """The members as a set of which each has one run; arguments as of `comparison_page`."""
    rows = [
        dict(zip(chosen.set.vary, member.labels, strict=True))
        | {column.key: value_of(by_folder[member.folder], column.key) for column in COLUMNS}
        | {"completed": by_folder[member.folder]["completed"], "error": None}
        for member in members
    ]
    return Spread(chosen, members, rows, {}, known(by_folder.values()))
