# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Charts over time as data: a browser draws them. Long records with few points, such that every
extreme stays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boa_description.arrays import Array
from boa_tools.report.interactive.packed import exact, quantised

BINS = 4000  # each keeps its smallest and its largest value


def decimated(time: Array, values: Array) -> tuple[Array, Array]:
    """Smallest and largest value of each bin, in the order in which they came.

    Args:
        time: shape (T,), s; values: shape (T, n), NaN where there is none.

    Returns:
        Times (P,) and values (P, n). Short records come back as they are.
    """
    step = -(-len(time) // BINS)
    if step <= 2:
        return time, values
    starts = np.arange(0, len(time), step)
    short = starts.size * step - len(time)
    padded = np.concatenate((values, np.full((short, values.shape[1]), np.nan)))
    bins = padded.reshape(starts.size, step, values.shape[1])
    known = np.isfinite(bins)
    low, high = np.where(known, bins, np.inf), np.where(known, bins, -np.inf)
    falling = low.argmin(axis=1) > high.argmax(axis=1)
    pair = np.stack((low.min(axis=1), high.max(axis=1)), axis=1)
    pair[~np.isfinite(pair)] = np.nan
    pair = np.where(falling[:, None, :], pair[:, ::-1], pair)
    first = time[starts]
    second = time[np.minimum(starts + step // 2, len(time) - 1)]
    return np.stack((first, second), axis=1).ravel(), pair.reshape(-1, values.shape[1])


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
