# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How IMUs sit in their links, from motions that all links make together."""

import numpy as np

from boa_description.arrays import Array


def turned_shares(yaw: Array) -> Array:
    """How far each heading has turned, shape (n_links,), as a share of what most have: 1 where the
    IMU agrees, -1 where it is upside down, 0 where it does not notice.

    Args:
        yaw: shape (m, n_links), rad, while the whole robot is turned counter-clockwise.
    """
    change = yaw[-1] - yaw[0]
    return np.asarray(change / np.median(np.abs(change)), dtype=float)


def rate_shares(time: Array, yaw: Array, rate: Array) -> Array:
    """Turn rate of each IMU as a share of the slope of its own heading, shape (n_links,): 1 where
    both have one sign and unit. Shapes (m,), (m, n_links), (m, n_links); s, rad, rad/s.
    """
    step = np.diff(time)[:, None]
    slope = np.diff(yaw, axis=0)
    mean = 0.5 * (rate[1:] + rate[:-1]) * step
    total = np.cumsum(slope, axis=0)
    return np.asarray(
        (np.cumsum(mean, axis=0) * total).sum(axis=0) / np.maximum((total**2).sum(axis=0), 1e-9)
    )


def mounting_angles(acceleration: Array, way: float) -> Array:
    """Angle of each accelerometer's x axis from its link's, shape (n_links,), rad.

    Args:
        acceleration: shape (m, n_links, 2), sensor axes, m/s2, while the straight robot is shoved;
            it begins and ends at rest.
        way: direction of the shove in the links' axes, rad.
    """
    # from rest to rest the mean acceleration is that of a tilted sensor; the rest gives the way
    velocity = np.cumsum(acceleration - acceleration.mean(axis=0), axis=0)
    moved = velocity.sum(axis=0)
    seen = np.arctan2(moved[:, 1], moved[:, 0])
    return np.asarray((way - seen + np.pi) % (2 * np.pi) - np.pi)
