# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed-form model of a planar arm with two links and two joints (2R), without gravity.

Derived from the kinetic energy K = 1/2 sum (m_i |v_i|^2 + I_i omega_i^2) with
  |v_1|^2 = c_1^2 theta_1'^2,
  |v_2|^2 = l_1^2 theta_1'^2 + c_2^2 (theta_1' + theta_2')^2 + 2 l_1 c_2 cos(theta_2) theta_1'
  (theta_1' + theta_2'),
where c_i is the distance of the centre of mass from joint i. With
  a_1 = m_1 c_1^2 + m_2 c_2^2 + m_2 l_1^2 + I_1 + I_2,  a_2 = m_2 c_2^2 + I_2,  a_3 = 2 m_2 l_1 c_2
that gives M_11 = a_1 + a_3 cos, M_12 = a_2 + a_3/2 cos, M_22 = a_2.
The thesis (before eq. 3.1) writes the mixed term of K as (1/2) (a_2 + a_3 cos) theta_1' theta_2'
and so gets M_12 = (1/2)(a_2 + a_3 cos): half of a_2 is missing, because I_2 and m_2 c_2^2 turn with
theta_1' + theta_2'.
"""

from dataclasses import dataclass

import numpy as np

from boa_description.arrays import Array


@dataclass(frozen=True, slots=True)
class TwoLinkArm:
    """Lengths l_i (m), centre distances c_i (m), masses m_i (kg), inertias I_i (kg m2).

    q = (theta_1, theta_2): heading of link 1 in the world, angle of link 2 relative to link 1; rad.
    """

    length: tuple[float, float]
    centre: tuple[float, float]
    mass: tuple[float, float]
    inertia: tuple[float, float]
    damping: float = 0.0
    armature: float = 0.0

    def mass_matrix(self, q: Array) -> Array:
        """M(q), shape (2, 2), kg m2."""
        a1, a2, a3 = self._constants()
        cos = np.cos(q[1])
        m12 = a2 + a3 / 2 * cos
        return np.array([[a1 + a3 * cos + self.armature, m12], [m12, a2 + self.armature]])

    def bias(self, q: Array, qd: Array) -> Array:
        """Centrifugal, Coriolis and viscous torques h(q, qd), (2,): M qdd + h = tau + J' f."""
        _, _, a3 = self._constants()
        sin = np.sin(q[1])
        coriolis = a3 / 2 * sin * np.array([-2 * qd[0] * qd[1] - qd[1] ** 2, qd[0] ** 2])
        viscous: Array = coriolis + self.damping * qd
        return viscous

    def tip(self, q: Array) -> Array:
        """Position of the end of link 2 from joint 1, shape (2,), m."""
        first, second = q[0], q[0] + q[1]
        l1, l2 = self.length
        return np.array(
            [l1 * np.cos(first) + l2 * np.cos(second), l1 * np.sin(first) + l2 * np.sin(second)]
        )

    def jacobian(self, q: Array) -> Array:
        """d tip / d q, shape (2, 2)."""
        first, second = q[0], q[0] + q[1]
        l1, l2 = self.length
        x2, y2 = -l2 * np.sin(second), l2 * np.cos(second)
        return np.array([[-l1 * np.sin(first) + x2, x2], [l1 * np.cos(first) + y2, y2]])

    def jacobian_rate(self, q: Array, qd: Array) -> Array:
        """Time derivative of the Jacobian, shape (2, 2)."""
        first, second = q[0], q[0] + q[1]
        l1, l2 = self.length
        turn = qd[0] + qd[1]
        x2, y2 = -l2 * np.cos(second) * turn, -l2 * np.sin(second) * turn
        return np.array(
            [[-l1 * np.cos(first) * qd[0] + x2, x2], [-l1 * np.sin(first) * qd[0] + y2, y2]]
        )

    def _constants(self) -> tuple[float, float, float]:
        (l1, _), (c1, c2), (m1, m2), (i1, i2) = self.length, self.centre, self.mass, self.inertia
        return m1 * c1**2 + m2 * c2**2 + m2 * l1**2 + i1 + i2, m2 * c2**2 + i2, 2 * m2 * l1 * c2
