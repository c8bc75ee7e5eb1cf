# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The endless straight version of the thesis's construction: a zigzag along x."""

import numpy as np

from boa_control.paths.path import PlannedPath, Repeat
from boa_control.paths.segments import SegmentCurve, Segments
from boa_control.paths.settings import StraightPath
from boa_control.paths.zigzag import MLine, joining_arc, place_posts


def straight_path(settings: StraightPath, body_radius: float) -> PlannedPath:
    """Construct the zigzag: P_k = (k D, 0), psi_k = (-1)^k alpha_p; s = 0 at the start of m-line 0.

    Posts stand at the first `cells` m-lines; there the path ends, although the curve goes on.

    Raises:
        BoaError: an arc that cannot be tangent, overlapping posts.
    """
    spacing, alpha, m = settings.spacing, settings.attack_angle, settings.half_line
    arc, arc_radius = joining_arc(spacing, alpha, m, "arc between m-lines")
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
    posts = place_posts(lines, settings.sides, offset, settings.obstacle_radius, closed=False)
    return PlannedPath(curve, posts)
