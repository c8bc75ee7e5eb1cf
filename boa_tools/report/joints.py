# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint angles with their reference."""

import numpy as np
from matplotlib.figure import Figure

from boa_description.arrays import Array
from boa_tools.evaluation.analysis import Analysis
from boa_tools.report.plot import Plot
from boa_tools.report.style import REFERENCE, TRUE, legend, panels, settle_shade, time_axis

SHOWN = 4  # joints
SPAN = 20.0  # s, of a long run


def draw(analysis: Analysis) -> Figure | None:
    """Angles of up to four joints, evenly chosen from tail to head, in the last seconds of the
    run.
    """
    log = analysis.log
    if log.ticks < 2:
        return None
    reference = shape_reference(analysis)
    chosen = np.unique(np.linspace(0, log.joints - 1, min(SHOWN, log.joints)).round().astype(int))
    late = log.time >= log.time[-1] - SPAN
    figure, axes = panels(len(chosen), 1.2 + 1.15 * len(chosen))
    for panel, joint in zip(axes, chosen, strict=True):
        if reference is not None:
            panel.plot(
                log.time[late],
                np.degrees(reference[late, joint]),
                color=REFERENCE,
                alpha=0.35,
                linewidth=4,
                label="reference",
            )
        panel.plot(
            log.time[late], np.degrees(log.position[late, joint]), color=TRUE, label="measured"
        )
        panel.set_ylabel("angle (deg)")
        panel.set_title(
            f"joint {joint + 1}"
            + (" (tail)" if joint == 0 else " (head)" if joint == log.joints - 1 else "")
        )
        settle_shade(panel, analysis)
    legend(axes[0])
    time_axis(axes[-1], log.time[late])
    return figure


def shape_reference(analysis: Analysis) -> Array | None:
    """Reference angles: those of the path at the true position, else what the controller logged."""
    if analysis.motion is not None:
        return analysis.motion.shape
    logged = analysis.log.debug.get("reference_rad")
    return logged if logged is not None and logged.shape == analysis.log.position.shape else None


PLOT = Plot(
    "joints",
    "Joint angles",
    "The thin measured line should lie inside the thick line of the reference; the same wave runs "
    "through all joints, from the head to the tail.",
    draw,
)
