# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint torques and joint forces with their limits."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boa_description.arrays import Array
from boa_tools.evaluation.analysis import Analysis
from boa_tools.report.plot import Plot, root_mean_square
from boa_tools.report.style import (
    LIMIT,
    SECOND,
    SERIES,
    TRUE,
    envelope,
    legend,
    limit_line,
    panels,
    settle_shade,
    time_axis,
)
from boa_tools.runs.runlog import held_force, torque_lost

FEW = 4  # joints that are drawn one by one


def draw(analysis: Analysis) -> Figure | None:
    """Applied torques, what the gearboxes lose of them, and the largest force component at the
    joint sensors.
    """
    log, limits = analysis.log, analysis.experiment.robot.limits
    if not log.ticks or not np.isfinite(log.applied).any():
        return None
    lost = torque_lost(log)
    known = bool(np.isfinite(lost).any())
    figure, (torque, *behind, force) = panels(3 if known else 2, 7.0 if known else 5.0)
    _draw_torques(torque, log.time, log.applied, "torque (N m)")
    for axes in behind:
        _draw_torques(axes, log.time, lost, "lost in gearboxes (N m)")
        legend(axes)
    peak = float(np.nanmax(np.abs(log.applied)))
    if peak > 0.4 * limits.torque:
        limit_line(torque, limits.torque, "limit")
        torque.axhline(-limits.torque, color=LIMIT, linestyle=(0, (5, 3)), linewidth=1.1)
    else:
        torque.set_title(
            f"the limit, {limits.torque:g} N m, is outside of this plot",
            color="#5A626B",
            fontsize=9,
        )
    legend(torque)

    largest = np.fmax.reduce(np.abs(held_force(log)).reshape(log.ticks, -1), axis=1)
    force.plot(log.time, largest, color=TRUE, label="largest component of any joint")
    force.set_ylabel("joint force (N)")
    limit_line(force, limits.joint_force_fault, "limit of the gate")
    force.set_ylim(
        0.0, 1.12 * max(limits.joint_force_fault, float(np.nanmax(largest, initial=0.0)))
    )
    legend(force)
    for axes in (torque, *behind, force):
        settle_shade(axes, analysis)
    time_axis(force, log.time)
    return figure


def _draw_torques(axes: Axes, time: Array, torque: Array, label: str) -> None:
    """Torques (T, n_joints), N m, of few joints one by one, of many as a band."""
    if torque.shape[1] <= FEW:
        for joint, column in enumerate(torque.T):
            axes.plot(time, column, color=SERIES[joint], label=f"joint {joint + 1}")
    else:
        when, low, high = envelope(time, torque)
        axes.fill_between(when, low, high, color=TRUE, alpha=0.25, linewidth=0, label="all joints")
        axes.plot(time, root_mean_square(torque), color=SECOND, label="rms over the joints")
    axes.set_ylabel(label)


PLOT = Plot(
    "torques",
    "Joint torques and joint forces",
    "Torques should be smooth and well inside the limit, and no force sensor may come near its "
    "limit: there the gate stops the run; gearboxes lose torque where joints drive, and pass on "
    "more than was asked for where they are driven back.",
    draw,
)
