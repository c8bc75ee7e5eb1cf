# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Progress along the path, and speed."""

import numpy as np
from matplotlib.figure import Figure

from boa_description.arrays import Array
from boa_tools.evaluation.analysis import Analysis
from boa_tools.report.plot import Plot
from boa_tools.report.style import REFERENCE, SECOND, TRUE, legend, panels, settle_shade, time_axis

SMOOTHING = 0.25  # s, of the shown speed


def draw(analysis: Analysis) -> Figure | None:
    """Progress over time, speed over time with the reference."""
    s, log = analysis.progress, analysis.log
    if s is None or log.ticks < 3:
        return None
    time = log.time
    figure, (above, below) = panels(2, 4.6)
    above.plot(
        time, s - s[0], color=TRUE, label="true" if analysis.motion is not None else "as estimated"
    )
    above.set_ylabel("progress (m)")
    believed = log.debug.get("progress_m")
    if analysis.motion is not None and believed is not None:
        above.plot(
            time,
            believed - s[0],
            color=SECOND,
            linestyle=(0, (2, 5)),
            linewidth=2.2,
            label="as the controller believes",
        )
    legend(above)
    below.plot(time, 1e3 * speed(time, s), color=TRUE, label=f"mean over {SMOOTHING:g} s")
    reference = log.debug.get("speed_reference_mps")
    if reference is not None:
        below.plot(time, 1e3 * reference, color=REFERENCE, linestyle=(0, (4, 3)), label="reference")
    below.set_ylabel("speed (mm/s)")
    legend(below)
    for axes in (above, below):
        settle_shade(axes, analysis)
    time_axis(below, time)
    return figure


def speed(time: Array, s: Array) -> Array:
    """Mean speed over the smoothing time around each tick, m/s."""
    reach = max(1, round(0.5 * SMOOTHING / float(np.median(np.diff(time)))))
    index = np.arange(time.size)
    before, after = np.maximum(index - reach, 0), np.minimum(index + reach, time.size - 1)
    return (s[after] - s[before]) / (time[after] - time[before])


PLOT = Plot(
    "progress",
    "Progress and speed",
    "The progress should be a straight line and the speed should stay at the reference; a sagging "
    "speed means that the robot pushes against something the controller does not know.",
    draw,
)
