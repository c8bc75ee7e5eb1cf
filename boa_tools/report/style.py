# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Style of all plots: colours with fixed meanings (for colour-blind eyes too), sizes, time axes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from boa_description.arrays import Array
from boa_description.colours import LIMIT as LIMIT
from boa_description.colours import POST as POST
from boa_tools.evaluation.analysis import Analysis
from boa_tools.runs.results import write_bytes

# meanings, not names of colours; after Okabe and Ito
TRUE = "#0072B2"  # what was measured or is true
REFERENCE = "#3B3F45"  # what should be
SECOND = "#009E73"  # a second quantity in the same plot
ROBOT = "#4A5A6A"
START_UP = "#EDEFF2"  # behind what no metric counts
# several of a kind, in order
SERIES = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#7A5C00",
)

WIDTH = 10.0  # inches
DPI = 130
BINS = 1500  # columns of a raster, and points of an envelope

STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#8A929B",
    "axes.labelcolor": "#22262B",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E6E9ED",
    "grid.linewidth": 0.8,
    "xtick.color": "#5A626B",
    "ytick.color": "#5A626B",
    "xtick.labelcolor": "#22262B",
    "ytick.labelcolor": "#22262B",
    "lines.linewidth": 1.3,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "figure.facecolor": "white",
    "savefig.dpi": DPI,
    "path.simplify_threshold": 0.3,
    "agg.path.chunksize": 20000,
}


@contextmanager
def styled() -> Iterator[None]:
    """Apply the style inside the block; global settings stay as they are."""
    with mpl.rc_context(cast(Any, STYLE)):
        yield


# forms of a figure; what a file says of its origin would differ from run to run
FORMATS: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
    "svg": {"Date": None},
}


def image(figure: Figure, form: str) -> bytes:
    """The figure as a file of one of the `FORMATS`."""
    buffer = BytesIO()
    figure.savefig(buffer, format=form, metadata=FORMATS[form])
    return buffer.getvalue()


def png(figure: Figure) -> bytes:
    """The figure as a PNG file."""
    return image(figure, "png")


def all_forms(forms: Iterable[str]) -> list[str]:
    """The forms in which figures are written where some are asked for: PNG first."""
    return list(dict.fromkeys(("png", *forms)))


def write_figures(
    folder: Path, figures: Mapping[str, Figure], forms: Iterable[str]
) -> dict[str, bytes]:
    """Write figures into a folder, as `NAME.png` and in the `forms` besides; the contents of the
    PNG files by name, for a page.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shown = {}
    with styled():
        for name, figure in figures.items():
            files = {form: image(figure, form) for form in all_forms(forms)}
            for form, content in files.items():
                write_bytes(folder / f"{name}.{form}", content)
            shown[name] = files["png"]
    return shown


def panels(count: int, height: float) -> tuple[Figure, list[Axes]]:
    """A figure with panels above each other that share the time axis."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    grid = figure.subplots(count, 1, sharex=True, squeeze=False)
    return figure, list(grid[:, 0])


def time_axis(axes: Axes, time: Array) -> None:
    """Label the axis of time and cut it to the data."""
    axes.set_xlabel("time (s)")
    if time.size > 1:
        axes.set_xlim(float(time[0]), end_time(time))


def end_time(time: Array) -> float:
    """When the last tick ended, s: one period after it began.

    Without it a run of 8 s has no 8 on its axis.
    """
    return float(time[-1] + (time[-1] - time[0]) / (time.size - 1))


def legend(axes: Axes, handles: Sequence[Artist] | None = None) -> None:
    """Put the legend, of `handles` or of all that is labelled, above the axes at the right, where
    it hides nothing.
    """
    axes.legend(
        handles=handles,
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=6,
        borderaxespad=0.2,
        handlelength=1.6,
    )


def limit_line(axes: Axes, value: float, text: str) -> None:
    """A dashed line at a limit, named at its right end."""
    axes.axhline(value, color=LIMIT, linestyle=(0, (5, 3)), linewidth=1.1)
    axes.annotate(
        text,
        (1.0, value),
        xycoords=("axes fraction", "data"),
        xytext=(-4, 3),
        textcoords="offset points",
        ha="right",
        va="bottom",
        color=LIMIT,
        fontsize=9,
    )


def settle_shade(axes: Axes, analysis: Analysis) -> None:
    """Grey the start-up, which no metric counts."""
    settle = analysis.experiment.scenario.evaluation.settle
    if settle > 0:
        axes.axvspan(0.0, settle, color=START_UP, zorder=0, linewidth=0)


def settle_veil(axes: Axes, analysis: Analysis) -> None:
    """The same over a raster, which would hide a shade behind it."""
    settle = analysis.experiment.scenario.evaluation.settle
    if settle > 0:
        axes.axvspan(0.0, settle, color=START_UP, alpha=0.65, zorder=5, linewidth=0)


def envelope(time: Array, values: Array) -> tuple[Array, Array, Array]:
    """Smallest and largest value per time bin over all columns, for long records.

    Args:
        time: shape (T,); values: shape (T, n), NaN where there is none.

    Returns:
        Bin centres, minimum and maximum, each of shape (B,), B <= BINS.
    """
    edges = _edges(len(time))
    low = np.fmin.reduceat(np.fmin.reduce(values, axis=1), edges)
    high = np.fmax.reduceat(np.fmax.reduce(values, axis=1), edges)
    return time[edges], low, high


def binned(values: Array) -> Array:
    """Mean of the known values per time bin, shape (B, n) from (T, n); NaN where there is none."""
    edges = _edges(len(values))
    known = np.isfinite(values)
    count = np.add.reduceat(known.astype(float), edges, axis=0)
    total = np.add.reduceat(np.where(known, values, 0.0), edges, axis=0)
    return total / np.where(count > 0, count, np.nan)


def bin_times(time: Array) -> Array:
    """Start times of the bins of `binned`."""
    return time[_edges(len(time))]


def _edges(count: int) -> NDArray[np.intp]:
    return np.unique(np.linspace(0, count, min(BINS, count), endpoint=False).astype(np.intp))
