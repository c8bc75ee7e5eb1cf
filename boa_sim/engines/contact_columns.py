# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""True contacts of an engine: from its points to one contact per touching link and obstacle."""

import numpy as np

from boa_control.plant import TruthColumns
from boa_description.arrays import Array


def merged(points: TruthColumns) -> TruthColumns:
    """One contact for all points of a pair that press, in order of instant, link and obstacle."""
    pressing = np.lexsort((points.obstacle, points.link, points.report))
    pressing = pressing[points.normal_force[pressing] > 0]
    pair = np.column_stack(points[:3])[pressing]
    start = np.flatnonzero(np.r_[True, (pair[1:] != pair[:-1]).any(axis=1)][: len(pair)])
    result = points.select(pressing[start])
    count = np.diff(np.r_[start, len(pair)])
    several = np.flatnonzero(count > 1)
    if several.size:
        points = points.select(pressing[(count > 1).repeat(count)])
        first = np.cumsum(count[several]) - count[several]
        weight = points.normal_force[:, None]
        total = np.add.reduceat(weight * points.normal, first)
        size = np.linalg.norm(total, axis=1)
        normal = total / size[:, None]
        friction = np.add.reduceat(points.friction, first)
        result.point[several] = np.add.reduceat(weight * points.point, first)
        result.point[several] /= np.add.reduceat(weight, first)
        result.normal[several], result.normal_force[several] = normal, size
        along = (friction * normal).sum(axis=1, keepdims=True)
        result.friction[several] = friction - along * normal
    return result


def tangents(normals: Array) -> Array:
    """Normals (..., 3) turned by -90 degrees in the plane, shape (..., 3)."""
    turned = np.zeros(normals.shape)
    turned[..., 0] = normals[..., 1]
    turned[..., 1] = -normals[..., 0]
    return turned
