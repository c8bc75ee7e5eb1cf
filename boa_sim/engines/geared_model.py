# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What both engines share of MuJoCo's model and data: a chain with gearboxes, obstacles that stand
and others through which links pass, a floor that is not level, masses that differ from the
description's, and where the sensors of the links stand in the list of readings.
"""

import math
from collections.abc import Sequence
from typing import Protocol

import mujoco
import numpy as np

from boa_description import frames
from boa_description.arrays import Array, Indices
from boa_description.errors import BoaError
from boa_description.mjcf import SOLID_AFFINITY
from boa_description.robot import Robot
from boa_description.scene import GRAVITY
from boa_sim.world import Physics


def sensor_columns(model: mujoco.MjModel, robot: Robot) -> tuple[Indices, Indices, Indices]:
    """Indices into `sensordata` of joint forces, shape (n_joints, 3), of gyros and of
    accelerometers, shape (n_links, 3).
    """

    def columns(names: list[str]) -> Indices:
        starts = np.array([model.sensor(name).adr[0] for name in names], np.intp)
        return starts[:, None] + np.arange(3)

    return (
        columns([frames.force_frame(joint) for joint in robot.joint_names]),
        columns([frames.gyro(link) for link in robot.link_names]),
        columns([frames.accelerometer(link) for link in robot.link_names]),
    )


def scale_masses(
    model: mujoco.MjModel, data: mujoco.MjData, links: Indices, scale: Array | None
) -> None:
    """Multiply mass and inertia of the links, whose bodies are `links`, by `scale`, both (n,), and
    let MuJoCo work out what depends on them and on everything else that was changed.
    """
    if scale is not None:
        model.body_mass[links] *= scale
        model.body_inertia[links] *= scale[:, None]
    mujoco.mj_setConst(model, data)


def tilt_quaternion(downhill: tuple[float, float]) -> Array:
    """The rotation x, y, z, w from a frame on a tilted floor to a level one that has not turned
    about the vertical. `downhill`: part of gravity along the floor, x and y, m/s2.
    """
    x, y = downhill
    along = math.hypot(x, y)
    half = 0.5 * math.asin(along / GRAVITY)
    axis = np.array([-y, x, 0.0]) / along if along else np.zeros(3)
    return np.append(math.sin(half) * axis, math.cos(half))


def require_level(physics: Physics, remedy: str) -> None:
    """Refuse a tilted floor. Raises BoaError, which ends with the `remedy`."""
    if any(physics.downhill):
        raise BoaError(f"disturbance.floor_tilt: this world's floor is level; {remedy}")


def set_standing(model: mujoco.MjModel, standing: Sequence[bool]) -> None:
    """Which of the obstacles, in their order, links touch."""
    for index, stands in enumerate(standing):
        geom = model.geom(frames.obstacle_geom(index)).id
        model.geom_conaffinity[geom] = SOLID_AFFINITY if stands else 0


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
