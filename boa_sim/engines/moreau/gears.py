# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gearboxes on rigid contact: motor torques, limits of friction, and flanks of a gap as stops."""

from typing import Any

import numpy as np

from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_sim.world import LoadedGears, Physics


class DryGears:
    """Gearboxes whose friction does not ask for the load.

    Attributes:
        rows: of dry friction; 0 where there is none.
        rate: of the motors' side, shape (n_joints,), rad/s; MuJoCo's own memory.
        delivered: torque passed on to the links, mean of the last step, shape (n_joints,), N m.
    """

    def __init__(self, model: Any, data: Any, robot: Robot, physics: Physics) -> None:
        """`model` has the coordinates of the motors last."""
        motors = slice(model.nv - robot.joints, model.nv)
        model.dof_damping[motors] += physics.extra_damping
        self.rate = data.qvel[motors]
        self._damping, self._armature = model.dof_damping[motors], model.dof_armature[motors]
        self._step, self._coulomb = physics.step, physics.coulomb
        self._most = np.full(robot.joints, robot.actuator.torque_limit)
        self.rows = robot.joints if np.max(physics.coulomb) > 0 else 0
        self._limit = np.full(self.rows, physics.coulomb)
        self.delivered = np.zeros(robot.joints)

    def place(self) -> None:
        """The robot stands at rest at another pose."""
        self.delivered = np.zeros_like(self.delivered)

    def motor(self, torque: Array) -> Array:
        """Motor torques of commanded ones, (n_joints,), N m."""
        return np.clip(torque, -self._most, self._most)

    def limit(self, motor: Array, rate: Array) -> Array:  # noqa: ARG002 - those under load ask
        """Largest friction in this step, shape (rows,), N m, at motor torques, N m, and rates,
        rad/s.
        """
        return self._limit

    def settle(self, motor: Array, impulse: Array, before: Array, after: Array) -> None:
        """A step is over: motor torques, impulses of friction (rows,), N m s, and the motors' rates
        before and after it.
        """
        passed = motor - 0.5 * self._damping * (before + after)
        passed -= self._armature * (after - before) / self._step
        passed[: self.rows] += impulse / self._step
        self.delivered = passed


class GearsUnderLoad(DryGears):
    """Gearboxes whose friction grows with their load, taken from the step before."""

    def __init__(
        self, model: Any, data: Any, robot: Robot, physics: Physics, gears: LoadedGears
    ) -> None:
        super().__init__(model, data, robot, physics)
        self._friction, self._calibration = gears
        self._most = self._calibration * self._most
        self.rows = robot.joints

    def motor(self, torque: Array) -> Array:
        """See DryGears."""
        return super().motor(self._calibration * torque)

    def limit(self, motor: Array, rate: Array) -> Array:
        """See DryGears."""
        return self._coulomb + self._friction.limit(motor, self.delivered, rate)


def gears_of(model: Any, data: Any, robot: Robot, physics: Physics) -> DryGears:
    """The gearboxes of `physics`; sets up viscous friction in `model`."""
    if physics.gears is None:
        return DryGears(model, data, robot, physics)
    return GearsUnderLoad(model, data, robot, physics, physics.gears)


class Flanks:
    """Both ends of the gaps between motors and joints: rows and shifts of stops."""

    def __init__(self, model: Any, robot: Robot, base: int, backlash: float) -> None:
        """`base`: velocities of the base, before the joints. Without backlash there are no rows."""
        self._joints, self._half = robot.joints, backlash / 2
        gaps = robot.joints if backlash > 0 else 0
        ahead = np.zeros((gaps, model.nv))  # of the motor before its joint
        joint = np.arange(gaps)
        ahead[joint, base + joint] = -1.0
        ahead[joint, model.nv - robot.joints + joint] = 1.0
        self.rows = np.concatenate((-ahead, ahead))

    def room(self, position: Array) -> Array:
        """Way to both flanks, shape (len(rows),), rad, at coordinates that end with joints and
        motors.
        """
        if not self.rows.size:
            return np.zeros(0)
        joint, motor = position[-2 * self._joints :].reshape(2, -1)
        return np.concatenate((self._half - (motor - joint), self._half + (motor - joint)))
