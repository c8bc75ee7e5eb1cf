"""Lay a chain of equal links on a curve, every joint exactly on it."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from boa_description.errors import BoaError

Array = NDArray[np.float64]

# A chord of one pitch cuts off an arc of at most REACH pitches; beyond that the curve turns inside one link.
REACH = 2.0
SCAN_STEPS = 64  # the first crossing is looked for on this grid, then refined to rounding error
TOLERANCE = 1e-13  # of arc lengths, in pitches


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
    points = curve.position(joints_on_curve(curve, links, pitch, anchor_s, anchor_joint))
    return pose_of_points(points)


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


def joints_on_curve(curve: PlaneCurve, links: int, pitch: float, anchor_s: float, anchor_joint: int) -> Array:
    """Arc lengths of all joints of a chain on `curve`, shape (links + 1,), rising from tail to head, m.

    From the anchor to the head, and to the tail, the next joint is where the curve first leaves the circle of
    radius `pitch` around the last one. Arguments and errors as in `place_on_curve`.
    """
    if not 0 <= anchor_joint <= links:
        raise BoaError(f"anchor joint {anchor_joint} does not exist: a chain of {links} links has joints 0 to {links}")
    if not curve.closed and not 0.0 <= anchor_s <= curve.length:
        raise BoaError(f"arc length {anchor_s:.3f} m lies outside the path, which runs from 0 to {curve.length:.3f} m")
    sigma = np.empty(links + 1)
    sigma[anchor_joint] = anchor_s
    for joint in range(anchor_joint, links):
        sigma[joint + 1] = _next_joint(curve, sigma[joint], pitch, 1, joint + 1)
    for joint in range(anchor_joint, 0, -1):
        sigma[joint - 1] = _next_joint(curve, sigma[joint], pitch, -1, joint - 1)
    return sigma


def _next_joint(curve: PlaneCurve, start: float, pitch: float, direction: int, joint: int) -> float:
    """Arc length of the first point at distance `pitch` from the point at `start`, ahead (+1) or behind (-1)."""
    origin = curve.position(np.asarray(start))

    def excess(arc: float) -> float:
        step = curve.position(np.asarray(start + direction * arc)) - origin
        return float(np.hypot(step[0], step[1])) - pitch

    limit = REACH * pitch
    if not curve.closed:
        limit = min(limit, curve.length - start if direction > 0 else start)
    # a chord is never longer than its arc, so nothing shorter than one pitch can reach; a straight line just does
    arcs = np.linspace(min(pitch, limit), limit, SCAN_STEPS + 1)
    steps = curve.position(start + direction * arcs) - origin
    outside = np.hypot(steps[:, 0], steps[:, 1]) - pitch >= -TOLERANCE * pitch
    if not outside.any():
        raise _does_not_fit(curve, start, pitch, direction, joint)
    first = int(np.argmax(outside))
    if first == 0:
        return start + direction * float(arcs[0])
    low, high = float(arcs[first - 1]), float(arcs[first])
    if excess(high) <= 0.0:
        return start + direction * high
    return start + direction * float(brentq(excess, low, high, xtol=TOLERANCE * pitch, rtol=4 * np.finfo(float).eps))


def _does_not_fit(curve: PlaneCurve, start: float, pitch: float, direction: int, joint: int) -> BoaError:
    if not curve.closed:
        rest = curve.length - start if direction > 0 else start
        if rest < REACH * pitch:
            side = "end" if direction > 0 else "start"
            return BoaError(
                f"the chain does not fit on the path: joint {joint} would lie beyond its {side} ({rest:.3f} m of path "
                f"left, one link needs {pitch:.3f} m); use a longer path, fewer links or another start progress"
            )
    return BoaError(
        f"the chain does not fit on the path: within {REACH * pitch:.3f} m of s = {start:.3f} m the path never gets "
        f"{pitch:.3f} m away (joint {joint}); it turns more tightly than one link allows"
    )
