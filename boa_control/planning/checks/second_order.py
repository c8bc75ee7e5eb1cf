# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Second-order immobility of a planar body between round posts (Rimon and Burdick).

Where first-order form closure fails, curvature can still hold the body: a motion that keeps all
gaps to first order may press into a post to second order. E. Rimon, J. Burdick, "Mobility of bodies
in contact", IEEE Trans. Robotics and Automation 14 (1998) 696: the body is immobile if every
first-order free twist v is blocked by an equilibrium of contact forces, sum_i lam_i v' H_i v < 0,
H_i being the second derivative of gap i.
"""

import numpy as np
from scipy.optimize import linprog

from boa_control.planning.checks.first_order import is_closed
from boa_description.arrays import Array, Flags

RANK = 1e-6  # of the largest singular value, below which one counts as 0
# up to which a twist of length 1 may close a gap and count as free, as in `first_order`
FREE = 1e-7
LARGEST_RATIO = 1e4  # of the forces in an equilibrium
TOLERANCE = 1e-9


def gap_derivatives(points: Array, normals: Array, centres: Array) -> tuple[Array, Array]:
    """First and second derivative of the gaps between straight flanks of a body and round posts.

    The flank moves with the body, the post's centre O stays: g = N . (p - O) - r with the flank's
    inward normal N (from the post to the body) and any flank point p. With twist v = (x, y, omega)
    about the mean contact point: J = (N, (O - c) x N) at the origin c, and v' H v = 2 omega (N x
    v_xy) + omega^2 N . (O - c).

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


def order_of_immobility(points: Array, normals: Array, centres: Array) -> int:
    """1 or 2: the order to which straight flanks between round posts are held; 0 where they can get
    away.

    Args:
        points, normals, centres: as in `gap_derivatives`, shape (nc, 2).
    """
    if len(points) < 2:
        return 0
    if is_closed(points, normals):
        return 1
    first, second = gap_derivatives(points, normals, centres)
    loaded = _loaded(first)
    if not loaded.any():
        return 0
    carrying, bends = first[loaded], second[loaded]
    twists = _free_twists(carrying, first[~loaded])
    held = all(_blocked(carrying, np.einsum("j,ijk,k->i", twist, bends, twist)) for twist in twists)
    return 2 if held else 0


def _loaded(first: Array) -> Flags:
    """Which contacts some equilibrium of contact forces loads, shape (nc,): J' lam = 0, lam >= 0,
    lam_i > 0.
    """
    count = len(first)  # unknowns: lam, and its part up to 1, of which the sum is to be large
    result = linprog(
        np.r_[np.zeros(count), -np.ones(count)],
        A_ub=np.hstack([-np.eye(count), np.eye(count)]),
        b_ub=np.zeros(count),
        A_eq=np.hstack([first.T, np.zeros((3, count))]),
        b_eq=np.zeros(3),
        bounds=[(0, LARGEST_RATIO)] * count + [(0, 1)] * count,
        method="highs",
    )
    return np.zeros(count, bool) if result.x is None else np.asarray(result.x[count:] > 0.5)


def _free_twists(carrying: Array, others: Array) -> Array:
    """The twists that decide among those that close no gap, shape (N, 3), each of length 1.

    A twist that opened the gap of a contact in equilibrium would close another one; so these are
    all kept, and what remains is a line of twists and its opposite, or a plane. In a plane all
    contacts in equilibrium share one line. Sliding across it bends no gap, and turning bends their
    balanced sum as much wherever its centre lies; so sliding and the limits that the other contacts
    set decide.

    Args:
        carrying: rows of J of the contacts that an equilibrium loads. others: of those that none
            does.
    """
    _, sizes, axes = np.linalg.svd(carrying)
    free = axes[int(np.sum(sizes > RANK * sizes[0])) :]
    if len(free) == 2:
        along = others @ free.T
        kept = (
            np.column_stack([-along[:, 1], along[:, 0]])
            / np.maximum(np.linalg.norm(along, axis=1), FREE)[:, None]
        )
        sliding = np.array([free[1, 2], -free[0, 2]]) / np.hypot(*free[:, 2])
        free = np.vstack([sliding, kept]) @ free
    twists = np.vstack([free, -free])
    allowed: Array = twists[(twists @ others.T >= -FREE).all(axis=1)]
    return allowed


def _blocked(first: Array, bends: Array) -> bool:
    """Whether some equilibrium lam >= 0, J' lam = 0, sum lam = 1 makes sum lam_i v' H_i v
    negative.
    """
    count = len(first)
    result = linprog(
        bends,
        A_eq=np.vstack([first.T, np.ones(count)]),
        b_eq=np.r_[np.zeros(3), 1.0],
        bounds=[(0, None)] * count,
        method="highs",
    )
    return bool(result.status == 0 and result.fun is not None and result.fun < -TOLERANCE)
