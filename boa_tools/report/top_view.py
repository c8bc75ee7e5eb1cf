# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot on its path from above, with contact forces as arrows."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle as Disc
from matplotlib.patches import FancyArrowPatch, Patch, Polygon, Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Affine2D

from boa_control.model.contact_geometry import box_frame
from boa_description.arrays import Array
from boa_description.chain import joint_axes
from boa_description.scene import Circle, Obstacle
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.legs import way
from boa_tools.report.plot import Plot
from boa_tools.report.style import LIMIT, POST, REFERENCE, ROBOT, WIDTH

INSTANTS = 3
ARROW_SHARE = 0.3  # length of the longest arrows, as a share of half the view
LABEL_DISTANCE = 0.10  # m, from the contact point to the value: outside the post
MARGIN = 0.12  # m around the robot
TALLEST, FLATTEST = 5.5, 2.8  # inches, of panels side by side and of panels above each other
TEXT = 0.9  # inches of a figure's height that are title and axis label
HEAD_COLOUR = "#1F2A36"


def draw(analysis: Analysis) -> Figure | None:
    """Where a planar robot was, and the forces on it, at a few instants from start to end."""
    log = analysis.log
    if log.truth is None or not log.ticks or not analysis.experiment.robot.planar:
        return None
    first = int(np.argmax(analysis.window)) if analysis.window.any() else 0
    ticks = np.unique(np.linspace(first, log.ticks - 1, INSTANTS).round().astype(int))
    points = joint_axes(
        analysis.experiment.robot.link.pitch, log.truth.base[ticks], log.truth.joint_position[ticks]
    )
    scale = force_scale(analysis, MARGIN + 0.5 * float(np.ptp(points, axis=1).max()))
    seen = [
        np.vstack((chain, _tails(analysis, tick, scale)))
        for tick, chain in zip(ticks, points, strict=True)
    ]
    half = MARGIN + 0.5 * np.max([np.ptp(corners, axis=0) for corners in seen], axis=0)
    figure, panels, half = _panels(ticks.size, half)
    for axes, tick, chain, corners in zip(panels, ticks, points, seen, strict=True):
        draw_scene(axes, analysis)
        draw_robot(axes, chain, analysis.experiment.robot.link.radius)
        draw_forces(axes, analysis, int(tick), scale, values=False)
        centre = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
        axes.set_xlim(centre[0] - half[0], centre[0] + half[0])
        axes.set_ylim(centre[1] - half[1], centre[1] + half[1])
        axes.set_title(f"{log.time[tick]:.1f} s")
    _scale(panels[-1], scale)
    return figure


def _panels(count: int, half: Array) -> tuple[Figure, list[Axes], Array]:
    """Panels of one size that show half sizes of at least `half` (x, y), m: side by side, or above
    each other.

    Returns:
        The figure, its panels, and the half sizes that fill them, m.
    """
    flat = half[0] > half[1] and count > 1
    width = WIDTH - 1.0 if flat else (WIDTH - 0.6 * count) / count
    height = min(width * half[1] / half[0], FLATTEST if flat else TALLEST)
    half = np.maximum(half, [half[1] * width / height, half[0] * height / width])
    rows, columns = (count, 1) if flat else (1, count)
    figure = Figure(figsize=(WIDTH, rows * (height + TEXT)), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid[-1]:
        axes.set_xlabel("x (m)")
    for axes in grid[:, 0]:
        axes.set_ylabel("y (m)")
    return figure, list(grid.flat), half


def _tails(analysis: Analysis, tick: int, scale: float) -> Array:
    """Where the arrows of the forces at a tick begin, shape (contacts, 2), m."""
    contacts = analysis.log.true_contacts
    if contacts is None:
        return np.zeros((0, 2))
    at = (contacts.tick == tick) & (contacts.normal_force > 0)
    return contacts.point[at] - scale * contacts.normal_force[at, None] * contacts.normal[at]


def force_scale(analysis: Analysis, reach: float) -> float:
    """Length of arrows, m per N, so that the largest usual force has a good length in a view of
    half width `reach`.
    """
    contacts = analysis.log.true_contacts
    pressing = np.zeros(0) if contacts is None else contacts.normal_force[contacts.normal_force > 0]
    return ARROW_SHARE * reach / (float(np.percentile(pressing, 99)) if pressing.size else 1.0)


def whole_scene(analysis: Analysis) -> Figure:
    """The robot at the end of a run (with ground truth) in the whole scene; stands in for a
    rendered picture.
    """
    log, experiment = analysis.log, analysis.experiment
    assert log.truth is not None
    figure = Figure(figsize=(7.5, 7.5), layout="constrained")
    axes = figure.subplots()
    draw_scene(axes, analysis)
    chain = joint_axes(
        experiment.robot.link.pitch, log.truth.base[-1:], log.truth.joint_position[-1:]
    )[0]
    draw_robot(axes, chain, experiment.robot.link.radius)
    draw_forces(axes, analysis, log.ticks - 1, force_scale(analysis, 0.5 * experiment.robot.length))
    if experiment.curve is None or not experiment.curve.closed:
        low, high = chain.min(axis=0) - 4 * MARGIN, chain.max(axis=0) + 4 * MARGIN
        axes.set_xlim(low[0], high[0])
        axes.set_ylim(low[1], high[1])
    else:
        axes.autoscale_view()
    axes.set_xlabel("x (m)")
    axes.set_ylabel("y (m)")
    return figure


def draw_scene(axes: Axes, analysis: Analysis) -> None:
    """Path and obstacles, to scale. The path lies above the robot, so that one sees whether the
    robot lies on it.
    """
    experiment = analysis.experiment
    axes.set_aspect("equal")
    axes.grid(visible=False)
    line = path_line(analysis, 0.005)
    if line is not None:
        casing = withStroke(linewidth=2.2, foreground="white", alpha=0.8)
        axes.plot(
            line[:, 0], line[:, 1], color=REFERENCE, linewidth=0.7, zorder=4, path_effects=[casing]
        )
    shapes = [outline(obstacle) for obstacle in experiment.obstacles]
    axes.add_collection(
        PatchCollection(shapes, facecolor=POST, edgecolor="#8A929B", linewidth=0.8, zorder=2)
    )
    rings = [outline(post) for post in off_the_map(analysis)]
    axes.add_collection(PatchCollection(rings, facecolor="none", edgecolor=POST, zorder=2))


def off_the_map(analysis: Analysis) -> list[Circle]:
    """The posts of a simulation that its scenario places and its map does not have."""
    if analysis.log.truth is None:
        return []
    posts = analysis.experiment.scenario.disturbance.unmapped.posts
    return [post for post in posts if isinstance(post, Circle)]


def path_line(analysis: Analysis, spacing: float) -> Array | None:
    """Points about `spacing`, m, apart on the curve that the robot follows, and on the paths that
    it went over to, shape (m, 2), m; None where there is none.
    """
    if analysis.legs:
        return way(analysis.legs, spacing)
    curve = analysis.experiment.curve
    if curve is None:
        return None
    return curve.position(np.linspace(0.0, curve.length, max(2, int(curve.length / spacing))))


def outline(obstacle: Obstacle) -> Patch:
    """The obstacle's shape on the floor."""
    if isinstance(obstacle, Circle):
        return Disc((obstacle.x, obstacle.y), obstacle.radius)
    at, half, heading = box_frame(obstacle)
    turn = Affine2D().rotate(float(heading)).translate(float(at[0]), float(at[1]))
    shape = Rectangle((-float(half[0]), -float(half[1])), 2 * float(half[0]), 2 * float(half[1]))
    shape.set_transform(turn)
    return shape


def draw_robot(axes: Axes, chain: Array, radius: float) -> None:
    """The links as capsules to scale, the head darker."""
    for link in range(len(chain) - 1):
        head = link == len(chain) - 2
        axes.add_patch(
            _capsule(chain[link], chain[link + 1], radius, HEAD_COLOUR if head else ROBOT)
        )
    axes.plot(chain[1:-1, 0], chain[1:-1, 1], "o", color="white", markersize=2.5, zorder=5)


def _capsule(start: Array, end: Array, radius: float, colour: str) -> Patch:
    along = np.arctan2(end[1] - start[1], end[0] - start[0])
    front = along + np.linspace(-0.5, 0.5, 17) * np.pi
    back = front + np.pi
    outline = np.vstack(
        (
            end + radius * np.column_stack((np.cos(front), np.sin(front))),
            start + radius * np.column_stack((np.cos(back), np.sin(back))),
        )
    )
    return Polygon(
        outline, facecolor=colour, edgecolor="white", linewidth=0.6, alpha=0.92, zorder=3
    )


def draw_forces(
    axes: Axes, analysis: Analysis, tick: int, scale: float, values: bool = True
) -> None:
    """Forces on the robot as arrows (`scale` m per N) that end at the contact points, values beside
    the posts.
    """
    contacts = analysis.log.true_contacts
    if contacts is None:
        return
    for row in np.flatnonzero((contacts.tick == tick) & (contacts.normal_force > 0)):
        normal, force, tip = contacts.normal[row], contacts.normal_force[row], contacts.point[row]
        tail = tip - scale * force * normal
        axes.add_patch(_arrow(tail, tip))
        if values:
            axes.annotate(
                f"{force:.1f} N",
                tip - max(scale * force, LABEL_DISTANCE) * normal,
                xytext=tuple(-13.0 * normal),
                textcoords="offset points",
                fontsize=9,
                color=LIMIT,
                ha="center",
                va="center",
                zorder=7,
                path_effects=[withStroke(linewidth=2.5, foreground="white")],
            )


def _arrow(tail: Array, tip: Array) -> Patch:
    return FancyArrowPatch(
        (float(tail[0]), float(tail[1])),
        (float(tip[0]), float(tip[1])),
        arrowstyle="-|>",
        mutation_scale=9,
        color=LIMIT,
        linewidth=1.8,
        zorder=6,
        shrinkA=0,
        shrinkB=0,
    )


def _scale(axes: Axes, scale: float) -> None:
    """An arrow of a round force in the lower left corner."""
    left, bottom = axes.get_xlim()[0], axes.get_ylim()[0]
    width = axes.get_xlim()[1] - left
    force = round_up(0.4 * ARROW_SHARE * width / scale)
    start = np.array([left + 0.05 * width, bottom + 0.05 * width])
    axes.add_patch(_arrow(start, start + np.array([scale * force, 0.0])))
    place = (float(start[0]), float(start[1]))
    axes.annotate(
        f"{force:g} N", place, xytext=(0, 5), textcoords="offset points", color=LIMIT, fontsize=9
    )


def round_up(value: float) -> float:
    """The smallest of 1, 2, 5, 10, 20, ... not below `value`."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(power * min(step for step in (1, 2, 5, 10) if step * power >= value * (1 - 1e-9)))


PLOT = Plot(
    "top_view",
    "The robot on its path",
    "Arrows are the forces of the posts on the robot; posts press from both sides, which is what "
    "holds and carries the robot, and the dots on it, its joints, should lie on the thin line of "
    "the path.",
    draw,
)
