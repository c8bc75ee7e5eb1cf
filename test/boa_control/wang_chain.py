# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A planar chain on a viscous floor in closed form, written independently of the product: absolute
link angles and the centre of mass (Pettersen, Liljebaeck et al., Snake Robots, 2013, section 2;
Wang, section II).

Link angles theta_i, i = 0 at the tail; l is half a link. With A, D the sums and differences of
neighbours, V = A'(DD')^-1 A and K = A'(DD')^-1 D, the equations of motion are

    (J + m l^2 (S V S + C V C)) theta'' + m l^2 (S V C - C V S) theta'^2
        = l S K f_x - l C K f_y + t - D' u,     N m p'' = sum f

where u are joint torques that turn link i + 1 against link i (so D' enters with a minus), f and t
the force and torque of the floor.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class WangChain:
    """A chain of equal rods on a floor with viscous friction along and across."""

    def __init__(
        self, links: int, pitch: float, mass: float, inertia: float, along: float, across: float
    ) -> None:
        n = links
        self.n, self.m, self.J, self.half = n, mass, inertia, pitch / 2
        self.ct, self.cn = along, across
        A = np.zeros((n - 1, n))
        D = np.zeros((n - 1, n))
        for i in range(n - 1):
            A[i, i] = A[i, i + 1] = D[i, i] = 1.0
            D[i, i + 1] = -1.0
        inverse = np.linalg.inv(D @ D.T)
        self.V, self.K, self.D = A.T @ inverse @ A, A.T @ inverse @ D, D

    def centres(self, theta: Array, p: Array) -> Array:
        """Link centres, shape (n, 2), m."""
        x = -self.half * self.K.T @ np.cos(theta) + p[0]
        y = -self.half * self.K.T @ np.sin(theta) + p[1]
        return np.column_stack((x, y))

    def accelerations(
        self, theta: Array, turning: Array, velocity: Array, u: Array
    ) -> tuple[Array, Array]:
        """theta'' (n,) and the acceleration of the centre of mass (2,)."""
        n, m, half = self.n, self.m, self.half
        c, s = np.cos(theta), np.sin(theta)
        S, C = np.diag(s), np.diag(c)
        vx = half * self.K.T @ (s * turning) + velocity[0]
        vy = -half * self.K.T @ (c * turning) + velocity[1]
        fx, fy = np.zeros(n), np.zeros(n)
        for i in range(n):
            R = np.array([[c[i], -s[i]], [s[i], c[i]]])
            fx[i], fy[i] = -R @ np.diag([self.ct, self.cn]) @ R.T @ np.array([vx[i], vy[i]])
        torque = -self.cn * (2 * half) ** 2 / 12 * turning
        M = self.J * np.eye(n) + m * half**2 * (S @ self.V @ S + C @ self.V @ C)
        W = m * half**2 * (S @ self.V @ C - C @ self.V @ S)
        right = half * S @ self.K @ fx - half * C @ self.K @ fy + torque - self.D.T @ u
        angular = np.linalg.solve(M, right - W @ turning**2)
        return angular, np.array([fx.sum(), fy.sum()]) / (n * m)

    def step(self, state: Array, u: Callable[[Array], Array], dt: float) -> Array:
        """One step of the classical Runge-Kutta method; `state` is theta, p, theta', p', and `u`
        gives the joint torques in a state.
        """
        n = self.n

        def rate(x: Array) -> Array:
            angular, shift = self.accelerations(x[:n], x[n + 2 : 2 * n + 2], x[2 * n + 2 :], u(x))
            return np.concatenate((x[n + 2 :], angular, shift))

        k1 = rate(state)
        k2 = rate(state + dt / 2 * k1)
        k3 = rate(state + dt / 2 * k2)
        k4 = rate(state + dt * k3)
        return state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
