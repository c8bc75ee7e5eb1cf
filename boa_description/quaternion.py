# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Unit quaternions x, y, z, w (the order of ROS) as rows of arrays: pure functions.

A quaternion is written as an array of shape (..., 4); it and its negative are one rotation.
"""

import numpy as np

from boa_description.arrays import Array

# a turn of 180 degrees about z makes (-y, x, w, -z) of x, y, z, w
HALF_TURN, HALF_SIGN = np.array([1, 0, 3, 2]), np.array([-1.0, 1.0, 1.0, -1.0])
UNIT = 0.01  # by which the length of one from outside may differ from 1
HALF = np.array(0.5)  # an array, as numpy would make a plain number one at every call


def no_rotation(quaternion: Array) -> str:
    """Why x, y, z, w from outside, shape (4,), are no rotation, with the remedy; empty where they
    are one.
    """
    size = float(np.linalg.norm(quaternion))
    if abs(size - 1.0) <= UNIT:
        return ""
    return f"its quaternion has length {size:g}, a rotation has 1; for no turn give w: 1"


def yaw_quaternion(yaw: Array | float) -> Array:
    """Quaternions x, y, z, w of rotations about z, shape (..., 4)."""
    half = HALF * np.asarray(yaw, dtype=np.float64)
    turn = np.zeros((*half.shape, 4))
    turn[..., 2], turn[..., 3] = np.sin(half), np.cos(half)
    return turn


def yaw_of(quaternions: Array) -> Array:
    """Rotations about z of quaternions x, y, z, w, shape (..., 4); wrapped to [-pi, pi], rad."""
    z, w = quaternions[..., 2], quaternions[..., 3]
    # q and -q are the same rotation
    return 2.0 * np.arctan2(np.where(w < 0, -z, z), np.abs(w))


def turned_about_vertical(quaternions: Array, angle: Array | float) -> Array:
    """Rotations (..., 4) followed by turns of `angle` (...), rad, about the world's z axis."""
    half = 0.5 * np.asarray(angle, dtype=np.float64)
    turned: Array = np.cos(half)[..., None] * quaternions
    turned += np.sin(half)[..., None] * (quaternions.take(HALF_TURN, axis=-1) * HALF_SIGN)
    return turned


def rotated(quaternions: Array, vectors: Array) -> Array:
    """Vectors (..., 3) turned by rotations (..., 4)."""
    axis, w = quaternions[..., :3], quaternions[..., 3:]
    across = 2.0 * cross(axis, vectors)
    return vectors + w * across + cross(axis, across)


def cross(first: Array, second: Array) -> Array:
    """Cross products of rows; numpy's own takes several times as long on one pair."""
    a, b, c = (first[..., i] for i in range(3))
    x, y, z = (second[..., i] for i in range(3))
    product = np.empty(np.broadcast_shapes(first.shape, second.shape))
    product[..., 0] = b * z - c * y
    product[..., 1] = c * x - a * z
    product[..., 2] = a * y - b * x
    return product


def inverse(quaternions: Array) -> Array:
    """The opposite rotations, shape (..., 4)."""
    return quaternions * np.array([-1.0, -1.0, -1.0, 1.0])


def from_x_axis(directions: Array) -> Array:
    """Rotations (..., 4) that turn the x axis into unit `directions` (..., 3): a turn about z after
    a tilt about y. Horizontal directions give a turn about z alone.
    """
    yaw = np.arctan2(directions[..., 1], directions[..., 0])
    level = np.hypot(directions[..., 0], directions[..., 1])
    half = -0.5 * np.arctan2(directions[..., 2], level)
    tilt = np.zeros((*half.shape, 4))
    tilt[..., 1], tilt[..., 3] = np.sin(half), np.cos(half)
    return turned_about_vertical(tilt, yaw)


def product(first: Array, second: Array) -> Array:
    """Rotations (..., 4): `second`, seen from the frame that `first` turned."""
    axis, w = first[..., :3], first[..., 3:]
    other, v = second[..., :3], second[..., 3:]
    result = np.empty(np.broadcast_shapes(first.shape, second.shape))
    result[..., :3] = w * other + v * axis + cross(axis, other)
    result[..., 3:] = w * v - np.sum(axis * other, axis=-1, keepdims=True)
    return result
