# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gaps between a body that is held by posts and these and other posts: how fast they open as far as
joint rates show it, and how surely they are known.

The posts that hold the body may stand off their places as well: they carry it aside and turn it,
the more so the further the other post is from them.
"""

import numpy as np
from numpy.typing import NDArray

from boa_control.compiled import gaps
from boa_control.model.base_motion import base_motion
from boa_description.arrays import Array, Indices

LOOSE = 1e-6  # beside the squares of presences: a body that too few posts hold may lie anywhere


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
