"""Second-order immobility of a planar body between round posts (Rimon and Burdick).

Where first-order form closure fails, curvature can still hold the body: a motion that keeps all gaps to first
order may press into a post to second order. E. Rimon, J. Burdick, "Mobility of bodies in contact", IEEE Trans.
Robotics and Automation 14 (1998) 696: the body is immobile if every first-order free twist v is blocked by an
equilibrium of contact forces, sum_i lam_i v' H_i v < 0, H_i being the second derivative of gap i.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from boa_control.closure.first_order import is_closed

Array = NDArray[np.float64]

DIRECTIONS = 90  # of free twists that are tried where there is a plane of them
TOLERANCE = 1e-9


def gap_derivatives(points: Array, normals: Array, centres: Array) -> tuple[Array, Array]:
    """First and second derivative of the gaps between straight flanks of a body and round posts.

    The flank moves with the body, the post's centre O stays: g = N . (p - O) - r with the flank's inward normal N
    (from the post to the body) and any flank point p. With twist v = (x, y, omega) about the mean contact point:
    J = (N, (O - c) x N) at the origin c, and v' H v = 2 omega (N x v_xy) + omega^2 N . (O - c).

    Args:
        points: contact points, normals: from post to body, centres: of the posts; shape (nc, 2).

    Returns:
        J (nc, 3) and H (nc, 3, 3). Lengths are in units of the spread of the contacts.
    """
    origin = points.mean(axis=0)
    scale = max(float(np.sqrt(np.mean(np.sum((points - origin) ** 2, axis=1)))), 1e-9)
    arm = (centres - origin) / scale
    first = np.column_stack([normals, arm[:, 0] * normals[:, 1] - arm[:, 1] * normals[:, 0]])
    second = np.zeros((len(points), 3, 3))
    second[:, 0, 2] = second[:, 2, 0] = -normals[:, 1]
    second[:, 1, 2] = second[:, 2, 1] = normals[:, 0]
    second[:, 2, 2] = np.sum(normals * arm, axis=1)
    return first, second


def order_of_immobility(points: Array, normals: Array, centres: Array) -> int | None:
    """1 or 2: the order to which straight flanks between round posts are held; None where they can get away.

    Args:
        points, normals, centres: as in `gap_derivatives`, shape (nc, 2).
    """
    if len(points) < 2:
        return None
    if is_closed(points, normals):
        return 1
    first, second = gap_derivatives(points, normals, centres)
    if not _balanced(first):
        return None
    _, sizes, axes = np.linalg.svd(first)
    rank = int(np.sum(sizes > 1e-6 * sizes[0]))
    free = axes[rank:]
    if len(free) == 0 or len(free) > 2:
        return None
    angles = np.linspace(0, np.pi, DIRECTIONS, endpoint=False)
    twists = free if len(free) == 1 else np.outer(np.cos(angles), free[0]) + np.outer(np.sin(angles), free[1])
    held = all(_blocked(first, np.einsum("j,ijk,k->i", twist, second, twist)) for twist in twists)
    return 2 if held else None


def _balanced(first: Array) -> bool:
    """Whether all contacts together can press without moving the body: J' lam = 0 with every lam > 0."""
    count = len(first)
    result = linprog(
        np.r_[np.zeros(count), -1.0],
        A_ub=np.column_stack([-np.eye(count), np.ones(count)]),
        b_ub=np.zeros(count),
        A_eq=np.vstack([np.column_stack([first.T, np.zeros(3)]), np.r_[np.ones(count), 0.0]]),
        b_eq=np.r_[np.zeros(3), 1.0],
        bounds=[(0, None)] * (count + 1),
        method="highs",
    )
    return bool(result.status == 0 and result.x is not None and result.x[-1] > 1e-6)


def _blocked(first: Array, bends: Array) -> bool:
    """Whether some equilibrium lam >= 0, J' lam = 0, sum lam = 1 makes sum lam_i v' H_i v negative."""
    count = len(first)
    result = linprog(
        bends,
        A_eq=np.vstack([first.T, np.ones(count)]),
        b_eq=np.r_[np.zeros(3), 1.0],
        bounds=[(0, None)] * count,
        method="highs",
    )
    return bool(result.status == 0 and result.fun is not None and result.fun < -TOLERANCE)
