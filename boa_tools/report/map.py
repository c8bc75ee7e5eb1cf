# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The posts from above: as mapped, as the robot has found them, as they stand."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle as Disc

from boa_control.paths.corrected_map import CorrectedMap
from boa_description.scene import Circle, Obstacle
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.map_errors import true_centres
from boa_tools.report.plot import Plot
from boa_tools.report.style import LIMIT, POST, REFERENCE, TRUE
from boa_tools.report.top_view import off_the_map, path_line

SIZE = 8.0  # inches, width
PATH_SPACING = 0.01  # m
LEAST_ARROW = 0.001  # m; shorter corrections have none


def draw(analysis: Analysis) -> Figure | None:
    """The corrected map beside the one that was given; None where none was corrected."""
    if not analysis.log.maps:
        return None
    corrected, obstacles = analysis.log.maps[-1].corrected, analysis.experiment.obstacles
    figure = Figure(figsize=(SIZE, SIZE), layout="constrained")
    axes = figure.subplots()
    axes.set_aspect("equal")
    line = path_line(analysis, PATH_SPACING)
    if line is not None:
        axes.plot(line[:, 0], line[:, 1], color=POST, linewidth=0.8)
    _draw_given(axes, obstacles, corrected)
    for index, centre in true_centres(analysis.log, analysis.experiment).items():
        true = obstacles[index]
        assert isinstance(true, Circle)
        axes.add_patch(Disc((centre.real, centre.imag), true.radius, color=POST))
    for post in off_the_map(analysis):
        axes.add_patch(Disc((post.x, post.y), post.radius, color=POST))
    _draw_corrected(axes, obstacles, corrected, analysis.experiment.post_names)
    axes.autoscale_view()
    figure.set_figheight(
        SIZE * float(np.clip(axes.dataLim.height / axes.dataLim.width, 0.3, 1.0)) + 1
    )
    figure.legend(handles=_legend(), loc="outside lower center", ncols=2)
    axes.set_xlabel("x (m)")
    axes.set_ylabel("y (m)")
    return figure


def _draw_given(axes: Axes, obstacles: Sequence[Obstacle], corrected: CorrectedMap) -> None:
    """The posts as mapped; crossed out where the robot searched one in vain."""
    for index, post in enumerate(obstacles):
        if isinstance(post, Circle):
            colour = LIMIT if index in corrected.missing else REFERENCE
            ring = Disc((post.x, post.y), post.radius, fill=False, color=colour, linestyle="--")
            axes.add_patch(ring)
            if index in corrected.missing:
                axes.plot(post.x, post.y, "x", color=LIMIT, markersize=12)


def _draw_corrected(
    axes: Axes, obstacles: Sequence[Obstacle], corrected: CorrectedMap, names: Mapping[int, str]
) -> None:
    """The posts as touched, with arrows from where the map had them."""
    for post in corrected.posts:
        if post.kind == "mapped":
            continue
        colour = TRUE if post.kind == "touched" else LIMIT
        at = (post.x, post.y)
        axes.add_patch(Disc(at, post.radius, fill=False, color=colour, linewidth=1.4))
        wide = post.radius + 2 * post.std
        axes.add_patch(Disc(at, wide, color=colour, alpha=0.15, linewidth=0))
        # a post of a path that the robot went over to may be on no map of the scenario
        if post.kind == "touched" and post.number < len(obstacles):
            where = obstacles[post.number]
            assert isinstance(where, Circle)
            step = (post.x - where.x, post.y - where.y)
            if np.hypot(*step) > LEAST_ARROW:
                axes.annotate("", at, (where.x, where.y), arrowprops={"arrowstyle": "->"})
        axes.annotate(
            names.get(post.number, str(post.number)), at, fontsize=8, ha="center", va="center"
        )


def _legend() -> list[Line2D | Disc]:
    return [
        Line2D([], [], color=REFERENCE, linestyle="--", label="as mapped"),
        Line2D([], [], color=TRUE, label="as found, with two standard deviations"),
        Line2D([], [], color=LIMIT, label="not there, or not on the map"),
        Disc((0, 0), 1, color=POST, label="as it stands"),
    ]


PLOT = Plot(
    "map",
    "The map, corrected by touch",
    "Dashed rings are the posts of the map, blue ones those that the robot has touched there, on "
    "their true places in grey; arrows say by how much the map was corrected, and an orange cross "
    "is a post that is not there.",
    draw,
)
