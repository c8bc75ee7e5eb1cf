# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Force sensors against known forces: weights that are hung on single joints, and the forces that
accelerated links need.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from boa_description.arrays import Array, Indices

LEAST = 0.1  # N, standard deviation of a force that is large enough to tell
RESPONDS = 0.2  # share of the known force from which a sensor responds to it


class Response(NamedTuple):
    """What the sensors make of known forces.

    Attributes:
        sensor: shape (n_joints,), which sensor answers for each joint, from 0.
        gain: shape (n_joints, 2), measured by known force, axes x and y of that sensor; NaN where
            the force was too small to tell.
        responds: shape (n_joints,), whether any does.
    """

    sensor: Indices
    gain: Array
    responds: Array


def hung(change: Array, newton: float) -> Response:
    """The response to weights.

    Args:
        change: shape (n_joints, 2, n_joints, 2): joint that was loaded, axis of the load, sensor,
            axis of the sensor, N.
        newton: of every load, N.
    """
    strength = np.linalg.norm(change, axis=(1, 3)) / newton
    sensor = strength.argmax(axis=1)
    joints = np.arange(len(change))
    gain = np.stack([change[joints, axis, sensor, axis] for axis in (0, 1)], axis=1) / newton
    return Response(sensor, gain, strength.max(axis=1) > RESPONDS)


def inertial(angle: Array, acceleration: Array, mass: float) -> Array:
    """Force of link i + 1 on link i that the accelerations of the links ahead need where nothing
    else touches the robot, shape (m, n_joints, 2), N, in the axes of link i + 1.

    Args:
        angle: shape (m, n_joints), rad.
        acceleration: shape (m, n_links, 2), of the link centres, link axes, m/s2.
        mass: of a link, kg.
    """
    heading = np.concatenate([np.zeros((len(angle), 1)), np.cumsum(angle, axis=1)], axis=1)
    common = _turned(acceleration, heading)
    ahead = np.cumsum(common[:, ::-1], axis=1)[:, ::-1][:, 1:]
    return -mass * _turned(ahead, -heading[:, 1:])


def accelerated(force: Array, expected: Array) -> Response:
    """The response to the forces of `inertial`; both (m, n_joints, 2), N."""
    measured, known = force - force.mean(axis=0), expected - expected.mean(axis=0)
    flat = measured.transpose(1, 0, 2).reshape(measured.shape[1], -1)
    wish = known.transpose(1, 0, 2).reshape(known.shape[1], -1)
    correlation = np.abs(flat @ wish.T) / np.maximum(
        np.linalg.norm(flat, axis=1)[:, None] * np.linalg.norm(wish, axis=1), 1e-9
    )
    sensor, joint = linear_sum_assignment(-correlation)
    order = sensor[np.argsort(joint)]
    power = np.maximum((known**2).sum(axis=0), 1e-9)
    gain = (measured[:, order] * known).sum(axis=0) / power
    gain[known.std(axis=0) < LEAST] = np.nan
    silent = (np.abs(gain) < RESPONDS).any(axis=1)
    return Response(order, gain, ~silent)


def _turned(vectors: Array, angle: Array) -> Array:
    """Vectors of shape (..., 2) turned by angles (...), rad."""
    cos, sin = np.cos(angle), np.sin(angle)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)
