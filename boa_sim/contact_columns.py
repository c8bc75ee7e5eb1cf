"""True contacts of an engine: from its points to one contact per touching link and obstacle."""

from __future__ import annotations

import numpy as np

from boa_control.plant import TruthColumns
from boa_description.arrays import Array


def merged(points: TruthColumns) -> TruthColumns:
    """One contact for all points of a pair that press, in order of instant, link and obstacle."""
    chosen = np.lexsort((points.obstacle, points.link, points.report))
    chosen = chosen[points.normal_force[chosen] > 0]
    points = points.select(chosen)
    pair = np.column_stack(points[:3])
    start = np.flatnonzero(np.r_[True, (pair[1:] != pair[:-1]).any(axis=1)][: len(pair)])
    result = points.select(start)
    count = np.diff(np.r_[start, len(pair)])
    for k in np.flatnonzero(count > 1):
        rows = slice(start[k], start[k] + count[k])
        weights, normals = points.normal_force[rows], points.normal[rows]
        total = weights @ normals
        size = float(np.linalg.norm(total))
        normal = total / size
        friction = points.friction[rows].sum(axis=0)
        result.point[k] = weights @ points.point[rows] / weights.sum()
        result.normal[k], result.normal_force[k] = normal, size
        result.friction[k] = friction - (friction @ normal) * normal
    return result


def tangents(normals: Array) -> Array:
    """Normals (..., 3) turned by -90 degrees in the plane, shape (..., 3)."""
    turned = np.zeros(normals.shape)
    turned[..., 0] = normals[..., 1]
    turned[..., 1] = -normals[..., 0]
    return turned
