# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A planned path in its field of posts, from above."""

import itertools
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle as Disc
from matplotlib.patches import Rectangle

from boa_control.model.contact_geometry import box_frame
from boa_control.paths.segments import SegmentRun, Segments, lap
from boa_control.planning.post_map import PostMap
from boa_control.planning.search.found import FoundPath
from boa_description.arrays import Array
from boa_description.placement import joints_on_curve
from boa_description.robot import Robot
from boa_description.scene import Box, Circle, Wall
from boa_tools.report.style import LIMIT, POST, REFERENCE, ROBOT, styled

MARGIN = 0.25  # m around everything
WIDTH = 11.0  # inches


def draw_route(
    posts: PostMap,
    robot: Robot,
    found: FoundPath | None,
    places: Sequence[tuple[str, tuple[float, float]]],
    within: float,
    missing: Sequence[Circle] = (),
) -> Figure:
    """Draw posts, path, and the robot where it lies down and where it arrives.

    Args:
        found: the path, or how far the search came; None where it came nowhere.
        places: names and centres of start and goals, m.
        within: of them, m.
        missing: posts that are not there and would help.
    """
    points = np.array([[post.x, post.y] for post in posts.posts] + [at for _, at in places])
    low = points.min(axis=0) - MARGIN
    high = points.max(axis=0) + MARGIN
    size = high - low
    with styled():
        figure = Figure(figsize=(WIDTH, max(3.0, WIDTH * size[1] / size[0])))
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0.06, 0.1, 0.92, 0.87))
        _draw_blocks(axes, posts)
        carrying = {contact.post for contact in found.contacts} if found else set()
        _draw_posts(axes, posts, carrying)
        for name, place in places:
            axes.add_patch(Disc(place, within, fill=False, ls="--", ec=REFERENCE, lw=1.0))
            axes.annotate(name, place, ha="center", va="center", color=REFERENCE)
        for post in missing:
            axes.add_patch(
                Disc((post.x, post.y), post.radius, fill=False, ls=":", ec=LIMIT, lw=1.5)
            )
            axes.annotate("+", (post.x, post.y), ha="center", va="center", color=LIMIT)
        if found is not None:
            _draw_path(axes, found, robot)
        axes.set_xlim(low[0], high[0])
        axes.set_ylim(low[1], high[1])
        axes.set_aspect("equal")
        axes.set_xlabel("x, m")
        axes.set_ylabel("y, m")
        axes.grid(visible=False)
    return figure


def _draw_posts(axes: Axes, posts: PostMap, carrying: set[int]) -> None:
    """All posts; those that carry in colour, with their names."""
    for index, post in enumerate(posts.posts):
        colour = LIMIT if index in carrying else POST
        axes.add_patch(Disc((post.x, post.y), post.radius, fc=colour, ec="none"))
        if index in carrying:
            label = posts.label(index)
            axes.annotate(
                label, (post.x, post.y), ha="center", va="center", color="white", fontsize=7
            )


def _draw_blocks(axes: Axes, posts: PostMap) -> None:
    """Walls and boxes."""
    blocks: tuple[Box | Wall, ...] = (*posts.boxes, *posts.walls)
    for block in blocks:
        centre, half, heading = box_frame(block)
        angle = float(np.degrees(heading))
        corner = tuple(centre - half)
        axes.add_patch(
            Rectangle(corner, *(2 * half), angle=angle, rotation_point="center", fc=POST, ec="none")
        )


def _draw_path(axes: Axes, found: FoundPath, robot: Robot) -> None:
    """The path, and the robot at both of its ends."""
    lengths, bends = np.array(found.segments).T
    segments = Segments(found.start, found.heading, lengths, bends)
    curve = lap(segments) if found.closed else SegmentRun(segments)
    s = np.linspace(0.0, curve.length, max(2, round(curve.length / 0.005)))
    axes.plot(*curve.position(s).T, color=REFERENCE, lw=1.2, zorder=4)
    whole = robot.links * robot.link.pitch
    if curve.length < whole:
        return
    tail = joints_on_curve(curve, robot.links, robot.link.pitch, 0.0, 0)
    head = joints_on_curve(curve, robot.links, robot.link.pitch, curve.length, robot.links)
    for sigma, shade in ((tail, 0.35),) if found.closed else ((tail, 0.35), (head, 0.8)):
        _draw_robot(axes, curve.position(sigma), robot.link.radius, shade)


def _draw_robot(axes: Axes, points: Array, radius: float, shade: float) -> None:
    """Links as capsules in the units of the axes."""
    for first, second in itertools.pairwise(points):
        across = np.array([first[1] - second[1], second[0] - first[0]])
        across *= radius / np.hypot(*across)
        corners = np.array([first + across, second + across, second - across, first - across])
        axes.fill(*corners.T, color=ROBOT, alpha=shade, lw=0, zorder=3)
        axes.add_patch(Disc(tuple(second), radius, color=ROBOT, alpha=shade, lw=0, zorder=3))
