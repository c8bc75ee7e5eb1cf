# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A grid on which paths are easily found: rows of posts, every second one shifted."""

from __future__ import annotations

import math


def hexagonal(pitch: float, width: float, height: float, turn: float) -> list[tuple[float, float]]:
    """Posts, x and y, m, between (0, 0) and (width, height); the rows turned by `turn`, rad."""
    c, s = math.cos(turn), math.sin(turn)
    posts = [
        (c * x - s * y, s * x + c * y)
        for row in range(-20, 40)
        for column in range(-20, 40)
        for x, y in [(pitch * (column + 0.5 * (row % 2)), pitch * 0.75**0.5 * row)]
    ]
    return [(x, y) for x, y in posts if 0 <= x <= width and 0 <= y <= height]
