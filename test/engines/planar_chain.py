# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A second engine: the closed-form planar chain, without contacts, by Runge-Kutta steps.

Small but real: it shows that the simulated plant needs of its engine no more than the `World`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boa_control.model.dynamics import PlanarChain
from boa_control.plant import GroundTruth, PlanarTruth
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.quaternion import yaw_quaternion
from boa_description.robot import Robot
from boa_description.scene import Obstacle
from boa_sim.world import PLAIN, Physics


class ChainWorld:
    """A `World` without obstacles, floor or dry friction."""

    def __init__(
        self, robot: Robot, obstacles: Sequence[Obstacle] = (), physics: Physics = PLAIN
    ) -> None:
        refused = {
            "scene.obstacles": bool(obstacles),
            "scene.ground": physics.ground.model != "none",
            "dry joint friction": physics.coulomb > 0,
            "disturbance.mass_error": physics.mass_scale is not None
            and bool(np.any(physics.mass_scale != 1)),
        }
        for name, given in refused.items():
            if given:
                raise BoaError(f"plant.engine: the planar chain has no {name}; use mujoco")
        self.step = physics.step
        self._chain = PlanarChain(robot)
        self._height = robot.link.radius
        self._damping = robot.actuator.damping + physics.extra_damping
        n = robot.links
        self._lever = robot.link.pitch * (np.tril(np.ones((n, n)), -1) + 0.5 * np.eye(n))
        self.place(np.zeros(3), np.zeros(robot.joints))

    def place(self, base: Array, joints: Array) -> None:
        self._q = np.concatenate((base, joints)).astype(float)
        self._qd = np.zeros_like(self._q)
        self._torque = np.zeros(joints.size)
        self.refresh()

    def _qdd(self, q: Array, qd: Array, torque: Array) -> Array:
        posture = self._chain.posture(q)
        force = -self._chain.bias(posture, qd)
        force[3:] += torque - self._damping * qd[3:]
        return np.linalg.solve(self._chain.mass_matrix(posture), force)

    def advance(self, torque: Array) -> None:
        """One step of the classic Runge-Kutta method."""
        self._torque, h = np.array(torque, float), self.step
        q, qd = self._q, self._qd
        a = self._qdd(q, qd, self._torque)
        b = self._qdd(q + h / 2 * qd, qd + h / 2 * a, self._torque)
        c = self._qdd(q + h / 2 * qd + h**2 / 4 * a, qd + h / 2 * b, self._torque)
        d = self._qdd(q + h * qd + h**2 / 2 * b, qd + h * c, self._torque)
        self._q = q + h * qd + h**2 / 6 * (a + b + c)
        self._qd = qd + h / 6 * (a + 2 * b + 2 * c + d)

    def refresh(self) -> None:
        self._now = self._qdd(self._q, self._qd, self._torque)

    @property
    def finite(self) -> bool:
        return bool(np.isfinite(self._qd).all())

    @property
    def joint_position(self) -> Array:
        return self._q[3:].copy()

    @property
    def joint_velocity(self) -> Array:
        return self._qd[3:].copy()

    @property
    def heading(self) -> Array:
        return np.cumsum(self._q[2:])

    @property
    def orientation(self) -> Array:
        return yaw_quaternion(self.heading)

    @property
    def angular_velocity(self) -> Array:
        spin = np.zeros((self._q.size - 2, 3))
        spin[:, 2] = np.cumsum(self._qd[2:])
        return spin

    @property
    def acceleration(self) -> Array:
        theta, rate = self.heading, np.cumsum(self._qd[2:])
        alpha, c, s = np.cumsum(self._now[2:]), np.cos(theta), np.sin(theta)
        x = self._now[0] - self._lever @ (s * alpha + c * rate**2)
        y = self._now[1] + self._lever @ (c * alpha - s * rate**2)
        return np.column_stack((c * x + s * y, c * y - s * x, np.zeros(theta.size)))

    @property
    def joint_force(self) -> Array:
        posture = self._chain.posture(self._q)
        rows = self._chain.joint_force_map(posture)
        bias = self._chain.joint_force_bias(posture, self._qd)
        x, y = -rows.x @ self._now - bias[:, 0], -rows.y @ self._now - bias[:, 1]
        c, s = np.cos(self.heading[1:]), np.sin(self.heading[1:])
        return np.column_stack((c * x + s * y, c * y - s * x, np.zeros(x.size)))

    def truth(self, stamp_ns: int) -> GroundTruth:
        return PlanarTruth(
            stamp_ns,
            self._q[:3].copy(),
            self._qd[:3].copy(),
            self.joint_position,
            self.joint_velocity,
            height=self._height,
        )
