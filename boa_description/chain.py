# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the links of a planar chain are, for one pose or for whole series of poses (leading
dimensions broadcast).
"""

import numpy as np

from boa_description.arrays import Array


def link_headings(base: Array, joints: Array) -> Array:
    """Headings of all links, shape (..., n), rad.

    Args:
        base: shape (..., 3), x, y of the tail-side end of link 1 and its heading, m and rad.
        joints: shape (..., n - 1), joint angles, rad.
    """
    first, shape = base[..., 2:3], joints.shape[:-1]
    if base.shape[:-1] != shape:
        shape = np.broadcast_shapes(base.shape[:-1], shape)
    headings = np.empty((*shape, joints.shape[-1] + 1))
    headings[..., :1] = first
    np.add(first, np.add.accumulate(joints, axis=-1), out=headings[..., 1:])
    return headings


def first_link_rates(yaw_rate: Array, joint_rate: Array) -> Array:
    """Turn rate of link 1 as each link has it, shape (..., n), rad/s; NaN where that of the link
    is.

    Args:
        yaw_rate: turn rates of the links, shape (..., n), rad/s.
        joint_rate: of the joints, shape (..., n - 1), rad/s.
    """
    first = yaw_rate.copy()
    first[..., 1:] -= joint_rate.cumsum(axis=-1)
    return first


def joint_axes(pitch: float, base: Array, joints: Array) -> Array:
    """Ends of the link spines from tail to head, shape (..., n + 1, 2), m; point i is the tail-side
    end of link i.
    """
    theta = link_headings(base, joints)
    steps = pitch * np.stack((np.cos(theta), np.sin(theta)), axis=-1)
    tail = base[..., None, :2]
    return np.concatenate((tail, tail + np.cumsum(steps, axis=-2)), axis=-2)


def centre_of_mass(pitch: float, base: Array, joints: Array) -> Array:
    """Centre of mass of a chain of equal links, shape (..., 2), m; arguments as of
    `link_headings`.
    """
    axes = joint_axes(pitch, base, joints)
    return (axes[..., 1:, :] + axes[..., :-1, :]).mean(axis=-2) / 2


def spine_points(pitch: float, tail: Array, cos: Array, sin: Array) -> Array:
    """The same from the directions of the links, for who has them already (it rounds otherwise).

    Args:
        tail: shape (..., 2), tail-side end of link 1, m.
        cos, sin: of the headings, shape (..., n).
    """
    points = np.empty((*cos.shape[:-1], cos.shape[-1] + 1, 2))
    points[..., 0, :] = tail
    points[..., 1:, 0] = tail[..., :1] + pitch * cos.cumsum(axis=-1)
    points[..., 1:, 1] = tail[..., 1:2] + pitch * sin.cumsum(axis=-1)
    return points


def joint_differences(links: int) -> Array:
    """Matrix (links, links - 1) from joint values v to v_i - v_{i-1} for every link, v being 0
    beyond the ends.
    """
    return np.eye(links, links - 1) - np.eye(links, links - 1, -1)
