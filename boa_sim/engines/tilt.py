# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A floor that is not level, as an engine sees it."""

import math

import numpy as np

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.scene import GRAVITY
from boa_sim.world import Physics


def tilt_quaternion(downhill: tuple[float, float]) -> Array:
    """The rotation x, y, z, w from a frame on a tilted floor to a level one that has not turned
    about the vertical. `downhill`: part of gravity along the floor, x and y, m/s2.
    """
    x, y = downhill
    along = math.hypot(x, y)
    half = 0.5 * math.asin(along / GRAVITY)
    axis = np.array([-y, x, 0.0]) / along if along else np.zeros(3)
    return np.append(math.sin(half) * axis, math.cos(half))


def require_level(physics: Physics, remedy: str) -> None:
    """Refuse a tilted floor. Raises BoaError, which ends with the `remedy`."""
    if any(physics.downhill):
        raise BoaError(f"disturbance.floor_tilt: this world's floor is level; {remedy}")
