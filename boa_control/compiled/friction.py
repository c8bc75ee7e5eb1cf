# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction of the joints from the forces that the sensors measure in them, as compiled loops; what
the numbers mean is explained in `estimation.friction`.
"""

from __future__ import annotations

from typing import Any

from boa_control.compiled import compiled


@compiled("void(f8[::1], f8[::1], f8[:, ::1], c16[::1])")
def along_links(along: Any, total: Any, headward: Any, link: Any) -> None:
    """Write the parts along the links, shape (n,), N, of forces on single links, which come as sums
    in the world.

    Args:
        total: on all links, at least x and y of it. headward: on all beyond each joint, (2, n - 1).
        link: unit vectors of the links as complex numbers, shape (n,).
    """
    last = link.size - 1
    x, y = total[0], total[1]
    for i in range(link.size):
        ahead_x, ahead_y = (headward[0, i], headward[1, i]) if i < last else (0.0, 0.0)
        along[i] = (x - ahead_x) * link[i].real + (y - ahead_y) * link[i].imag
        x, y = ahead_x, ahead_y
