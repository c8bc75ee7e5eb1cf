# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From path settings to a planned path: one of the thesis's construction (6.2.1), the closed
circle, nine steps from a circle to a path with posts, or its endless straight version, a zigzag
along x; or a path through named points and posts. Common part of the circular and the straight
path: m-lines joined by arcs, posts beside them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boa_control.paths.named import segment_path
from boa_control.paths.path import PathObstacle, PlannedPath, Repeat
from boa_control.paths.segments import SegmentCurve, Segments
from boa_control.paths.settings import SIDES, CirclePath, PathSettings, SegmentPath, StraightPath
from boa_description.errors import BoaError
from boa_description.robot import Robot, require_planar


@dataclass(frozen=True, slots=True)
class MLine:
    """A straight piece of path through a segmentation point P_k.

    Attributes:
        x, y: P_k, m.
        heading: psi_k, rad.
        s: arc length of P_k, m.
    """

    x: float
    y: float
    heading: float
    s: float


def joining_arc(
    chord: float, inclination: float, half_line: float, where: str
) -> tuple[float, float]:
    """Length and radius of the arc joining two m-lines tangentially (thesis 6.2.1, steps 5 and 6).

    The m-lines start at both ends of `chord`, mirrored about its perpendicular bisector, each
    inclined to it by `inclination`; so their tangents meet at the distance (chord / 2) /
    cos(inclination).

    Raises:
        BoaError: the m-lines are so long that they cross before an arc can join them.
    """
    tangent = (
        0.5 * chord / math.cos(inclination) - half_line if abs(inclination) < math.pi / 2 else -1.0
    )
    if tangent <= 0 and abs(inclination) >= math.pi / 2:
        raise BoaError(
            f"{where}: the m-lines run apart (inclination {math.degrees(inclination):.1f} deg to "
            "the chord, must be below 90 deg); use a smaller attack_angle"
        )
    if tangent <= 1e-9:
        raise BoaError(
            f"{where}: m-lines of half length {half_line:.4f} m cross before an arc can join them "
            f"(must be below {half_line + tangent:.4f} m); use a shorter half_line, a larger "
            "radius or spacing, or a larger attack_angle"
        )
    if abs(inclination) < 1e-9:
        return 2 * tangent, math.inf
    radius = tangent / math.tan(abs(inclination))
    return 2 * abs(inclination) * radius, radius


def place_posts(
    lines: Sequence[MLine], sides: str, offset: float, radius: float, where: str, closed: bool
) -> tuple[PathObstacle, ...]:
    """Posts beside the m-lines (steps 7 to 9): O_k = P_k + sigma_k offset n_k, sides repeated along
    the path.

    Raises:
        BoaError: two posts overlap.
    """
    posts = [
        PathObstacle(
            x=line.x - side * offset * math.sin(line.heading),
            y=line.y + side * offset * math.cos(line.heading),
            radius=radius,
            s=line.s,
            side=side,
        )
        for k, line in enumerate(lines)
        for side in SIDES[sides[k % len(sides)]]
    ]
    for i, a in enumerate(posts):
        for b in posts[i + 1 :] if closed else posts[i + 1 : i + 9]:
            distance = math.hypot(a.x - b.x, a.y - b.y)
            if distance < 2 * radius:
                raise BoaError(
                    f"{where}: posts at s = {a.s:.3f} m and s = {b.s:.3f} m overlap (centres "
                    f"{distance:.4f} m apart, need {2 * radius:.4f} m); use a smaller "
                    "obstacle_radius, or fewer or wider spaced m-lines"
                )
    return tuple(posts)


def straight_path(settings: StraightPath, body_radius: float) -> PlannedPath:
    """Construct the zigzag: P_k = (k D, 0), psi_k = (-1)^k alpha_p; s = 0 at the start of m-line 0.

    Posts stand at the first `cells` m-lines; there the path ends, although the curve goes on.

    Raises:
        BoaError: an arc that cannot be tangent, overlapping posts.
    """
    spacing, alpha, m = settings.spacing, settings.attack_angle, settings.half_line
    arc, arc_radius = joining_arc(spacing, alpha, m, "path: arc between m-lines")
    cell = 2 * m + arc
    curve = SegmentCurve(
        Segments(
            start=np.array([-m * np.cos(alpha), -m * np.sin(alpha)]),
            start_heading=alpha,
            lengths=np.array([2 * m, arc, 2 * m, arc]),
            curvatures=np.array([0.0, -1 / arc_radius, 0.0, 1 / arc_radius]),
        ),
        repeat=Repeat(2 * cell, translation=(2 * spacing, 0.0)),
        length=settings.cells * cell,
        closed=False,
    )
    lines = [
        MLine(x=k * spacing, y=0.0, heading=(-1) ** k * alpha, s=m + k * cell)
        for k in range(settings.cells)
    ]
    offset = body_radius + settings.clearance + settings.obstacle_radius
    posts = place_posts(
        lines, settings.sides, offset, settings.obstacle_radius, "path", closed=False
    )
    return PlannedPath(curve, posts)


def circle_path(settings: CirclePath, body_radius: float) -> PlannedPath:
    """Construct the path counter-clockwise around the origin, s = 0 at the start of m-line 0.

    Steps 1 to 3: segmentation points P_k = r_p (cos 2 pi k / n_p, sin 2 pi k / n_p) with
    construction lines at psi_k = 2 pi k / n_p + pi / 2 + (-1)^k alpha_p. Step 4: m-lines P_k +- m
    u_k. Steps 5 and 6: arcs that join them tangentially, turning by 2 pi / n_p - 2 (-1)^k alpha_p.
    Steps 7 to 9: posts at P_k + sigma_k (w + clearance + r_c) n_k.

    Args:
        settings: r_p, n_p, alpha_p, m, side pattern, post radius, clearance.
        body_radius: w, half width of the body, m.

    Raises:
        BoaError: odd n_p, an arc that cannot be tangent, overlapping posts.
    """
    n = settings.segments
    radius = settings.radius
    alpha = settings.attack_angle
    m = settings.half_line
    if n % 2:
        raise BoaError(
            f"path: segments = {n} must be even, up and down m-lines alternate; use {n - 1} or "
            f"{n + 1}"
        )
    sector = 2 * math.pi / n
    chord = 2 * radius * math.sin(sector / 2)
    # relative to the chord to the next point an up line (k even) is inclined by alpha - sector / 2
    up, radius_up = joining_arc(chord, alpha - sector / 2, m, "path: arc after an up m-line")
    down, radius_down = joining_arc(chord, alpha + sector / 2, m, "path: arc after a down m-line")
    repeat = 4 * m + up + down
    turn_up = math.copysign(1 / radius_up, sector / 2 - alpha)
    curve = SegmentCurve(
        Segments(
            start=np.array([radius + m * math.sin(alpha), -m * math.cos(alpha)]),
            start_heading=math.pi / 2 + alpha,
            lengths=np.array([2 * m, up, 2 * m, down]),
            curvatures=np.array([0.0, turn_up, 0.0, 1 / radius_down]),
        ),
        repeat=Repeat(repeat, rotation=2 * sector),
        length=repeat * n / 2,
        closed=True,
    )
    lines = [
        MLine(
            x=radius * math.cos(k * sector),
            y=radius * math.sin(k * sector),
            heading=k * sector + math.pi / 2 + (-1) ** k * alpha,
            s=m + (k // 2) * repeat + (k % 2) * (2 * m + up),
        )
        for k in range(n)
    ]
    offset = body_radius + settings.clearance + settings.obstacle_radius
    return PlannedPath(
        curve,
        place_posts(lines, settings.sides, offset, settings.obstacle_radius, "path", closed=True),
    )


def build_path(settings: PathSettings, robot: Robot) -> PlannedPath:
    """Construct the path that a scenario describes, for the body width of `robot`.

    Raises:
        BoaError: the geometry is impossible (which piece, the value, the limit and the remedy).
            Whether the chain can follow the path and is held by the posts is the business of
            `boa_control.planning.plan.check`. Also: the robot leaves the plane.
    """
    require_planar(robot, "a path")
    if isinstance(settings, CirclePath):
        return circle_path(settings, robot.link.radius)
    if isinstance(settings, StraightPath):
        return straight_path(settings, robot.link.radius)
    if isinstance(settings, SegmentPath):
        return segment_path(settings, robot.link.radius)
    # its splines take most of a node's start-up time to import
    from boa_control.paths.waypoints import waypoint_path

    return waypoint_path(settings, robot.link.radius)
