# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lay a chain of equal links on a curve, every joint exactly on it.

Planar: the curve lies on the floor and all joints turn about the vertical; who has a robot refuses
one that leaves the plane (`boa_description.robot.require_planar`) before it comes here.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from boa_description.arrays import Array
from boa_description.errors import BoaError

# Arcs, in pitches, among which the first is searched whose end is outside the circle; then
# bisected to rounding. Where the curve has not left the circle after the last one, it turns back
# inside one link.
SCAN = np.linspace(1.02, 2.0, 50)
BISECTIONS = 46
# Secants tell the arc to rounding before it is bisected: only middles that are nearer to it than
# this, in pitches, are looked at.
SECANTS = 4
UNSURE = 1e-12
SLACK = 1e-9  # m: lets a chain that just fits on an open curve fit in spite of rounding


class PlaneCurve(Protocol):
    """Curve in arc length, as placement needs it.

    Any real s is valid: an open curve continues past its ends.
    """

    @property
    def length(self) -> float:
        """Length of the curve (one lap when closed), m."""

    @property
    def closed(self) -> bool:
        """Whether the end meets the start."""

    def position(self, s: Array) -> Array:
        """Points, shape (..., 2), m, for arc lengths s, shape (...)."""


def place_on_curve(
    curve: PlaneCurve, links: int, pitch: float, anchor_s: float, anchor_joint: int
) -> tuple[Array, Array]:
    """Pose of a chain whose joints lie on `curve`, between its ends.

    Args:
        curve: the curve, in the world frame.
        links: number of links.
        pitch: distance between neighbouring joints, m.
        anchor_s: arc length at which joint `anchor_joint` lies, m.
        anchor_joint: 0 is the tail end of link 1, `links` the head end of the last link.

    Returns:
        `base`, shape (3,): x, y of the tail-side end of link 1 and its heading, m and rad;
        `joints`, shape (links - 1,): joint angles in (-pi, pi], rad.

    Raises:
        BoaError: the chain does not fit on the curve.
    """
    if not curve.closed and not 0.0 <= anchor_s <= curve.length:
        raise BoaError(
            f"arc length {anchor_s:.3f} m lies outside the path, which runs from 0 to "
            f"{curve.length:.3f} m"
        )
    sigma = joints_on_curve(curve, links, pitch, anchor_s, anchor_joint)
    if not curve.closed:
        _check_ends(sigma, curve.length, pitch)
    return pose_of_points(curve.position(sigma))


def pose_of_points(points: Array) -> tuple[Array, Array]:
    """Pose of the chain through `points`.

    Args:
        points: shape (links + 1, 2), joint positions from tail end to head end, m.

    Returns:
        `base`, shape (3,), and `joints`, shape (links - 1,), as in `place_on_curve`.
    """
    steps = np.diff(points, axis=0)
    heading = np.arctan2(steps[:, 1], steps[:, 0])
    turn = np.diff(heading)
    joints = np.arctan2(np.sin(turn), np.cos(turn))
    return np.array([points[0, 0], points[0, 1], heading[0]]), joints


def joints_on_curve(
    curve: PlaneCurve, links: int, pitch: float, anchor_s: float | Array, anchor_joint: int
) -> Array:
    """Arc lengths of all joints of one chain or many, rising from tail to head, m.

    From the anchor to the head, and to the tail, the next joint is where the curve first leaves the
    circle of radius `pitch` around the last one.

    Args:
        anchor_s: shape (...), arc lengths of joint `anchor_joint`, one per chain, m; the rest as in
            `place_on_curve`.

    Returns:
        Shape (..., links + 1). Values may lie outside one lap of a closed curve, and beyond the
        ends of an open one.

    Raises:
        BoaError: the curve turns back within one link, or there is no such anchor.
    """
    anchor = np.asarray(anchor_s, float)
    if not 0 <= anchor_joint <= links:
        raise BoaError(
            f"anchor joint {anchor_joint} does not exist: a chain of {links} links has joints "
            f"0 to {links}"
        )
    sigma = np.empty((*anchor.shape, links + 1))
    sigma[..., anchor_joint] = anchor
    for direction, end in ((1, links), (-1, 0)):
        for joint in range(anchor_joint, end, direction):
            start = sigma[..., joint]
            following = next_joint(curve, start, pitch, direction)
            lost = np.isnan(following)
            if lost.any():
                raise BoaError(
                    f"the chain does not fit on the path: joint {joint + direction} finds no place "
                    f"near s = {start[lost].flat[0]:.3f} m, where the path turns back within one "
                    f"link of {pitch:.3f} m; use gentler bends (larger radius or spacing, smaller "
                    "attack_angle) or shorter links"
                )
            sigma[..., joint + direction] = following
    return sigma


def next_joint(curve: PlaneCurve, s: Array, pitch: float, direction: int) -> Array:
    """Arc lengths of the first points at distance `pitch` from those at `s`, ahead (+1) or behind
    (-1).

    Args:
        s: shape (...), m.

    Returns:
        Shape (...), m; NaN where the curve turns back within two pitches of arc.
    """
    start = np.asarray(s, float)
    origin = curve.position(start)

    def beyond(arc: Array, of: Any = ...) -> Array:
        """How far the points after `arc` lie outside the circles of `pitch` around those at `s`, or
        around those `of` them, m.
        """
        chord = curve.position(start[of] + direction * arc) - origin[of]
        return np.asarray(np.hypot(chord[..., 0], chord[..., 1]) - pitch)

    # a chord is never longer than its arc: arcs below one pitch cannot reach
    short, long = np.full(start.shape, pitch * (1.0 - 1e-6)), np.full(start.shape, np.nan)
    for arc in pitch * SCAN:
        seeking = np.isnan(long)
        if not seeking.any():
            break
        reached = beyond(arc) >= 0.0
        long[seeking & reached] = arc
        short[seeking & ~reached] = arc
    about, step = _by_secants(beyond, short, long)
    unsure = step + UNSURE * pitch
    for _ in range(BISECTIONS):
        middle = 0.5 * (short + long)
        reached = np.asarray(middle >= about)
        look = np.abs(middle - about) <= unsure
        if look.any():
            reached[look] = beyond(middle[look], look) >= 0.0
        short, long = np.where(reached, short, middle), np.where(reached, middle, long)
    return start + direction * 0.5 * (short + long)


def _by_secants(
    function: Callable[[Array], Array], below: Array, above: Array
) -> tuple[Array, Array]:
    """About where a function is 0 between arguments with values on either side of that, and by how
    much the last secant has moved it.
    """
    before, now = below, above
    was, value = function(before), function(now)
    for _ in range(SECANTS):
        rise = value - was
        step = value * (now - before) / np.where(rise == 0.0, np.inf, rise)
        before, was = now, value
        now = np.clip(now - step, below, above)
        value = function(now)
    return now, np.abs(now - before)


def _check_ends(sigma: Array, length: float, pitch: float) -> None:
    """Refuse a chain past an end of an open curve; `sigma`: arc lengths of its joints, m."""
    if sigma[-1] > length + SLACK:
        joint = int(np.argmax(sigma > length + SLACK))
        side, rest = "end", length - sigma[joint - 1]
    elif sigma[0] < -SLACK:
        joint = int(np.flatnonzero(sigma < -SLACK)[-1])
        side, rest = "start", sigma[joint + 1]
    else:
        return
    raise BoaError(
        f"the chain does not fit on the path: joint {joint} would lie beyond its {side} "
        f"({rest:.3f} m of path left, one link needs {pitch:.3f} m); use a longer path, fewer "
        "links or another start progress"
    )
