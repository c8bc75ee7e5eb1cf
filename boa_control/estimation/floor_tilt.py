# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tilt of the floor, from the IMUs and from the joint force sensors of a robot at rest.

Every IMU knows the vertical, and lies in its link as the floor lies under it. So each tells the
part of gravity along the floor, and the joint angles turn what they tell into one frame. Their
median is the tilt; how far they differ says how well it is known, whatever they differ by: noise,
offsets, the way in which they are mounted.

Posts press across the links. What acts along all of them is their weight on a floor that is not
level, so joint force sensors tell the tilt as well, as soon as nothing else holds the links.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boa_description.arrays import Array
from boa_description.robot import Imu
from boa_description.scene import GRAVITY

SURE = 3.0  # standard deviations, below which a floor counts as level
MEDIAN_DEVIATION = 1.4826  # times which the median deviation of normal noise is its standard one


class Downhill(NamedTuple):
    """Part of gravity along the floor.

    Attributes:
        pull: x + iy, m/s2. std: of its size, m/s2.
    """

    pull: complex
    std: float

    @property
    def tilt(self) -> float:
        """Of the floor, rad."""
        return math.asin(min(abs(self.pull) / GRAVITY, 1.0))


LEVEL = Downhill(0j, 0.0)


def downhill_of(orientation: Array, position: Array, imu: Imu) -> Downhill:
    """Part of gravity along the floor in the frame of link 1, by one sample of a robot at rest;
    level where the sensors do not tell it from that, or fewer than half of them answer.

    Args:
        orientation: of the links, shape (n, 4), quaternions x, y, z, w in a world whose z is up;
            NaN where an IMU is silent.
        position: of the joints, shape (n - 1,), rad.
        imu: noise and counts of an accelerometer.
    """
    each = _pulls(orientation, position)
    each = each[np.isfinite(each)]
    if 2 * each.size < len(orientation):
        return LEVEL
    pull = complex(np.median(each.real), np.median(each.imag))
    scatter = MEDIAN_DEVIATION * np.median(np.abs(each - pull))
    own = imu.acceleration_noise**2 + imu.acceleration_quantum**2 / 12
    std = math.sqrt((scatter**2 + own) / each.size)
    return Downhill(pull, std) if abs(pull) > SURE * std else LEVEL


def pull_along(links: NDArray[np.complex128], force: Array, mass: float) -> Downhill:
    """The pull that explains the forces along the links best (least squares), and how well: by what
    it leaves unexplained.

    Args:
        links: unit vectors along them, shape (n,). force: along each from outside, shape (n,), N;
            NaN where a sensor is silent. mass: of a link, kg.
    """
    known = np.isfinite(force)
    if 2 * np.count_nonzero(known) < force.size:
        return LEVEL
    rows = np.column_stack([links.real, links.imag])[known]
    inverse = np.linalg.pinv(rows.T @ rows)
    pull = inverse @ rows.T @ force[known] / mass
    left = force[known] / mass - rows @ pull
    variance = left @ left / max(left.size - 2, 1) * np.trace(inverse)
    return Downhill(complex(*pull), math.sqrt(variance))


def _pulls(orientation: Array, position: Array) -> NDArray[np.complex128]:
    """What each IMU tells, x + iy in the frame of link 1, shape (n,), m/s2."""
    x, y, z, w = orientation.T
    up = 2.0 * (x * z - w * y) + 2.0j * (y * z + w * x)  # the world's z axis in the link's plane
    turn = np.append(0.0, np.cumsum(position))
    pulls: NDArray[np.complex128] = -GRAVITY * up * np.exp(1j * turn)
    return pulls
