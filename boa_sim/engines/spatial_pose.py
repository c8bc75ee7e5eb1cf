# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot that leaves the plane in its MuJoCo model: put it on the floor, read its state.

Both engines move the same model; here is what they share of it.
"""

from collections.abc import Sequence

import mujoco
import numpy as np

from boa_control.plant import ContactTruth, GroundTruth, SpatialTruth
from boa_description import frames
from boa_description.arrays import Array, Flags, Indices
from boa_description.errors import BoaError
from boa_description.mjcf import build_spec
from boa_description.quaternion import yaw_of
from boa_description.robot import Robot
from boa_description.scene import GRAVITY
from boa_sim.engines.geared_model import require_level, sensor_columns
from boa_sim.world import Physics

BASE = 6  # velocities of a free base; its positions are 7
ORDER = [1, 2, 3, 0]  # from MuJoCo's w, x, y, z to ours


def spatial_spec(robot: Robot, physics: Physics) -> mujoco.MjSpec:
    """The model of a robot on a solid floor.

    Raises:
        BoaError: the floor of a planar robot is given, or a tilted one.
    """
    require_level(physics, "leave it out for a robot that leaves the plane")
    if physics.ground.model != "none":
        raise BoaError(
            f"scene.ground: {robot.name} leaves the plane and lies on a solid floor with its "
            "weight; give the friction as scene.contact.friction"
        )
    return build_spec(
        robot,
        (),
        physics.contact,
        base="free",
        physics_step=physics.step,
        terrain=physics.terrain,
        backlash=physics.backlash,
    )


def floor_geoms(model: mujoco.MjModel) -> Flags:
    """Which geoms are parts of the floor, shape (n_geoms,)."""
    names = (model.geom(index).name for index in range(model.ngeom))
    slab = f"{frames.FLOOR_GEOM}_"
    return np.array([name == frames.FLOOR_GEOM or name.startswith(slab) for name in names])


def link_of_geoms(model: mujoco.MjModel, robot: Robot) -> Indices:
    """Index of the link of every geom that touches, shape (n_geoms,); -1 for others."""
    link = np.full(model.ngeom, -1)
    for index, name in enumerate(robot.link_names):
        for geom in frames.link_geoms(name, robot.link.track):
            link[model.geom(geom).id] = index
    return link


def put_on_floor(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    robot: Robot,
    base: Array,
    joints: Array,
    roll: float,
) -> None:
    """Set the pose so that the lowest point touches the floor; MuJoCo's kinematics are done then.

    Args:
        base: x, y, heading of link 1, shape (3,). joints: shape (n_joints,).
        roll: of link 1 about its own axis, rad.
    """
    half_yaw, half_roll = 0.5 * float(base[2]), 0.5 * roll
    turn = np.empty(4)
    mujoco.mju_mulQuat(
        turn,
        np.array([np.cos(half_yaw), 0.0, 0.0, np.sin(half_yaw)]),
        np.array([np.cos(half_roll), np.sin(half_roll), 0.0, 0.0]),
    )
    data.qpos[:3] = (*base[:2], 0.0)
    data.qpos[3:7] = turn
    data.qpos[7:].reshape(-1, robot.joints)[:] = joints  # with backlash, of the rotors as well
    mujoco.mj_kinematics(model, data)
    capsules = link_of_geoms(model, robot) >= 0
    centre, half = data.geom_xpos[capsules, 2], model.geom_size[capsules, 1]
    tilt = np.abs(data.geom_xmat[capsules, 8])  # of a capsule's own axis against the vertical
    data.qpos[2] = robot.link.radius - float((centre - half * tilt).min())
    mujoco.mj_kinematics(model, data)


class SpatialState:
    """State and sensors of the model, as `boa_sim.world.World` names them."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, robot: Robot) -> None:
        self._data = data
        self._joints = robot.joints
        self._links = np.array([model.body(name).id for name in robot.link_names])
        self._forces, self._gyros, self._accelerometers = sensor_columns(model, robot)
        self._turned: Array | None = None
        self._turns: tuple[Array, Array] | None = None

    @property
    def joint_position(self) -> Array:
        """Shape (n_joints,), rad."""
        return self._data.qpos[BASE + 1 :][: self._joints].copy()

    @property
    def joint_velocity(self) -> Array:
        """Shape (n_joints,), rad/s."""
        return self._data.qvel[BASE:][: self._joints].copy()

    @property
    def joint_force(self) -> Array:
        """Force that link i + 1 exerts on link i, (n_joints, 3), in the frame of link i + 1, N."""
        return -self._data.sensordata[self._forces]

    @property
    def orientation(self) -> Array:
        """Quaternions x, y, z, w of all links in the world, shape (n_links, 4)."""
        return self._present_turns()[0].copy()

    def restart(self) -> None:
        """Count the turns of the headings from here."""
        self._turned = None
        self.moved()

    def moved(self) -> None:
        """The position is another one than at the last reading."""
        self._turns = None

    @property
    def heading(self) -> Array:
        """Turn of every link about the vertical, shape (n_links,), rad, not wrapped."""
        return self._present_turns()[1].copy()

    def _present_turns(self) -> tuple[Array, Array]:
        """Quaternions x, y, z, w and headings of all links; worked out once for a position."""
        if self._turns is None:
            quaternions = self._data.xquat[self._links][:, ORDER]
            yaw = yaw_of(quaternions)
            before = np.unwrap(yaw) if self._turned is None else self._turned
            self._turned = before + (yaw - before + np.pi) % (2 * np.pi) - np.pi
            self._turns = quaternions, self._turned
        return self._turns

    @property
    def angular_velocity(self) -> Array:
        """Of every link, shape (n_links, 3), link frames, rad/s."""
        return self._data.sensordata[self._gyros]

    @property
    def acceleration(self) -> Array:
        """Of the link centres without gravity, shape (n_links, 3), link frames, m/s2."""
        upwards = self._data.xmat[self._links].reshape(-1, 3, 3)[:, 2]
        return self._data.sensordata[self._accelerometers] - GRAVITY * upwards

    def truth_with(
        self, stamp_ns: int, contacts: Sequence[ContactTruth], delivered: Array
    ) -> GroundTruth:
        """The state at the present instant, with these contacts and torques passed on."""
        data = self._data
        turn = data.xmat[self._links[0]].reshape(3, 3)
        return SpatialTruth(
            stamp_ns,
            data.qpos[:3].copy(),
            data.qpos[3:7][ORDER],
            data.qvel[:3].copy(),
            turn @ data.qvel[3:6],
            float(self.heading[0]),
            self.joint_position,
            self.joint_velocity,
            contacts,
            delivered,
        )
