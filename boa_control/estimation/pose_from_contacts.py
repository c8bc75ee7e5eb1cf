"""Where is link 1? From joint angles, an obstacle map and the contacts felt, without any global sensor.

A touching link fixes one combination of x, y and heading: its gap is zero. Three or more contacts fix the pose;
with fewer, the IMU carries it on. The belief is an extended Kalman filter over pose and velocity of link 1;
every step is a pure function. docs/mathematics_thesis.md derives the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boa_control.contact_geometry import LinkContacts, ObstacleMap, chain_pose, gap_jacobian, measure_contacts
from boa_control.estimation.contact_forces import ChainSample
from boa_description.errors import BoaError
from boa_description.robot import Robot

Array = NDArray[np.float64]

_POSITION, _RATE = np.arange(3), np.arange(3, 6)  # places in the six-dimensional state


@dataclass(frozen=True, slots=True)
class PoseNoise:
    """Standard deviations that weigh map, motion and IMU against each other.

    Attributes:
        gap: m, of the map and of the compression of a contact.
        gap_rate: m/s, of a touching contact.
        acceleration, angular_acceleration: m/s2 and rad/s2, what the IMU prediction misses.
        yaw_rate: rad/s. yaw: rad, None where the IMU heading is not used.
    """

    gap: float = 0.5e-3
    gap_rate: float = 5e-3
    acceleration: float = 0.3
    angular_acceleration: float = 5.0
    yaw_rate: float = 5e-3
    yaw: float | None = None


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


def start_belief(base: Array, position_std: float = 5e-3, heading_std: float = 0.02) -> PoseBelief:
    """Belief at rest at a start pose that is known to `position_std` (m) and `heading_std` (rad)."""
    std = np.array([position_std, position_std, heading_std, 1e-3, 1e-3, 1e-3])
    return PoseBelief(np.array(base, float), np.zeros(3), np.diag(std**2))


def predict(belief: PoseBelief, acceleration: Array, dt: float, noise: PoseNoise) -> PoseBelief:
    """Move the belief on by `dt` under the acceleration of link 1's tail end, shape (3,), world, m/s2 and rad/s2."""
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
        touching: shape (nc,), which of them are felt.
    """
    used = touching | (contacts.gap < 0)
    base_rows, felt_rows = jacobian[used, :3], jacobian[touching]
    near, felt = len(base_rows), len(felt_rows)
    rows = np.zeros((near + felt, 6))
    rows[:near, :3], rows[near:, 3:] = base_rows, felt_rows[:, :3]
    rates = felt_rows[:, :3] @ belief.velocity + felt_rows[:, 3:] @ joint_velocity
    variance = np.repeat([noise.gap**2, noise.gap_rate**2], [near, felt])
    return Measurement(rows, -np.concatenate((contacts.gap[used], rates)), variance)


def imu_measurement(
    belief: PoseBelief, sample: ChainSample, noise: PoseNoise, heading: float = float("nan")
) -> Measurement:
    """Yaw rates of all links, and where `noise.yaw` is given the `heading` (rad) of link 1 that the IMU says."""
    rates = sample.yaw_rate.copy()
    rates[1:] -= np.cumsum(sample.joint_velocity)
    good = ~np.isnan(rates)
    use_yaw = noise.yaw is not None and np.isfinite(heading)
    rows = np.zeros((int(good.any()) + int(use_yaw), 6))
    residual, variance = np.zeros(len(rows)), np.zeros(len(rows))
    if good.any():
        rows[0, 5], residual[0] = 1.0, rates[good].mean() - belief.velocity[2]
        variance[0] = noise.yaw_rate**2 / good.sum()
    if use_yaw and noise.yaw is not None:
        rows[-1, 2], residual[-1], variance[-1] = 1.0, heading - belief.base[2], noise.yaw**2
    return Measurement(rows, residual, variance)


def correct(belief: PoseBelief, *measurements: Measurement) -> PoseBelief:
    """One Kalman correction with all measurements together (Joseph form, which stays symmetric and positive)."""
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


def fit_pose(
    robot: Robot,
    joints: Array,
    obstacles: ObstacleMap,
    pairs: LinkContacts,
    start: Array,
    start_weight: float = 1e-3,
    largest_gap: float = 0.02,
) -> Array:
    """Pose of link 1 at which all `pairs` touch, by damped Gauss-Newton from `start`, shape (3,).

    It finds the solution next to `start`, which should be within about a centimetre and a few degrees: further away
    another pose may fit better. With fewer than three independent contacts the pose stays near `start` in what the
    gaps leave open; with more than three it is the least squares compromise.

    Args:
        start_weight: pull towards the previous iterate, relative to a gap.
        largest_gap: m, that may remain where more than three contacts contradict each other (displaced posts).

    Raises:
        BoaError: the iteration does not settle, or settles with a larger gap: `start` is too far away.
    """
    base = np.array(start, float)
    for _ in range(50):
        chain = chain_pose(robot, base, joints)
        contacts = measure_contacts(chain, obstacles, pairs)
        rows = np.vstack((gap_jacobian(chain, contacts)[:, :3], start_weight * np.eye(3)))
        step = np.linalg.lstsq(rows, -np.concatenate((contacts.gap, np.zeros(3))), rcond=None)[0]
        base += step
        if np.abs(step).max() < 1e-10:
            break
    remaining = float(np.abs(contacts.gap).max(initial=0.0))
    if np.abs(step).max() >= 1e-10 or remaining > largest_gap:
        raise BoaError(
            f"no pose near x, y, heading = {np.round(start, 3).tolist()} makes these {len(pairs)} contacts touch: "
            f"a gap of {remaining * 1e3:.1f} mm remains, limit {largest_gap * 1e3:g} mm; start nearer or drop a contact"
        )
    return base
