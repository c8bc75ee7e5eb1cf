# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the links are, for whole runs at once."""

import numpy as np

from boa_description.arrays import Array, Integers
from boa_description.chain import joint_axes, link_headings


def link_points_in_world(
    base: Array, joints: Array, pitch: float, tick: Integers, link: Integers, local: Array
) -> Array:
    """World positions, shape (K, 2), of points given in link frames (origin at the tail-side joint,
    x to the head).

    Args:
        tick, link: shape (K,), which row of `base` and which link each point belongs to.
        local: shape (K, 2), m.
    """
    origin = joint_axes(pitch, base, joints)[tick, link]
    theta = link_headings(base, joints)[tick, link]
    cos, sin = np.cos(theta), np.sin(theta)
    turned = np.column_stack(
        (cos * local[:, 0] - sin * local[:, 1], sin * local[:, 0] + cos * local[:, 1])
    )
    return origin + turned
