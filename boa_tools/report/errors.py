# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Errors of head and shape, the two metrics of the thesis (6.2.3)."""

import numpy as np
from matplotlib.figure import Figure

from boa_tools.evaluation.analysis import Analysis
from boa_tools.report.plot import Plot, root_mean_square
from boa_tools.report.style import SECOND, TRUE, envelope, legend, panels, settle_shade, time_axis


def draw(analysis: Analysis) -> Figure | None:
    """Distance from head to path; joint angle errors."""
    motion, error = analysis.motion, analysis.config_error
    if motion is None or error is None:
        return None
    time = analysis.log.time
    figure, (head, shape) = panels(2, 4.6)
    head.axhline(0.0, color="#8A929B", linewidth=0.8)
    head.plot(time, 1e3 * motion.head.offset, color=TRUE, label="head, left of the path positive")
    head.set_ylabel("head error (mm)")
    legend(head)
    when, low, high = envelope(time, np.degrees(error))
    shape.fill_between(
        when,
        low,
        high,
        color=TRUE,
        alpha=0.25,
        linewidth=0,
        label="all joints, smallest to largest",
    )
    shape.plot(time, np.degrees(root_mean_square(error)), color=SECOND, label="rms over the joints")
    shape.set_ylabel("shape error (deg)")
    legend(shape)
    for axes in (head, shape):
        settle_shade(axes, analysis)
    time_axis(shape, time)
    return figure


PLOT = Plot(
    "errors",
    "Errors of head and shape",
    "Both should stay small and show the same pattern lap after lap; steps mark posts that are not "
    "where the map says, and growth over time would mean that the robot loses its path.",
    draw,
)
