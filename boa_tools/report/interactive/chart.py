# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Charts over time as data: a browser draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boa_description.arrays import Array
from boa_tools.report.interactive.decimate import decimated
from boa_tools.report.interactive.packed import exact, quantised


@dataclass(frozen=True, slots=True)
class Line:
    """One curve.

    Attributes:
        label: its name in the legend.
        values: shape (T,), NaN where there is none.
        colour: as in CSS.
        width: pixels. dashed: drawn with gaps.
        band: fill the area up to the next curve.
    """

    label: str
    values: Array
    colour: str
    width: float = 1.4
    dashed: bool = False
    band: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """Curves over one time axis.

    Attributes:
        name: the plot of the report it belongs to.
        label: of the vertical axis, with the unit.
        lines: its curves.
        limits: (value, name) of horizontal lines.
        from_zero: the axis begins at zero.
        least: smallest range of the axis: what is less is noise.
    """

    name: str
    label: str
    lines: Sequence[Line]
    limits: Sequence[tuple[float, str]] = ()
    from_zero: bool = False
    least: float = 0.0


def panel_data(panel: Panel, time: Array) -> dict[str, Any]:
    """The panel for the page, decimated."""
    values = np.column_stack([np.asarray(line.values, float) for line in panel.lines])
    when, points = decimated(time, values)
    return {
        "name": panel.name,
        "label": panel.label,
        "time": exact(when),
        "fromZero": panel.from_zero,
        "least": panel.least,
        "limits": [{"value": value, "text": text} for value, text in panel.limits],
        "lines": [
            {
                "label": line.label,
                "colour": line.colour,
                "width": line.width,
                "dashed": line.dashed,
                "band": line.band,
                "values": quantised(points[:, k]),
            }
            for k, line in enumerate(panel.lines)
        ],
    }
