# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the posts of a path repeat with its curve."""

import numpy as np

from boa_control.model.reference import ReferenceTable
from boa_control.paths.path import PlannedPath
from boa_description.arrays import Array

# m, up to which two posts stand alike along the curve, and have the same radius
SAME_PLACE, SAME_KIND = (
    1e-4,
    1e-6,
)


def post_period(path: PlannedPath) -> int:
    """Number of repeats of the curve after which the posts stand alike; 1 without a symmetry.

    On an open path, whose ends differ anyway, posts are compared where both repeats have some.
    """
    curve, repeat = path.curve, path.curve.repeat
    if repeat is None or not path.contacts:
        return 1
    repeats = round(curve.length / repeat.length)
    posts = np.array([[post.s, post.side, post.radius] for post in path.contacts])
    for period in range(1, repeats):
        shifted = posts + np.array([period * repeat.length, 0.0, 0.0])
        here = posts
        if curve.closed:
            shifted[:, 0] %= curve.length
        else:
            here = posts[posts[:, 0] > shifted[0, 0] - SAME_PLACE]
            shifted = shifted[shifted[:, 0] < posts[-1, 0] + SAME_PLACE]
        if _alike(here, shifted, curve.length if curve.closed else np.inf):
            return period
    return repeats


def pattern_length(path: PlannedPath) -> float:
    """Length after which curve and posts repeat; the whole path where they do not, m."""
    repeat = path.curve.repeat
    return (
        path.curve.length
        if repeat is None
        else min(post_period(path) * repeat.length, path.curve.length)
    )


def pattern_extent(path: PlannedPath, reference: ReferenceTable) -> tuple[float, float]:
    """Where a chain on the path finds one whole `pattern_length` of it, or all there is: start and
    length, m.
    """
    start, end = reference.extent
    return start, min(pattern_length(path), end - start)


def _alike(some: Array, others: Array, lap: float) -> bool:
    """Whether every post (row s, side, radius) of `some` is one of `others`; along s modulo
    `lap`.
    """
    if len(some) != len(others):
        return False
    ahead = np.abs(some[:, None, 0] - others[None, :, 0])
    near = np.minimum(ahead, lap - ahead) < SAME_PLACE
    same = near & np.all(np.abs(some[:, None, 1:] - others[None, :, 1:]) < SAME_KIND, axis=2)
    return bool(same.any(axis=1).all())
