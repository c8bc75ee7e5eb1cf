# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Common part of the circular and the straight path: m-lines joined by arcs, posts beside them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from boa_control.paths.path import PathContact
from boa_control.paths.settings import SIDES
from boa_description.errors import BoaError


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
            f"path: {where}: the m-lines run apart (inclination {math.degrees(inclination):.1f} "
            "deg to the chord, must be below 90 deg); use a smaller attack_angle"
        )
    if tangent <= 1e-9:
        raise BoaError(
            f"path: {where}: m-lines of half length {half_line:.4f} m cross before an arc can join "
            f"them (must be below {half_line + tangent:.4f} m); use a shorter half_line, a larger "
            "radius or spacing, or a larger attack_angle"
        )
    if abs(inclination) < 1e-9:
        return 2 * tangent, math.inf
    radius = tangent / math.tan(abs(inclination))
    return 2 * abs(inclination) * radius, radius


def place_posts(
    lines: Sequence[MLine], sides: str, offset: float, radius: float, closed: bool
) -> tuple[PathContact, ...]:
    """Posts beside the m-lines (steps 7 to 9): O_k = P_k + sigma_k offset n_k, sides repeated along
    the path.

    Raises:
        BoaError: two posts overlap.
    """
    posts = [
        PathContact(
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
                    f"path: posts at s = {a.s:.3f} m and s = {b.s:.3f} m overlap (centres "
                    f"{distance:.4f} m apart, need {2 * radius:.4f} m); use a smaller "
                    "obstacle_radius, or fewer or wider spaced m-lines"
                )
    return tuple(posts)
