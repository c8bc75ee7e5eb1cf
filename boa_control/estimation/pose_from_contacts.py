"""Where is link 1? From joint angles, an obstacle map and the contacts felt, without any global sensor.

A touching link fixes one combination of x, y and heading: its gap is zero. Three or more contacts fix the pose;
with fewer, the IMU carries it on. The belief is an extended Kalman filter over pose and velocity of link 1;
every step is a pure function. docs/mathematics_thesis.md derives the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boa_control.contact_geometry import LinkContacts, gap_jacobian, headings, measure_contacts, rotate
from boa_control.estimation.contact_forces import ChainSample, ContactForceEstimator
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_description.scene import Box, Circle, Wall

Array = NDArray[np.float64]


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
    transition[:3, 3:] = dt * np.eye(3)
    spread = np.array([noise.acceleration, noise.acceleration, noise.angular_acceleration]) ** 2
    covariance = transition @ belief.covariance @ transition.T
    covariance[:3, :3] += np.diag(spread * dt**4 / 4)
    covariance[:3, 3:] += np.diag(spread * dt**3 / 2)
    covariance[3:, :3] += np.diag(spread * dt**3 / 2)
    covariance[3:, 3:] += np.diag(spread * dt**2)
    return PoseBelief(base, velocity, covariance)


def base_acceleration(estimator: ContactForceEstimator, heading: float, sample: ChainSample) -> Array:
    """Acceleration of link 1's tail end from the IMUs, shape (3,), world; zero where they are missing."""
    if not (np.isfinite(sample.acceleration).all() and np.isfinite(sample.yaw_rate).all()):
        return np.zeros(3)
    cos, sin = np.cos(sample.joints), np.sin(sample.joints)
    alpha = estimator.angular_accelerations(cos, sin, sample.acceleration, sample.yaw_rate)
    to_tail = estimator.half_pitch * np.array([sample.yaw_rate[0] ** 2, -alpha[0]])
    tail = rotate((sample.acceleration[0] + to_tail)[None, :], np.array([heading]))[0]
    return np.array([tail[0], tail[1], alpha[0]])


def correct_with_contacts(
    belief: PoseBelief,
    robot: Robot,
    joints: Array,
    joint_velocity: Array,
    contacts: LinkContacts,
    touching: NDArray[np.bool_],
    noise: PoseNoise,
) -> PoseBelief:
    """Use that touching pairs have gap and gap rate zero, and that no pair overlaps.

    Args:
        contacts: pairs as measured at `belief.base`.
        touching: shape (nc,), which of them are felt.
    """
    used = touching | (contacts.gap < 0)
    if not used.any():
        return belief
    chosen, felt = contacts.select(used), touching[used]
    jacobian = gap_jacobian(robot.link.pitch, belief.base, joints, chosen)
    base_rows, joint_rows = jacobian[:, :3], jacobian[:, 3:]
    rates = base_rows[felt] @ belief.velocity + joint_rows[felt] @ joint_velocity
    rows = np.zeros((len(chosen) + felt.sum(), 6))
    rows[: len(chosen), :3] = base_rows
    rows[len(chosen) :, 3:] = base_rows[felt]
    variance = np.concatenate((np.full(len(chosen), noise.gap**2), np.full(felt.sum(), noise.gap_rate**2)))
    return _correct(belief, rows, -np.concatenate((chosen.gap, rates)), variance)


def correct_with_imu(
    belief: PoseBelief, sample: ChainSample, noise: PoseNoise, heading: float | None = None
) -> PoseBelief:
    """Use the yaw rates of all links and, where `noise.yaw` is given, the `heading` (rad) that the IMU says."""
    rate = sample.yaw_rate - np.concatenate(([0.0], np.cumsum(sample.joint_velocity)))
    rows, residual, variance = [], [], []
    good = np.isfinite(rate)
    if good.any():
        rows.append([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
        residual.append(float(rate[good].mean()) - belief.velocity[2])
        variance.append(noise.yaw_rate**2 / good.sum())
    if heading is not None and noise.yaw is not None and np.isfinite(heading):
        rows.append([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        residual.append(heading - belief.base[2])
        variance.append(noise.yaw**2)
    if not rows:
        return belief
    return _correct(belief, np.array(rows), np.array(residual), np.array(variance))


def fit_pose(
    robot: Robot,
    joints: Array,
    obstacles: Sequence[Circle | Box | Wall],
    pairs: LinkContacts,
    start: Array,
    start_weight: float = 1e-3,
) -> Array:
    """Pose of link 1 at which all `pairs` touch, by damped Gauss-Newton from `start`, shape (3,).

    With fewer than three independent contacts the pose stays as near to `start` as the gaps allow.

    Args:
        start_weight: pull towards `start` relative to a gap; small, so that it decides only what the gaps leave open.

    Raises:
        BoaError: the iteration does not settle, so `start` is too far away for these pairs.
    """
    base = np.array(start, float)
    for _ in range(50):
        contacts = measure_contacts(robot, base, joints, obstacles, pairs)
        rows = np.vstack((gap_jacobian(robot.link.pitch, base, joints, contacts)[:, :3], start_weight * np.eye(3)))
        step = np.linalg.lstsq(rows, -np.concatenate((contacts.gap, np.zeros(3))), rcond=None)[0]
        base += step
        if np.abs(step).max() < 1e-11:
            return base
    raise BoaError(
        f"no pose near x, y, heading = {np.round(start, 3).tolist()} makes these {len(pairs)} contacts touch: "
        f"still moving by {np.abs(step).max():.1e} after 50 iterations; start nearer or drop a contact"
    )


def _correct(belief: PoseBelief, rows: Array, residual: Array, variance: Array) -> PoseBelief:
    """One Kalman correction (Joseph form, which stays symmetric and positive)."""
    gain = np.linalg.solve(rows @ belief.covariance @ rows.T + np.diag(variance), rows @ belief.covariance).T
    change = gain @ residual
    keep = np.eye(6) - gain @ rows
    covariance = keep @ belief.covariance @ keep.T + (gain * variance) @ gain.T
    return PoseBelief(belief.base + change[:3], belief.velocity + change[3:], covariance)
