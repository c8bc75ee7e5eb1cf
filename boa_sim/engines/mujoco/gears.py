# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gearboxes in MuJoCo: which torque its motors give, and how much friction holds or brakes them.

Friction is MuJoCo's own, a constraint that holds at rest and brakes in motion (frictionloss). Where
its limit grows with the load, it is set anew in every step, from the torque that the gearbox passed
on in the step before.
"""

from typing import Any, Protocol

import numpy as np

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.mjcf import FLANK_SOLIMP, FLANK_SOLREF
from boa_description.robot import Robot
from boa_sim.engines.geared_model import GearState
from boa_sim.world import LoadedGears, Physics

# How hard MuJoCo holds a joint at rest against its dry friction, 0 to 1. At its default of 0.9 a
# held joint creeps away within tenths of a second and contact forces with it; here friction of 0.3
# N m holds 0.3 N m.
STICTION_IMPEDANCE = 0.9999
YIELD = 0.01  # rad; most that a flank of a gearbox may yield at stall
LEAST = 1e-9  # N m; a joint without friction would have no row among the constraints


class Gears(GearState, Protocol):
    """Between the torques of a step and MuJoCo."""

    def place(self) -> None:
        """The robot stands at rest at another pose."""

    def drive(self, torque: Array) -> None:
        """Before the second half of a step: let commanded torques (n_joints,), N m, act in it."""

    def settle(self) -> None:
        """After it, while MuJoCo has the forces of this step and its end's velocity."""


def gears_of(model: Any, data: Any, robot: Robot, physics: Physics) -> Gears:
    """The gearboxes of `physics`; sets up friction in `model`, whose last coordinates are those of
    the motors.

    Raises:
        BoaError: flanks of gearboxes with backlash are too soft.
    """
    if physics.backlash > 0:
        _check_flanks(model, robot, physics.step)
    if physics.gears is None:
        return DryGears(model, data, robot, physics)
    return GearsUnderLoad(model, data, robot, physics, physics.gears)


def _check_flanks(model: Any, robot: Robot, step: float) -> None:
    """Refuse flanks that yield much. MuJoCo holds T with r = T (1 - d) t^2 / m, m being what it
    takes for the inertia between motor and link, d the impedance, and t its time constant, which it
    raises to two steps.
    """
    constant = max(FLANK_SOLREF[0], 2 * step)
    softness = (1 - FLANK_SOLIMP[1]) * constant**2 * float(np.max(model.tendon_invweight0))
    yields = robot.actuator.torque_limit * softness
    if yields > YIELD:
        raise BoaError(
            f"plant.effects.gearbox.backlash: on springs, at plant.physics_step {step:g} s and "
            f"actuator.armature {robot.actuator.armature:g} kg m2, a flank yields by {yields:.2g} "
            f"rad at stall, at most {YIELD:g} is allowed; lower the step, raise the armature, or "
            "set plant.engine: moreau"
        )


class DryGears:
    """Gearboxes whose friction does not ask for the load: MuJoCo has it once for all."""

    def __init__(self, model: Any, data: Any, robot: Robot, physics: Physics) -> None:
        joints = slice(model.nv - robot.joints, model.nv)
        model.dof_frictionloss[joints] = physics.coulomb
        model.dof_solimp[joints, :2] = STICTION_IMPEDANCE
        # friction stops its joint within one step where it is strong enough: Coulomb's law. With
        # the default of 20 ms it holds back motors that brake harder, with the wrong sign
        model.dof_solref[joints] = [2 * physics.step, 1.0]
        model.dof_damping[joints] += physics.extra_damping
        self._data = data
        self._ctrl, self._motor = data.ctrl, data.actuator_force
        self.rate = data.qvel[joints]
        self._acceleration = data.qacc[joints]
        self._damping, self._armature = model.dof_damping[joints], model.dof_armature[joints]
        # rows of friction come first among the constraints; without friction there are none
        self._rows = robot.joints if np.max(physics.coulomb) > 0 else 0

    def place(self) -> None:
        """See Gears."""

    def drive(self, torque: Array) -> None:
        """See Gears."""
        self._ctrl[:] = torque

    def settle(self) -> None:
        """See Gears."""

    @property
    def delivered(self) -> Array:
        """See Gears."""
        passed: Array = self._motor - self._damping * self.rate
        passed -= self._armature * self._acceleration
        passed[: self._rows] += self._data.efc_force[: self._rows]
        return passed


class GearsUnderLoad(DryGears):
    """Gearboxes whose friction grows with their load. The limit of a step follows from what they
    passed on in the step before, on the mean of it.
    """

    def __init__(
        self, model: Any, data: Any, robot: Robot, physics: Physics, gears: LoadedGears
    ) -> None:
        super().__init__(model, data, robot, physics)
        self._coulomb, self._step = physics.coulomb, physics.step
        self._friction, self._calibration = gears
        motors = slice(-robot.joints, None)
        self._most = self._calibration * robot.actuator.torque_limit
        model.actuator_ctrlrange[:] = np.stack((-self._most, self._most), axis=1)
        self._rows = robot.joints
        self._limits = model.dof_frictionloss[motors]
        self._limits[:] = LEAST
        self._before = np.zeros(robot.joints)  # rate at the begin of the step
        self._passed = np.zeros(robot.joints)

    def place(self) -> None:
        """See Gears."""
        self._passed[:] = 0.0

    def drive(self, torque: Array) -> None:
        """See Gears."""
        motor = np.minimum(np.maximum(self._calibration * torque, -self._most), self._most)
        self._ctrl[:] = motor
        self._before[:] = self.rate
        limit = self._coulomb + self._friction.limit(motor, self._passed, self.rate)
        self._limits[:] = np.maximum(limit, LEAST)
        # the model's numbers make the rows of the next step; those of this one exist already, and
        # once more in the order of the islands that the solver works on
        data, rows = self._data, self._rows
        data.efc_frictionloss[:rows] = self._limits
        data.iefc_frictionloss[data.map_efc2iefc[:rows]] = self._limits

    def settle(self) -> None:
        """See Gears."""
        acceleration = (self.rate - self._before) / self._step
        friction = self._data.efc_force[: self._rows]
        # damping acts with the rate at the end of the step, for MuJoCo integrates it implicitly
        self._passed = (
            self._motor + friction - self._damping * self.rate - self._armature * acceleration
        )
