# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact forces with their references."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from boa_description.arrays import Array, Flags
from boa_tools.evaluation.analysis import Analysis
from boa_tools.report.plot import Plot, mean_of_known
from boa_tools.report.style import (
    REFERENCE,
    SECOND,
    SERIES,
    TRUE,
    bin_times,
    binned,
    envelope,
    legend,
    panels,
    settle_shade,
    time_axis,
)
from boa_tools.runs.runlog import NO_OBSTACLE

# in the debug record of controllers with one desired force for all contacts
DESIRED_FORCE = "wanted_force_n"
FEW = 6  # contacts that get a panel each
LABEL_SPACING = 0.055  # of the height of the plot
SPAN = 8.0  # s, of the part of a long run that is shown contact by contact


def draw(analysis: Analysis) -> Figure | None:
    """Panels of few contacts; of many, the whole run as a band and some seconds in detail."""
    force, _ = _shown(analysis)
    used = np.flatnonzero((force > 0).any(axis=0))
    if not used.size:
        return None
    return _each(analysis, used) if used.size <= FEW else _overview(analysis)


def _shown(analysis: Analysis) -> tuple[Array, str]:
    """Forces to show, shape (T, K), N, and what they are: true ones where known, on a robot the
    estimated ones.
    """
    contacts = analysis.contacts
    if contacts.force is not None:
        return contacts.force, "true force"
    return np.where(contacts.established, contacts.estimate, np.nan), "estimated force"


def _each(analysis: Analysis, used: NDArray[np.intp]) -> Figure:
    contacts, time = analysis.contacts, analysis.log.time
    force, name = _shown(analysis)
    figure, axes = panels(used.size, 1.0 + 1.25 * used.size)
    for panel, column in zip(axes, used, strict=True):
        reference = analysis.reference[:, column]
        if np.isfinite(reference).any():
            panel.plot(
                time, reference, color=REFERENCE, alpha=0.3, linewidth=4.5, label="reference"
            )
        panel.plot(time, force[:, column], color=TRUE, label=name)
        estimate = contacts.estimate[:, column]
        if (
            contacts.force is not None
            and np.isfinite(estimate).any()
            and not np.array_equal(estimate, reference, equal_nan=True)
        ):
            panel.plot(
                time, estimate, color=SECOND, linestyle=(0, (3, 3)), linewidth=1.6, label="estimate"
            )
        panel.set_ylabel("force (N)")
        panel.set_title(contact_name(analysis, column))
        panel.set_ylim(bottom=0.0)
        settle_shade(panel, analysis)
    legend(axes[0])
    time_axis(axes[-1], time)
    return figure


def _overview(analysis: Analysis) -> Figure:
    time, (established, _) = analysis.log.time, analysis.established
    force, _ = _shown(analysis)
    held = np.where(established, force, np.nan)
    reference = np.where(established, analysis.reference, np.nan)
    figure = Figure(figsize=(10.0, 6.0), layout="constrained")
    whole, part = figure.subplots(2, 1, height_ratios=(1, 1.5))

    when, low, high = envelope(time, held)
    whole.fill_between(
        when,
        low,
        high,
        color=TRUE,
        alpha=0.22,
        linewidth=0,
        label="all contacts, smallest to largest",
    )
    whole.plot(bin_times(time), mean_of_known(binned(held)), color=TRUE, label="mean")
    whole.plot(
        bin_times(time),
        mean_of_known(binned(reference)),
        color=REFERENCE,
        linestyle=(0, (4, 3)),
        label="mean reference",
    )
    desired = analysis.log.debug.get(DESIRED_FORCE)
    if desired is not None:
        whole.plot(time, desired, color=REFERENCE, linestyle=(0, (1, 2)), label="desired of each")
    whole.set_ylabel("force (N)")
    whole.set_ylim(bottom=0.0)
    settle_shade(whole, analysis)
    legend(whole)
    time_axis(whole, time)

    inside = _detail(analysis, held - reference)
    whole.axvspan(
        time[inside][0], time[inside][-1], facecolor="none", edgecolor="#5A626B", linewidth=1.0
    )
    _detail_lines(part, analysis, inside)
    return figure


def _detail_lines(axes: Axes, analysis: Analysis, inside: Flags) -> None:
    time, (force, name) = analysis.log.time[inside], _shown(analysis)
    present = np.flatnonzero((force[inside] > 0).any(axis=0))
    labels = []
    for column, colour in zip(
        present, series_colours(force[np.ix_(inside, present)] > 0), strict=True
    ):
        values = np.where(force[inside, column] > 0, force[inside, column], np.nan)
        axes.plot(time, analysis.reference[inside, column], color=colour, alpha=0.3, linewidth=4.5)
        axes.plot(time, values, color=colour)
        last = np.flatnonzero(np.isfinite(values))[-1]
        who = contact_name(analysis, column)
        labels.append((float(time[last]), float(values[last]), who, colour))
    _label_ends(axes, labels)
    axes.plot([], [], color="#22262B", label=name)
    axes.plot(
        [], [], color="#22262B", alpha=0.3, linewidth=4.5, label="reference of the same contact"
    )
    axes.set_title("the boxed part, contact by contact")
    axes.set_ylabel("force (N)")
    axes.set_ylim(bottom=0.0)
    settle_shade(axes, analysis)
    legend(axes)
    time_axis(axes, time)


def series_colours(touching: Flags) -> list[str]:
    """Colour per contact, (T, contacts): each takes the colour that nobody has had for longest."""
    first = touching.argmax(axis=0)
    last = len(touching) - 1 - touching[::-1].argmax(axis=0)
    free = dict.fromkeys(SERIES, -1)  # tick of its last use
    chosen = {}
    for column in np.argsort(first, kind="stable"):
        chosen[column] = min(free, key=lambda colour: free[colour])
        free[chosen[column]] = last[column]
    return [chosen[column] for column in range(touching.shape[1])]


def _label_ends(axes: Axes, labels: list[tuple[float, float, str, str]]) -> None:
    """Name lines at their ends (x, y, text, colour); names at the same place are moved apart."""
    spacing = LABEL_SPACING * (axes.get_ylim()[1] - axes.get_ylim()[0])
    placed: list[tuple[float, float]] = []
    for x, y, text, colour in sorted(labels, key=lambda label: label[1]):
        height = max([y, *(other + spacing for at, other in placed if abs(at - x) < SPAN / 12)])
        placed.append((x, height))
        axes.annotate(
            text,
            (x, height),
            xytext=(4, 0),
            textcoords="offset points",
            color=colour,
            fontsize=8,
            va="center",
            zorder=7,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )


def _detail(analysis: Analysis, error: Array) -> Flags:
    """The seconds around the largest force error after the start-up (around the middle where there
    is none).
    """
    time = analysis.log.time
    size = np.fmax.reduce(np.abs(error), axis=1)
    size[~analysis.window | ~np.isfinite(size)] = -1.0
    centre = time[int(np.argmax(size))] if size.max() >= 0 else time[time.size // 2]
    start = np.clip(centre - SPAN / 2, 0.0, max(time[-1] - SPAN, 0.0))
    return (time >= start) & (time <= start + SPAN)


def contact_name(analysis: Analysis, column: int | np.intp) -> str:
    """Name of a contact: its post, or its number where the map has none."""
    obstacle = analysis.contacts.obstacle[column]
    if obstacle == NO_OBSTACLE:
        return f"contact {column}"
    return f"post {analysis.experiment.post_names.get(int(obstacle), obstacle)}"


PLOT = Plot(
    "forces",
    "Contact forces",
    "Every force should stay on its reference, without spikes and without touching zero; in long "
    "runs the lower plot shows the boxed part, which has the largest error.",
    draw,
)
