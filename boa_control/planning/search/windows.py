# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How well the contacts of a window of the path hold the body, and how well they can push along it.

While the head goes from one contact to the next, the contacts on the body are a window of the
sequence of contacts of which only the tail end changes: closure along the path is a finite test.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

from boa_description.arrays import Array, Indices
from boa_description.quaternion import cross

SINGULAR = 1e-9


@cache
def _triples(count: int) -> Indices:
    return np.array(list(combinations(range(count), 3)), dtype=np.intp)


def contact_wrenches(points: Array, normals: Array) -> Array:
    """Unit normal forces as wrenches (force, moment about the origin of `points`), shape (n, 3).

    Args:
        points, normals: shape (n, 2), m and unit vectors from post to body.
    """
    moment = points[:, 0] * normals[:, 1] - points[:, 1] * normals[:, 0]
    return np.column_stack([normals, moment])


def margin(wrenches: Array) -> float:
    """How evenly frictionless contacts can press without moving the body, as
    `boa_control.planning.first_order.margin`, without a linear program.

    Args:
        wrenches: shape (n, 3), any origin, any unit of length.

    Returns:
        1 where all can press alike, 0 where closure is just lost, -1 where there is none.
    """
    return float(suffix_margins(wrenches)[0])


def suffix_margins(wrenches: Array) -> Array:
    """Margins of the contacts from each one on to the last, and of none; shape (n + 1,).

    Contact forces are 1 + mu with mu >= 0 and W' mu = -W' 1; the margin is n / (n + least sum of
    mu), and that least sum lies at a corner, where at most three of the mu are not zero.

    Args:
        wrenches: as `margin`.
    """
    count = len(wrenches)
    margins = np.full(count + 1, -1.0)
    if count < 4:
        return margins
    sets = count - 3  # of at least four contacts
    triples = _triples(count)
    corners = wrenches[triples.T]
    duals = cross(corners[[1, 2, 0]], corners[[2, 0, 1]])
    volume = np.einsum("ij,ij->i", corners[0], duals[0])
    sound = np.abs(volume) > SINGULAR * np.abs(wrenches).max() ** 3
    if not sound.any():
        return margins
    duals /= np.where(sound, volume, 1.0)[:, None]
    rest = -wrenches[::-1].cumsum(axis=0)[::-1][:sets]
    mu = duals @ rest.T
    within = triples[:, :1] >= np.arange(sets)
    possible = sound[:, None] & within & (mu >= -1e-9).all(axis=0)
    least = np.where(possible, mu.sum(axis=0), np.inf).min(axis=0)
    size = count - np.arange(sets)
    margins[:sets] = np.where(np.isfinite(least), size / (size + least), -1.0)
    return margins
