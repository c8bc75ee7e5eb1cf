# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed circular path of the thesis (6.2.1): nine steps from a circle to a path with posts."""

import math

import numpy as np

from boa_control.paths.path import PlannedPath, Repeat
from boa_control.paths.segments import SegmentCurve, Segments
from boa_control.paths.settings import CirclePath
from boa_control.paths.zigzag import MLine, joining_arc, place_posts
from boa_description.errors import BoaError


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
    up, radius_up = joining_arc(chord, alpha - sector / 2, m, "arc after an up m-line")
    down, radius_down = joining_arc(chord, alpha + sector / 2, m, "arc after a down m-line")
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
        place_posts(lines, settings.sides, offset, settings.obstacle_radius, closed=True),
    )
