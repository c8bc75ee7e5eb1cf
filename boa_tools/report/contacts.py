# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which post was touched when, and how firmly."""

from collections.abc import Mapping

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from boa_description.arrays import Array
from boa_tools.evaluation.analysis import Analysis
from boa_tools.report.plot import Plot
from boa_tools.report.style import (
    LIMIT,
    TRUE,
    WIDTH,
    bin_times,
    binned,
    end_time,
    legend,
    settle_shade,
    settle_veil,
    time_axis,
)
from boa_tools.runs.runlog import NO_OBSTACLE

LOST = "lost: should be held, has no force"
PAUSE = 2.0  # s; a post left for longer than this has been passed


def draw(analysis: Analysis) -> Figure | None:
    """A row per post, coloured by force; orange where an established contact had no force."""
    contacts, log = analysis.contacts, analysis.log
    shown = contacts.force if contacts.force is not None else contacts.estimate
    used = np.flatnonzero(np.nan_to_num(shown).max(axis=0, initial=0.0) > 0)
    if not used.size or log.ticks < 2:
        return None
    used = used[np.argsort(first_passages(log.time, shown[:, used]), kind="stable")]
    force = np.where(shown[:, used] > 0, shown[:, used], np.nan)
    established = analysis.established[0][:, used]

    figure = Figure(figsize=(WIDTH, 1.9 + 0.17 * used.size), layout="constrained")
    raster, number = figure.subplots(
        2, 1, sharex=True, height_ratios=(max(2.0, 0.17 * used.size), 1.0)
    )
    times = bin_times(log.time)
    rows = np.arange(used.size + 1) - 0.5
    edges = np.append(times, end_time(log.time))
    top = float(np.nanpercentile(force, 99.5))
    image = raster.pcolormesh(edges, rows, binned(force).T, cmap="GnBu", vmin=-0.2 * top, vmax=top)
    figure.colorbar(
        image, ax=raster, label="force (N)", pad=0.01, aspect=30, extend="max"
    ).ax.set_ylim(0.0, top)
    if contacts.force is not None:
        lost = binned((established & ~(contacts.force[:, used] > 0)).astype(float))
        marks = np.where(lost > 0, 1.0, np.nan)
        raster.pcolormesh(edges, rows, marks.T, cmap=ListedColormap([LIMIT]), vmin=0, vmax=1)
        legend(raster, [Patch(color=LIMIT, label=LOST)])
    settle_veil(raster, analysis)
    raster.set_ylim(used.size - 0.5, -0.5)
    names = _names(contacts.obstacle[used], used, analysis.experiment.post_names)
    every = max(1, int(np.ceil(used.size / 30)))
    raster.set_yticks(range(0, used.size, every), names[::every], fontsize=8)
    raster.set_ylabel("post" if contacts.obstacle[used[0]] != NO_OBSTACLE else "contact")
    raster.grid(visible=False)

    count = (np.nan_to_num(shown) > 0).sum(axis=1)
    known = log.answered if contacts.force is None else np.ones(log.ticks, bool)
    number.step(log.time[known], count[known], where="post", color=TRUE)
    number.set_ylim(0, count.max() + 1)
    number.set_ylabel("contacts")
    number.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    settle_shade(number, analysis)
    time_axis(number, log.time)
    return figure


def first_passages(time: Array, force: Array) -> list[float]:
    """When each post was passed first, s, (posts,): the order in which the robot meets them."""
    when, touching = bin_times(time), np.nan_to_num(binned(force)) > 0
    passages = []
    for column in touching.T:
        touched = when[column]
        parted = np.flatnonzero(np.diff(touched) > PAUSE)
        last = touched[parted[0]] if parted.size else touched[-1]
        passages.append(float(touched[0] + last) / 2)
    return passages


def _names(
    obstacle: NDArray[np.int64], column: NDArray[np.intp], names: Mapping[int, str]
) -> list[str]:
    """Posts by their names or numbers; where one obstacle has several columns (walls), numbers of
    the columns.
    """
    several = np.unique(obstacle).size < obstacle.size
    if several:
        return [str(value) for value in column]
    return [names.get(int(post), str(post)) for post in obstacle]


PLOT = Plot(
    "contacts",
    "Contacts over time",
    "Each post should show one unbroken bar while the robot passes it; orange marks time in which "
    "a contact that should have been held had no force, and broken bars are chatter.",
    draw,
)
