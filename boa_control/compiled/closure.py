# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Margins of closure, as compiled loops; what they are is explained in
`boa_control.planning.search.windows`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boa_control.compiled import compiled, inner

NEGATIVE = -1e-9  # up to which a share of a force counts as 0


@inner
def _least_sums(least: Any, wrenches: Any, rest: Any, singular: float) -> Any:
    """Write the least sums of mu for the contacts from each one on, shape (n - 3,): over all
    triples i < j < k that carry what is left to balance, `rest`, shape (n - 3, 3).
    """
    count = wrenches.shape[0]
    for i in range(count - 2):
        a, b, c = wrenches[i]
        for j in range(i + 1, count - 1):
            d, e, f = wrenches[j]
            # cross product of the first two
            x, y, z = b * f - c * e, c * d - a * f, a * e - b * d
            for k in range(j + 1, count):
                g, h, m = wrenches[k]
                volume = g * x + h * y + m * z
                if abs(volume) <= singular:
                    continue
                for first in range(min(i, count - 4) + 1):
                    u, v, w = rest[first]
                    third = (u * x + v * y + w * z) / volume
                    one = (u * (e * m - f * h) + v * (f * g - d * m) + w * (d * h - e * g)) / volume
                    two = (u * (h * c - m * b) + v * (m * a - g * c) + w * (g * b - h * a)) / volume
                    if one >= NEGATIVE and two >= NEGATIVE and third >= NEGATIVE:
                        least[first] = min(least[first], one + two + third)


@compiled("void(f8[::1], f8[:, :, ::1], f8)")
def worst_margins(margins: Any, wrenches: Any, singular: float) -> None:
    """Write the margins of each suffix of contacts, the least over k frictions, shape (n + 1,).

    Args:
        wrenches: shape (n, k, 3). singular: volume of three wrenches, over the cube of the largest
            component of all, that counts as 0.
    """
    count, frictions, _ = wrenches.shape
    margins[:] = 1.0 if count >= 4 else -1.0
    margins[max(0, count - 3) :] = -1.0
    if count < 4:
        return
    sets = count - 3
    rest, least = np.empty((sets, 3)), np.empty(sets)
    for n in range(frictions):
        some = np.ascontiguousarray(wrenches[:, n])
        for i in range(3):
            total = 0.0
            for k in range(count - 1, -1, -1):
                total -= some[k, i]
                if k < sets:
                    rest[k, i] = total
        least[:] = np.inf
        _least_sums(least, some, rest, singular * np.max(np.abs(some)) ** 3)
        for k in range(sets):
            size = count - k
            here = size / (size + least[k]) if np.isfinite(least[k]) else -1.0
            margins[k] = min(margins[k], here)
