# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed-form dynamics of a planar chain of equal links: M(q) qdd + h(q, qd) = S' tau + J(q)' lam.

Generalised coordinates q = [x, y, theta_1, phi_1 .. phi_{n-1}]: tail-side end of link 1, its
heading, joint angles. Everything is first written in absolute headings theta_i = theta_1 +
sum_{k<i} phi_k, where the chain has a compact form, and brought to q by summing columns from the
head backwards (docs/mathematics.md, "The chain"). u_i = (cos theta_i, sin theta_i) points along
link i to the head, n_i to its left.

Shapes are those for one posture. Many at once, in leading dimensions of q and qd, are answered in
the same dimensions.
"""

from dataclasses import dataclass

import numpy as np

from boa_description.arrays import Array
from boa_description.chain import spine_points
from boa_description.robot import Robot, require_planar


@dataclass(frozen=True, slots=True)
class Posture:
    """Headings of all links and their mutual differences, from which every other quantity follows.

    Attributes:
        theta, cos, sin: shape (n,).
        cos_between, sin_between: shape (n, n), of theta_i - theta_j.
    """

    theta: Array
    cos: Array
    sin: Array
    cos_between: Array
    sin_between: Array


@dataclass(frozen=True, slots=True)
class JointForceMap:
    """Joint constraint forces as a linear function of the accelerations.

    The force of link i + 1 on link i is F_i = (outer forces on the links beyond joint i) - rows_i
    qdd - bias_i.

    Attributes:
        x, y: shape (n - 1, n + 2), kg: world components of the momentum rate of the links beyond
            each joint.
    """

    x: Array
    y: Array


class PlanarChain:
    """The constants of a chain, and its dynamics as pure functions of posture and rates. SI units
    throughout.

    Attributes:
        turning_rows: turn rate of every link as rows on qd, shape (n, n + 2).
    """

    def __init__(self, robot: Robot) -> None:
        """Raises BoaError for a robot that leaves the plane."""
        require_planar(robot, "the closed-form model of the chain")
        n = robot.links
        self.links = n
        self.pitch = robot.link.pitch
        self.radius = robot.link.radius
        self.link_mass = robot.link.mass
        self.armature = robot.actuator.armature
        self.damping = robot.actuator.damping
        # centre of link i: c_i = base + pitch sum_j lever_ij u_j
        lever = np.tril(np.ones((n, n)), -1) + 0.5 * np.eye(n)
        self._before = np.tril(np.ones((n, n)), -1)
        self._lever = self.pitch * lever
        self._reach = self.link_mass * self._lever.sum(axis=0)
        self._inertia = self.link_mass * self._lever.T @ self._lever
        self._headward = self.link_mass * np.array(
            [self._lever[i + 1 :].sum(axis=0) for i in range(n - 1)]
        )
        self._mass_headward = self.link_mass * np.arange(n - 1, 0, -1.0)
        self.turning_rows = np.hstack([np.zeros((n, 2)), np.tril(np.ones((n, n)))])
        self._diagonal = np.diag(np.full(n, robot.link.yaw_inertia))

    def posture(self, q: Array) -> Posture:
        """Headings and their differences for q, shape (n + 2,)."""
        theta = q[..., 2:].cumsum(axis=-1)
        c, s = np.cos(theta), np.sin(theta)
        cj, sj = c[..., None, :], s[..., None, :]
        ci, si = c[..., None], s[..., None]
        return Posture(theta, c, s, ci * cj + si * sj, si * cj - ci * sj)

    def joint_axes(self, q: Array, posture: Posture) -> Array:
        """Joint axes from the tail-side end of link 1 to the head, shape (n + 1, 2), m."""
        return spine_points(self.pitch, q[..., :2], posture.cos, posture.sin)

    def mass_matrix(self, posture: Posture) -> Array:
        """M(q), shape (n + 2, n + 2), with the rotor inertia of the joints."""
        n = self.links
        M = np.zeros((*posture.theta.shape[:-1], n + 2, n + 2))
        M[..., 0, 0] = M[..., 1, 1] = n * self.link_mass
        M[..., 0, 2:] = M[..., 2:, 0] = from_head(-self._reach * posture.sin)
        M[..., 1, 2:] = M[..., 2:, 1] = from_head(self._reach * posture.cos)
        absolute = self._inertia * posture.cos_between + self._diagonal
        M[..., 2:, 2:] = from_head(np.swapaxes(from_head(absolute), -1, -2))
        joints = np.arange(3, n + 2)
        M[..., joints, joints] += self.armature
        return M

    def bias(self, posture: Posture, qd: Array) -> Array:
        """Centrifugal and Coriolis forces h(q, qd), shape (n + 2,); no friction."""
        squared = np.cumsum(qd[..., 2:], axis=-1) ** 2
        h = np.empty(qd.shape)
        h[..., 0] = -(posture.cos * squared) @ self._reach
        h[..., 1] = -(posture.sin * squared) @ self._reach
        h[..., 2:] = from_head(times(self._inertia * posture.sin_between, squared))
        return h

    def centre_velocities(self, posture: Posture, qd: Array) -> Array:
        """Velocities of the link centres, shape (n, 2), m/s."""
        rates = np.cumsum(qd[..., 2:], axis=-1)
        x = qd[..., :1] - (posture.sin * rates) @ self._lever.T
        y = qd[..., 1:2] + (posture.cos * rates) @ self._lever.T
        return np.stack([x, y], axis=-1)

    def centre_forces(self, posture: Posture, force: Array) -> Array:
        """Generalised forces of world forces at the link centres, shape (n, 2), N."""
        fx, fy = force[..., 0], force[..., 1]
        generalised = np.empty((*fx.shape[:-1], self.links + 2))
        generalised[..., :2] = force.sum(axis=-2)
        generalised[..., 2:] = from_head(
            posture.cos * (fy @ self._lever) - posture.sin * (fx @ self._lever)
        )
        return generalised

    def across_rows(self, posture: Posture) -> Array:
        """Speed of every link's tail-side axis along its normal n_i as rows on qd, shape (n, n +
        2).
        """
        rows = np.empty((*posture.theta.shape, self.links + 2))
        rows[..., 0] = -posture.sin
        rows[..., 1] = posture.cos
        rows[..., 2:] = from_head(self.pitch * posture.cos_between * self._before)
        return rows

    def along_rows(self, posture: Posture) -> Array:
        """Speed of every link's tail-side axis along its direction u_i as rows on qd, shape (n, n +
        2).
        """
        rows = np.empty((*posture.theta.shape, self.links + 2))
        rows[..., 0] = posture.cos
        rows[..., 1] = posture.sin
        rows[..., 2:] = from_head(self.pitch * posture.sin_between * self._before)
        return rows

    def joint_force_map(self, posture: Posture) -> JointForceMap:
        """The momentum rate of the links beyond each joint as rows on qdd."""
        n = self.links
        x, y = np.zeros((2, *posture.theta.shape[:-1], n - 1, n + 2))
        x[..., 0] = y[..., 1] = self._mass_headward
        x[..., 2:] = from_head(-self._headward * posture.sin[..., None, :])
        y[..., 2:] = from_head(self._headward * posture.cos[..., None, :])
        return JointForceMap(x, y)

    def joint_force_bias(self, posture: Posture, qd: Array) -> Array:
        """Momentum rate of the links beyond each joint at qdd = 0, shape (n - 1, 2), N."""
        squared = np.cumsum(qd[..., 2:], axis=-1) ** 2
        return -np.stack(
            [
                (posture.cos * squared) @ self._headward.T,
                (posture.sin * squared) @ self._headward.T,
            ],
            axis=-1,
        )


def from_head(absolute: Array) -> Array:
    """Sum the last axis from the head backwards: from d/d theta_i to d/d [theta_1, phi_1 ..]."""
    summed: Array = absolute[..., ::-1].cumsum(axis=-1)[..., ::-1]
    return summed


def times(matrix: Array, vector: Array) -> Array:
    """Matrix times vector, shapes (..., m, n) and (..., n)."""
    product: Array = (matrix @ vector[..., None])[..., 0]
    return product
