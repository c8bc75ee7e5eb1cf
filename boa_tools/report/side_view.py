# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot that leaves the plane, from the side."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from boa_description.terrain import Slab, slabs
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.definitions.space import centre, start_direction
from boa_tools.report.plot import Plot
from boa_tools.report.style import time_axis

INSTANTS = 6


def draw(analysis: Analysis) -> Figure | None:
    """The spine at a few instants, above each other along the way, and the way over time."""
    poses, place = analysis.frames, centre(analysis)
    if poses is None or place is None:
        return None
    log, link = analysis.log, analysis.experiment.robot.link
    along = start_direction(analysis)
    ticks = np.unique(np.linspace(0, log.ticks - 1, INSTANTS).round().astype(int))
    figure, rows = plt.subplots(
        ticks.size + 1, 1, figsize=(9.0, 1.1 * ticks.size + 2.2), layout="constrained"
    )
    way = poses[ticks, :, :2] @ along
    low, high = float(way.min()) - 2 * link.pitch, float(way.max()) + 2 * link.pitch
    floor = _profile(slabs(analysis.experiment.scenario.scene.terrain), low, high)
    bottom = max(-2 * link.radius, min(-0.02, *floor[1]))
    top = float(poses[ticks, :, 2].max()) + 2 * link.radius
    for axes, tick, x in zip(rows, ticks, way, strict=False):
        axes.step(*floor, where="post", color="0.6")
        axes.plot(x, poses[tick, :, 2], "o-", markersize=3)
        axes.set(xlim=(low, high), ylim=(bottom, top), aspect="equal")
        axes.set_title(f"{log.time[tick]:.1f} s", fontsize="small")
        axes.set_ylabel("z (m)")
    rows[-2].set_xlabel(
        "along the heading at the start (m); a dot is the tail-side joint of a link"
    )
    travelled = (place - place[0])[:, :2] @ along
    rows[-1].plot(log.time, travelled)
    rows[-1].set_ylabel("centre of mass (m)")
    time_axis(rows[-1], log.time)
    return figure


def _profile(pieces: tuple[Slab, ...], low: float, high: float) -> tuple[list[float], list[float]]:
    """x and z of the corners of the floor between two ends of the picture, m."""
    x = [min(max(piece.start, low), high) for piece in pieces]
    return [*x, high], [*(piece.top for piece in pieces), pieces[-1].top]


PLOT = Plot(
    "side_view",
    "From the side",
    "Troughs stand on the floor, the body flows through the wave.",
    draw,
)
