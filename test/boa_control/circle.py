# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The circle on which many tests lay Boa."""

from __future__ import annotations

import numpy as np

from boa_control.paths.settings import CirclePath


def circle(sides: str = "LRRL") -> CirclePath:
    """The path of the scenario `boa_circle`, with posts on these sides."""
    return CirclePath(
        kind="circle",
        radius=1.15,
        segments=24,
        attack_angle=np.radians(30),
        half_line=0.13,
        sides=sides,
    )
