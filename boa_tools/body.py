"""Where the links are, for whole runs at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


def link_headings(base: Array, joints: Array) -> Array:
    """Headings of all links, shape (T, n), rad, from base (T, 3) and joint angles (T, n - 1)."""
    return base[:, 2:3] + np.concatenate((np.zeros((len(base), 1)), np.cumsum(joints, axis=1)), axis=1)


def chain_points(pitch: float, base: Array, joints: Array) -> Array:
    """Ends of the link spines from tail to head, shape (T, n + 1, 2), m; point i is the tail-side end of link i."""
    theta = link_headings(base, joints)
    steps = pitch * np.stack((np.cos(theta), np.sin(theta)), axis=-1)
    tail = base[:, None, :2]
    return np.concatenate((tail, tail + np.cumsum(steps, axis=1)), axis=1)


def link_points_in_world(
    base: Array, joints: Array, pitch: float, tick: Integers, link: Integers, local: Array
) -> Array:
    """World positions, shape (K, 2), of points given in link frames (origin at the tail-side joint, x to the head).

    Args:
        tick, link: shape (K,), which row of `base` and which link each point belongs to.
        local: shape (K, 2), m.
    """
    origin = chain_points(pitch, base, joints)[tick, link]
    theta = link_headings(base, joints)[tick, link]
    cos, sin = np.cos(theta), np.sin(theta)
    turned = np.column_stack((cos * local[:, 0] - sin * local[:, 1], sin * local[:, 0] + cos * local[:, 1]))
    return origin + turned
