# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact forces from joint constraint forces, joint torques and link accelerations (per-link
Newton-Euler).

Every link is a free body: the joint forces and torques at its two ends are measured, so what is
missing for m a and I alpha must come from outside. Method: Løwer, Gravdahl, Varagnolo and Stavdahl,
"Proprioceptive Contact Force and Contact Point Estimation in a Stationary Snake Robot" (SYROCO
2022) and "A Novel Model for Link Dynamics in Planar Snake Robots Using Internal Constraint Force
Sensing" (CCTA 2023). Here all links are solved together by generalised least squares: neighbours
share a sensor, so their errors are correlated, and links without contact tell something about the
sensor they share with one that has. See docs/mathematics_thesis.md.

Everything happens in link frames, so no pose is needed.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dposv, dptsv

from boa_control.estimation.chain_sample import ChainSample, SampleNoise
from boa_control.model.contact_geometry import LinkContacts
from boa_description.arrays import Array
from boa_description.chain import joint_differences
from boa_description.robot import Robot

# N, standard deviation of a missing joint force: so large that it carries no information
UNKNOWN_FORCE = 1e4
TYPICAL_ACCELERATION = 2.0  # m/s2, of a link whose IMU is missing
PRIOR_INFORMATION = 1e-9  # 1/N2
TYPICAL_FORCE = 50.0  # N, contact force for which friction is expected; only a weak prior


@dataclass(frozen=True, slots=True)
class LinkWrenches:
    """Net external force and moment on every link, as measured.

    Attributes:
        value: shape (3 n,): force x, y of every link in its own frame (n x 2 flattened, N), then
            the moments about the link centres (n, N m).
        covariance: shape (3 n, 3 n).
    """

    value: Array
    covariance: Array


@dataclass(frozen=True, slots=True)
class ForceEstimate:
    """Normal forces of a set of contacts.

    Attributes:
        force: shape (nc,), N; unbiased, so it may be slightly negative where there is no force.
        covariance: shape (nc, nc), N2.
    """

    force: Array
    covariance: Array

    @property
    def std(self) -> Array:
        """Standard deviation of each force, N."""
        deviation: Array = np.sqrt(np.diag(self.covariance))
        return deviation


class ContactForceEstimator:
    """Newton-Euler of all links at once; holds only constants, every method is pure."""

    def __init__(
        self, robot: Robot, noise: SampleNoise, *, friction: float = 0.0, fixed_base: bool = False
    ) -> None:
        """Prepare for `robot`.

        Args:
            friction: Coulomb coefficient of the contacts; above zero their friction forces are
                unknowns too.
            fixed_base: link 1 is bolted to the world, so its own balance says nothing.
        """
        self._robot = robot
        self._noise = noise
        self._friction = friction
        self._fixed_base = fixed_base
        n = robot.links
        self.half_pitch = robot.link.pitch / 2
        self._row = 2 * np.arange(n - 1)  # of the force rows of a joint's tail-side link
        self._joint = np.arange(n - 1)
        self._torque_map = joint_differences(n)
        self._mass = robot.link.mass
        inertia = robot.link.yaw_inertia
        self._armature = robot.actuator.armature
        self._damping = robot.actuator.damping
        model = np.zeros((3 * n, 3 * n))
        model[2 * n :, 2 * n :] = noise.torque**2 * (self._torque_map @ self._torque_map.T)
        model[np.diag_indices(2 * n)] += (self._mass * noise.acceleration) ** 2
        self._model_covariance = model
        # moment per angular acceleration: of the links, and of the rotors through the joints
        self._swing = inertia * np.eye(n) + self._armature * self._torque_map @ self._torque_map.T
        neighbours = np.full(n, 2.0)
        neighbours[[0, -1]] = 1.0
        ridge = 2 * (noise.acceleration / noise.angular_acceleration) ** 2
        self._alpha_diagonal = self.half_pitch**2 * neighbours + ridge

    def link_wrenches(self, sample: ChainSample, alpha: Array | None = None) -> LinkWrenches:
        """Net external wrench of every link, with the covariance of its error.

        Args:
            alpha: `angular_accelerations(sample)` where the caller has them already.

        Raises:
            BoaError: the arrays do not fit the robot.
        """
        n = self._robot.links
        sample.check(self._robot)
        force, weight = _without_gaps(sample.joint_force, self._noise.joint_force, UNKNOWN_FORCE)
        acceleration, missing = _without_gaps(sample.acceleration, 0.0, TYPICAL_ACCELERATION)
        if alpha is None:
            alpha = self.angular_accelerations(sample)
        # motor torque less friction reaches the next link; less what turns the rotor, which
        # `_swing` counts
        torque = sample.torque - self._damping * sample.joint_velocity
        cos = np.cos(sample.joints)
        from_joints = self._joint_force_map(cos, np.sin(sample.joints))
        value = -(from_joints @ force.ravel())
        value[: 2 * n] += self._mass * acceleration.ravel()
        value[2 * n :] += self._swing @ alpha + self._torque_map @ torque
        spread = from_joints * np.repeat(weight, 2)
        covariance: Array = spread @ spread.T + self._model_covariance
        covariance[2 * n :, 2 * n :] += self._swing @ self._angular_covariance(cos) @ self._swing
        if missing.any():
            covariance.flat[: 2 * n * (3 * n + 1) : 3 * n + 1] += np.repeat(
                (self._mass * missing) ** 2, 2
            )
        return LinkWrenches(value, covariance)

    def forces(
        self, sample: ChainSample, contacts: LinkContacts, alpha: Array | None = None
    ) -> ForceEstimate:
        """Normal forces of `contacts`: point and normal from the map, size from the sensors.

        Args:
            contacts: every place where something may push; a force on a link outside these places
                becomes an error.
            alpha: as in `link_wrenches`.
        """
        if not len(contacts):
            return ForceEstimate(np.zeros(0), np.zeros((0, 0)))
        count = len(contacts)
        wrenches = self.link_wrenches(sample, alpha)
        known = contact_wrench_map(self._robot, contacts)
        value, covariance = wrenches.value, wrenches.covariance
        prior = np.full(count, PRIOR_INFORMATION)
        if self._friction > 0:
            known = np.hstack((known, friction_wrench_map(self._robot, contacts)))
            prior = np.concatenate((prior, np.full(count, (self._friction * TYPICAL_FORCE) ** -2)))
        if self._fixed_base:
            n = self._robot.links
            keep = np.delete(np.arange(3 * n), (0, 1, 2 * n))
            known, value, covariance = known[keep], value[keep], covariance[np.ix_(keep, keep)]
        _, weighted, _ = dposv(covariance, known)
        information = weighted.T @ known
        # two contacts at one place cannot be told apart: the weak prior shares the force between
        # them
        information.flat[:: len(information) + 1] += prior
        spread: Array = np.linalg.inv(information)
        return ForceEstimate((spread @ (weighted.T @ value))[:count], spread[:count, :count])

    def angular_accelerations(self, sample: ChainSample) -> Array:
        """Angular acceleration of every link from those of the link centres, shape (n,), rad/s2.

        Neighbouring links share a joint axis, whose acceleration can be told from either side:
        a_{i+1} - a_i = l/2 (alpha_i n_i + alpha_{i+1} n_{i+1} - omega_i^2 u_i - omega_{i+1}^2
        u_{i+1}). A straight chain leaves the alternating pattern open; the weak prior sets it to
        zero.
        """
        half = self.half_pitch
        cos, sin = np.cos(sample.joints), np.sin(sample.joints)
        rate, acceleration = sample.yaw_rate, sample.acceleration
        if np.isnan(rate.sum() + acceleration.sum()):
            rate, acceleration = np.nan_to_num(rate), np.nan_to_num(acceleration)
        centripetal = half * rate**2
        ahead_x, ahead_y = acceleration[1:, 0] + centripetal[1:], acceleration[1:, 1]
        # both sides in the frame of the tail-side link
        x = cos * ahead_x - sin * ahead_y - acceleration[:-1, 0] + centripetal[:-1]
        y = sin * ahead_x + cos * ahead_y - acceleration[:-1, 1]
        known = np.zeros(cos.size + 1)
        known[:-1] = half * y
        known[1:] += half * (cos * y - sin * x)
        alpha: Array = dptsv(self._alpha_diagonal, half**2 * cos, known)[2]
        return alpha

    def _angular_covariance(self, cos: Array) -> Array:
        """Covariance of the error of `angular_accelerations`, shape (n, n), rad2/s4."""
        system = np.diag(self._alpha_diagonal)
        joint = self._joint
        system[joint, joint + 1] = system[joint + 1, joint] = self.half_pitch**2 * cos
        covariance: Array = np.asarray(
            2 * self._noise.acceleration**2 * np.linalg.inv(system), float
        )
        return covariance

    def _joint_force_map(self, cos: Array, sin: Array) -> Array:
        """Wrenches of the joint forces on the links, shape (3 n, 2 (n - 1)), all in link frames.

        Joint force i is measured in the frame of link i + 1; link i sees it turned by the joint
        angle.
        """
        n, row, joint, half = self._robot.links, self._row, self._joint, self.half_pitch
        mapping = np.zeros((3 * n, 2 * (n - 1)))
        mapping[row, row] = mapping[row + 1, row + 1] = cos
        mapping[row, row + 1], mapping[row + 1, row] = -sin, sin
        mapping[row + 2, row] = mapping[row + 3, row + 1] = -1.0
        # at either end the force turns the link the same way: arm and force change sign together
        mapping[2 * n + joint, row], mapping[2 * n + joint, row + 1] = half * sin, half * cos
        mapping[2 * n + joint + 1, row + 1] = half
        return mapping


def contact_wrench_map(robot: Robot, contacts: LinkContacts) -> Array:
    """Wrenches on the links (order of `LinkWrenches`) per unit normal force, shape (3 n, nc)."""
    column = np.arange(len(contacts))
    wrench = np.zeros((3 * robot.links, len(contacts)))
    wrench[2 * contacts.link, column] = contacts.normal[:, 0]
    wrench[2 * contacts.link + 1, column] = contacts.normal[:, 1]
    # the normal passes through the spine at the contact offset
    wrench[2 * robot.links + contacts.link, column] = (
        contacts.offset - robot.link.pitch / 2
    ) * contacts.normal[:, 1]
    return wrench


def friction_wrench_map(robot: Robot, contacts: LinkContacts) -> Array:
    """Wrenches on the links (order of `LinkWrenches`) per unit force along the normal turned by -90
    degrees.
    """
    column, point = np.arange(len(contacts)), contacts.point
    x, y = contacts.normal[:, 1], -contacts.normal[:, 0]
    wrench = np.zeros((3 * robot.links, len(contacts)))
    wrench[2 * contacts.link, column] = x
    wrench[2 * contacts.link + 1, column] = y
    wrench[2 * robot.links + contacts.link, column] = (
        point[:, 0] - robot.link.pitch / 2
    ) * y - point[:, 1] * x
    return wrench


def _without_gaps(vectors: Array, std: float, missing_std: float) -> tuple[Array, Array]:
    """Vectors with missing rows set to zero, and the standard deviation of each row."""
    missing = np.isnan(vectors[:, 0] + vectors[:, 1])
    if not missing.any():
        return vectors, np.full(len(vectors), std)
    return np.where(missing[:, None], 0.0, vectors), np.where(missing, missing_std, std)
