# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's model and data of a chain with gearboxes: what both engines share of it."""

import math
from typing import Protocol

import mujoco

from boa_description.arrays import Array


class GearState(Protocol):
    """What an engine's gearboxes say of themselves."""

    @property
    def rate(self) -> Array:
        """Rate of the motors' side, shape (n_joints,), rad/s; MuJoCo's own memory."""

    @property
    def delivered(self) -> Array:
        """Torque passed on to the links, shape (n_joints,), N m: at the present instant, or the
        mean of the last step, as the engine knows it.
        """


class GearedModel:
    """MuJoCo's model and data with gearboxes, as `boa_sim.world.GearedWorld` names their state.

    Attributes:
        model, data: MuJoCo's, for rendering and for tests.
    """

    _gears: GearState

    def __init__(self, spec: mujoco.MjSpec) -> None:
        self.model: mujoco.MjModel = spec.compile()
        self.data: mujoco.MjData = mujoco.MjData(self.model)
        # views of MuJoCo's memory, which stays where it is; `data` makes them anew at every access
        self._qvel, self._qacc = self.data.qvel, self.data.qacc
        self._options = self.model.opt
        # an explosion must be seen
        self._options.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET

    @property
    def step(self) -> float:
        """Physics step, s."""
        return float(self._options.timestep)

    @property
    def finite(self) -> bool:
        """Whether the state is still a number everywhere."""
        velocity, acceleration = self._qvel, self._qacc
        # a value that is not finite makes the sum of squares so
        return math.isfinite(velocity.dot(velocity) + acceleration.dot(acceleration))

    @property
    def motor_rate(self) -> Array:
        """See `boa_sim.world.GearedWorld`."""
        return self._gears.rate.copy()

    @property
    def delivered(self) -> Array:
        """See `boa_sim.world.GearedWorld`."""
        return self._gears.delivered
