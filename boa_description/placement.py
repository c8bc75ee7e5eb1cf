"""Lay a chain of equal links on a curve, every joint exactly on it."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import elementwise

from boa_description.errors import BoaError

Array = NDArray[np.float64]

# Where the curve has not left the circle after an arc of REACH pitches, it turns back inside one link.
REACH = 2.0
SCAN_STEPS = 64  # the first crossing is looked for on this grid, then refined to rounding error
SLACK = 1e-12  # of a pitch: lets a chain that just fits on an open curve fit in spite of rounding


class PlaneCurve(Protocol):
    """What placement needs of a curve in arc length; on a closed one any real s is valid."""

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
    """Pose of a chain whose joints lie on `curve`.

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
    sigma = joints_on_curve(curve, links, pitch, anchor_s, anchor_joint)
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


def joints_on_curve(curve: PlaneCurve, links: int, pitch: float, anchor_s: float | Array, anchor_joint: int) -> Array:
    """Arc lengths of all joints of one chain or many, rising from tail to head, m.

    From the anchor to the head, and to the tail, the next joint is where the curve first leaves the circle of
    radius `pitch` around the last one.

    Args:
        anchor_s: shape (...), arc lengths of joint `anchor_joint`, one per chain, m; the rest as in `place_on_curve`.

    Returns:
        Shape (..., links + 1). On a closed curve values may lie outside one lap.

    Raises:
        BoaError: a chain does not fit on the curve, or there is no such anchor.
    """
    anchor = np.asarray(anchor_s, float)
    if not 0 <= anchor_joint <= links:
        raise BoaError(f"anchor joint {anchor_joint} does not exist: a chain of {links} links has joints 0 to {links}")
    if not curve.closed and not np.all((anchor >= 0.0) & (anchor <= curve.length)):
        outside = float(anchor[(anchor < 0.0) | (anchor > curve.length)].flat[0])
        raise BoaError(f"arc length {outside:.3f} m lies outside the path, which runs from 0 to {curve.length:.3f} m")
    sigma = np.empty((*anchor.shape, links + 1))
    sigma[..., anchor_joint] = anchor
    for direction, end in ((1, links), (-1, 0)):
        for joint in range(anchor_joint, end, direction):
            start = sigma[..., joint]
            following = next_joint(curve, start, pitch, direction)
            if np.isnan(following).any():
                raise _does_not_fit(
                    curve, float(start[np.isnan(following)].flat[0]), pitch, direction, joint + direction
                )
            sigma[..., joint + direction] = following
    return sigma


def next_joint(curve: PlaneCurve, s: Array, pitch: float, direction: int) -> Array:
    """Arc lengths of the first points at distance `pitch` from those at `s`, ahead (+1) or behind (-1).

    Args:
        s: shape (...), m.

    Returns:
        Shape (...), m; NaN where an open curve ends before, or the curve turns back within two pitches of arc.
    """
    start = np.asarray(s, float)

    def position(at: Array) -> Array:
        return curve.position(at if curve.closed else np.clip(at, 0.0, curve.length))

    def excess(arc: Array, start: Array, x: Array, y: Array) -> Array:
        """How far the point after `arc` is outside the circle around (x, y), m."""
        point = position(start + direction * arc)
        distance: Array = np.hypot(point[..., 0] - x, point[..., 1] - y)
        return distance - pitch * (1.0 - SLACK)

    origin = position(start)
    x, y = origin[..., 0], origin[..., 1]
    # a chord is never longer than its arc: arcs below one pitch cannot reach
    arcs = pitch * np.concatenate([[1.0 - 1e-6], np.linspace(1.0, REACH, SCAN_STEPS + 1)])
    outside = excess(arcs, start[..., None], x[..., None], y[..., None]) >= 0.0
    first = np.argmax(outside, axis=-1)
    found = elementwise.find_root(excess, (arcs[0], arcs[first]), args=(start, x, y))
    following: Array = np.where(outside.any(axis=-1), start + direction * found.x, np.nan)
    return following


def _does_not_fit(curve: PlaneCurve, start: float, pitch: float, direction: int, joint: int) -> BoaError:
    rest = curve.length - start if direction > 0 else start
    if not curve.closed and rest < REACH * pitch:
        side = "end" if direction > 0 else "start"
        return BoaError(
            f"the chain does not fit on the path: joint {joint} would lie beyond its {side} ({rest:.3f} m of path "
            f"left, one link needs {pitch:.3f} m); use a longer path, fewer links or another start progress"
        )
    return BoaError(
        f"the chain does not fit on the path: joint {joint} finds no place near s = {start:.3f} m, where the path "
        f"turns back within one link of {pitch:.3f} m; use gentler bends or shorter links"
    )
