# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pose of link 1 from joint angles, an obstacle map and measured contacts, without global sensor.

A touching link fixes one combination of x, y and heading: its gap is zero. Three or more contacts
fix the pose; with fewer, the IMU carries it on. The belief is an extended Kalman filter over pose
and velocity of link 1; every step is a pure function. docs/mathematics_thesis.md derives the rows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boa_control.estimation.chain_sample import ChainSample
from boa_control.model.contact_geometry import LinkContacts
from boa_description.arrays import Array
from boa_description.chain import first_link_rates

# of pose and velocity; m and rad, m/s and rad/s
START_STD = np.array([5e-3, 5e-3, 0.02, 1e-3, 1e-3, 1e-3])
_POSITION, _RATE = np.arange(3), np.arange(3, 6)  # places in the six-dimensional state


@dataclass(frozen=True, slots=True)
class PoseNoise:
    """Standard deviations that weigh map, motion and IMU against each other.

    Attributes:
        gap: m, of the map and of the compression of a contact.
        gap_rate: m/s, of a touching contact.
        acceleration, angular_acceleration: m/s2 and rad/s2, what the IMU prediction misses.
        yaw_rate: rad/s.
    """

    gap: float = 0.5e-3
    gap_rate: float = 5e-3
    acceleration: float = 0.3
    angular_acceleration: float = 5.0
    yaw_rate: float = 5e-3


@dataclass(frozen=True, slots=True)
class PoseBelief:
    """Pose and velocity of link 1 with their uncertainty.

    Attributes:
        base: shape (3,), x, y of the tail-side joint axis, heading; m and rad.
        velocity: shape (3,), m/s and rad/s.
        covariance: shape (6, 6), of (base, velocity).
    """

    base: Array
    velocity: Array
    covariance: Array


def start_belief(base: Array) -> PoseBelief:
    """Belief at rest at a start pose that is known as well as `START_STD` says."""
    return PoseBelief(np.array(base, float), np.zeros(3), np.diag(START_STD**2))


def predict(belief: PoseBelief, acceleration: Array, dt: float, noise: PoseNoise) -> PoseBelief:
    """Move the belief on by `dt` under the acceleration of link 1's tail end, shape (3,), world,
    m/s2 and rad/s2.
    """
    base = belief.base + dt * belief.velocity + dt**2 / 2 * acceleration
    velocity = belief.velocity + dt * acceleration
    transition = np.eye(6)
    transition[_POSITION, _RATE] = dt
    spread = np.array([noise.acceleration, noise.acceleration, noise.angular_acceleration]) ** 2
    covariance = transition @ belief.covariance @ transition.T
    covariance[_POSITION, _POSITION] += spread * dt**4 / 4
    covariance[_POSITION, _RATE] += spread * dt**3 / 2
    covariance[_RATE, _POSITION] += spread * dt**3 / 2
    covariance[_RATE, _RATE] += spread * dt**2
    return PoseBelief(base, velocity, covariance)


def base_acceleration(pitch: float, heading: float, sample: ChainSample, alpha: Array) -> Array:
    """Acceleration of link 1's tail end from its IMU, shape (3,), world; zero where it is missing.

    Args:
        alpha: shape (n,), angular accelerations of the links, rad/s2.
    """
    x, y, rate = sample.acceleration[0, 0], sample.acceleration[0, 1], sample.yaw_rate[0]
    if np.isnan(x + y + rate):
        return np.zeros(3)
    x, y = x + pitch / 2 * rate**2, y - pitch / 2 * alpha[0]
    cos, sin = np.cos(heading), np.sin(heading)
    return np.array([cos * x - sin * y, sin * x + cos * y, alpha[0]])


@dataclass(frozen=True, slots=True)
class Measurement:
    """Linear measurements of the belief's error.

    Attributes:
        rows: shape (k, 6), derivative with respect to (base, velocity).
        residual: shape (k,), measured less expected. variance: shape (k,).
    """

    rows: Array
    residual: Array
    variance: Array


def contact_measurement(
    belief: PoseBelief,
    contacts: LinkContacts,
    jacobian: Array,
    joint_velocity: Array,
    touching: NDArray[np.bool_],
    noise: PoseNoise,
) -> Measurement:
    """Touching pairs have gap and gap rate zero, and no pair overlaps.

    Args:
        contacts, jacobian: pairs and their gap Jacobian as measured at `belief.base`.
        touching: shape (nc,), which of them touch.
    """
    used = touching | (contacts.gap < 0)
    gap_rows, rate_rows = jacobian[used, :3], jacobian[touching]
    gaps, touches = len(gap_rows), len(rate_rows)
    rows = np.zeros((gaps + touches, 6))
    rows[:gaps, :3], rows[gaps:, 3:] = gap_rows, rate_rows[:, :3]
    rates = rate_rows[:, :3] @ belief.velocity + rate_rows[:, 3:] @ joint_velocity
    variance = np.repeat([noise.gap**2, noise.gap_rate**2], [gaps, touches])
    return Measurement(rows, -np.concatenate((contacts.gap[used], rates)), variance)


def imu_measurement(belief: PoseBelief, sample: ChainSample, noise: PoseNoise) -> Measurement:
    """The turn rate of link 1 from the yaw rates of all links that answer."""
    rates = first_link_rates(sample.yaw_rate, sample.joint_velocity)
    rates = rates[~np.isnan(rates)]
    if not rates.size:
        return Measurement(np.zeros((0, 6)), np.zeros(0), np.zeros(0))
    residual = rates.mean(keepdims=True) - belief.velocity[2]
    return Measurement(np.eye(6)[5:], residual, np.array([noise.yaw_rate**2 / rates.size]))


def correct(belief: PoseBelief, *measurements: Measurement) -> PoseBelief:
    """One Kalman correction with all measurements together (Joseph form, which stays symmetric and
    positive).
    """
    rows = np.vstack([measurement.rows for measurement in measurements])
    if not len(rows):
        return belief
    residual = np.concatenate([measurement.residual for measurement in measurements])
    variance = np.concatenate([measurement.variance for measurement in measurements])
    spread = rows @ belief.covariance
    innovation = spread @ rows.T
    innovation.flat[:: len(rows) + 1] += variance
    gain = np.linalg.solve(innovation, spread).T
    change = gain @ residual
    keep = np.eye(6) - gain @ rows
    covariance = keep @ belief.covariance @ keep.T + (gain * variance) @ gain.T
    return PoseBelief(belief.base + change[:3], belief.velocity + change[3:], covariance)
