# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gaps between a body that is held by posts and these and other posts: how fast they open as far as
joint rates show it, and how surely they are known.

The posts that hold the body may stand off their places as well: they carry it aside and turn it,
the more so the further the other post is from them.

How fast a body that few posts hold yet drifts towards the others.

Joint angles do not show it: the body moves as a whole. Gyroscopes tell how fast it turns, and the
posts that it touches how it does not move; of what is left it is taken to rest.

Motion of the base that keeps contacts closed as well as possible, by weighted least squares.

The kernels of the control step (`compiled.gaps`) have theirs in their own file.
"""

import math

import numpy as np
from numpy.typing import NDArray

from boa_control.compiled import gaps
from boa_control.compiled.detection import less_joint_rates
from boa_control.plant import SensorFrame
from boa_description.arrays import Array, Flags, Indices

TURN_WEIGHT = 100.0  # m2, of the measured turn rate beside contacts that stay closed
REST_WEIGHT = 1e-3  # 1 and m2, of a base at rest beside them
LOOSE = 1e-6  # beside the squares of presences: a body that too few posts hold may lie anywhere


def base_motion(
    base: Array, weight: Array, prior: Array, moved: Array, pull: Array | float = 0.0
) -> Array:
    """xi, shape (3,) or (3, k), with the least sum of w (J_b xi - g)^2 and p (xi - e)^2.

    Args:
        base: J_b, motions of the gaps per motion of the base, shape (nc, 3).
        weight: w, shape (nc,), >= 0.
        prior: p, shape (3,), > 0: where the contacts leave the base free, it moves as expected.
        moved: g, motions of the gaps, shape (nc,), or (nc, k) for several at once.
        pull: p e, shape (3,), of the expected motion e; 0: rest.
    """
    held = (base * weight[:, None]).T
    right: Array = np.asarray(held @ moved + pull, float)
    motion: Array = np.asarray(np.linalg.solve(held @ base + np.diag(prior), right), float)
    return motion


def turn_rate(frame: SensorFrame) -> float:
    """Of link 1 by all gyroscopes that answer, rad/s; NaN where none does."""
    if frame.imu is None:
        return float("nan")
    rates = frame.imu.yaw_rate  # an array of its own
    less_joint_rates(rates, frame.velocity)
    mean = float(np.add.reduce(rates)) / rates.size
    if math.isfinite(mean):
        return mean
    known = rates[np.isfinite(rates)]
    return float(known.mean()) if known.size else float("nan")


def closing_speed(gap: Array, touching: Flags, joint_rate: Array, turning: float) -> float:
    """Speed at which the body comes nearest to one of the posts that it does not touch, m/s, >= 0.

    Args:
        gap: J, shape (nc, n + 2). touching: shape (nc,).
        joint_rate: shape (n - 1,), rad/s. turning: of link 1, rad/s; NaN: not known.
    """
    if touching.all():
        return 0.0
    base: Array = gap[:, :3]
    rates: Array = gap[:, 3:] @ joint_rate
    known = math.isfinite(turning)
    prior = np.array([REST_WEIGHT, REST_WEIGHT, REST_WEIGHT + TURN_WEIGHT * known])
    turned = np.array([0.0, 0.0, TURN_WEIGHT * turning if known else 0.0])
    opening = rates + base @ base_motion(base, touching.astype(float), prior, -rates, turned)
    return max(-float(opening[~touching].min()), 0.0)


def gap_std(
    covariance: Array,
    post: Indices,
    normal: NDArray[np.complex128],
    base: Array,
    presence: Array,
) -> Array:
    """Standard deviations of the gaps of contacts, shape (nc,), m. With the pose that keeps the
    present gaps closed as well as possible, gap = n . p - J_b (W J_b)^+ W n . p for places p.

    Args:
        covariance: of x and y of all posts in turn, shape (2 posts, 2 posts), m2.
        post: of each contact, shape (nc,).
        normal: of the contacts, unit numbers x + iy in the frame of the posts, shape (nc,).
        base: J_b, rates of the gaps per rate of the pose, shape (nc, 3).
        presence: how surely each contact holds the body, shape (nc,), 0 to 1.
    """
    held = np.eye(post.size) - base @ base_motion(
        base, presence**2, np.full(3, LOOSE), np.eye(post.size)
    )
    rows = (held[:, :, None] * np.stack([normal.real, normal.imag], axis=1)).reshape(
        post.size, 2 * post.size
    )
    columns = np.stack([2 * post, 2 * post + 1], axis=1).ravel()
    variance = np.einsum("ij,jk,ik->i", rows, covariance[np.ix_(columns, columns)], rows)
    std: Array = np.sqrt(np.maximum(variance, 0.0))
    return std


def gap_rates(gap: Array, presence: Array, joint_rate: Array) -> Array:
    """Rates at which gaps open, as far as joint rates show them, shape (nc,), m/s; or by how much,
    m, for joint angles off those of the gaps.

    The base moves with the unknown rate xi that keeps the contacts closed as well as possible
    (least squares, weighted by presence); what remains of J_b xi + J_phi phi_dot are gaps that
    open or close. Three or fewer gaps tell nothing: some base closes them all.

    Args:
        gap: J, shape (nc, n + 2). presence: shape (nc,), 0 to 1. joint_rate: shape (n - 1,), rad/s.
    """
    rates = np.empty(presence.size)
    gaps.gap_rates(rates, gap, presence, joint_rate)
    return rates
