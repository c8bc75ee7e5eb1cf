# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Charts over many runs as data: members of a set as bars, combinations of a sweep as curves. A
page switches each of them on and off.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from boa_control.experiments.scenario_set import Member
from boa_description.arrays import Array
from boa_tools.evaluation.columns import COLUMNS, Column, known, value_of
from boa_tools.evaluation.spread import median, percentiles, success_rate
from boa_tools.report.style import SERIES
from boa_tools.report.varied import Row, Runs, VariedKey, lines_over

LEVELS = ("least", "low", "middle", "high", "most")


def set_data(
    axes: Sequence[str], members: Sequence[Member], by_folder: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    """The bars of a set: groups by the first axis, colours by combination of the others."""
    groups = list(dict.fromkeys(member.labels[0] for member in members))
    kinds = list(dict.fromkeys(member.labels[1:] for member in members))
    return {
        "axes": list(axes),
        "groups": groups,
        "kinds": [
            {"label": ", ".join(kind), "colour": SERIES[k % len(SERIES)]}
            for k, kind in enumerate(kinds)
        ],
        "runs": [
            {
                "labels": member.labels,
                "group": groups.index(member.labels[0]),
                "kind": kinds.index(member.labels[1:]),
                "completed": bool(by_folder[member.folder]["completed"]),
            }
            for member in members
        ],
        "charts": [
            {
                "title": column.title,
                "values": [_shown(by_folder[m.folder], column) for m in members],
            }
            for column in known(by_folder.values())
        ],
    }


def sweep_data(runs: Runs, columns: Sequence[Column] = COLUMNS) -> dict[str, Any]:
    """The curves over each varied key, by the names of their figures."""
    return {
        f"over_{key.key}": _over(runs, key, columns) for key in runs.keys if len(key.values) > 1
    }


def as_script(data: Mapping[str, Any]) -> Markup:
    """The data as JSON that may stand in a script element."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))


def _shown(values: Mapping[str, Any], column: Column) -> float | None:
    value = value_of(values, column.key)
    return None if value is None else value * column.factor


def _over(runs: Runs, key: VariedKey, columns: Sequence[Column]) -> dict[str, Any]:
    lines = lines_over(runs.keys, key)
    rows = [[runs.at({**line.point, key.key: v}) for v in key.values] for line in lines]
    shown = [column for column in columns if median(runs.rows, column.key) is not None]
    return {
        "label": key.title,
        "x": key.places.tolist(),
        "ticks": None if key.numeric else list(key.labels),
        "logarithmic": key.logarithmic,
        "lines": [{"label": line.label, "colour": line.colour} for line in lines],
        "charts": [
            {"title": "success (%)", "top": 100.0, "lines": [_rates(cells) for cells in rows]},
            *(
                {"title": column.title, "lines": [_spread(cells, column) for cells in rows]}
                | ({"top": 100.0} if column.share else {})
                for column in shown
            ),
        ],
    }


def _rates(cells: Sequence[Sequence[Row]]) -> dict[str, Any]:
    rates = [success_rate(here) for here in cells]
    names = {"low": "low", "middle": "share", "high": "high"}
    return {
        level: _known(100.0 * np.array([getattr(rate, name) for rate in rates]))
        for level, name in names.items()
    }


def _spread(cells: Sequence[Sequence[Row]], column: Column) -> dict[str, Any]:
    table = column.factor * np.array([percentiles(here, column.key) for here in cells]).T
    return {level: _known(values) for level, values in zip(LEVELS, table, strict=True)}


def _known(values: Array) -> list[float | None]:
    return [float(f"{v:.6g}") if np.isfinite(v) else None for v in values.tolist()]
