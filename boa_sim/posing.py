# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The MuJoCo model of a robot that is drawn, and how it is put at a pose, whether its base moves or
is bolted to the world.
"""

import math
from collections.abc import Sequence

import mujoco

from boa_description import frames
from boa_description.arrays import Array
from boa_description.mjcf import Base, build_spec
from boa_description.robot import Robot
from boa_description.scene import Obstacle
from boa_description.terrain import Terrain

FREE = 7  # coordinates of a free base


def drawn_spec(
    robot: Robot, obstacles: Sequence[Obstacle] = (), terrain: Terrain = ()
) -> mujoco.MjSpec:
    """The model of a robot for pictures, planar or in space."""
    base: Base = "planar" if robot.planar else "free"
    return build_spec(robot, obstacles, base=base, terrain=terrain)


def base_coordinates(model: mujoco.MjModel) -> int:
    """Number of coordinates before the joint angles: 3 with a planar base, 7 with a free one, 0
    with a fixed mount.
    """
    if mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, frames.FREE_JOINT) >= 0:
        return FREE
    base_x = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, frames.BASE_JOINTS[0])
    return 0 if base_x < 0 else len(frames.BASE_JOINTS)


def set_pose(model: mujoco.MjModel, data: mujoco.MjData, base: Array, joints: Array) -> None:
    """Set the coordinates: base (3,) x, y, heading of link 1, or with a free base its position and
    quaternion x, y, z, w (7,); joints (n_joints,); m and rad.

    A fixed mount has no coordinates for its base, so the body itself moves; call MuJoCo's
    kinematics afterwards.
    """
    count = base_coordinates(model)
    data.qpos[count:].reshape(-1, joints.size)[:] = joints  # with backlash, of the rotors as well
    if count == FREE:
        data.qpos[:3] = base[:3]
        data.qpos[3:7] = base[[6, 3, 4, 5]]
        return
    if count:
        data.qpos[:count] = base
        return
    first = int(model.body_rootid[model.jnt_bodyid[0]])  # link 1: what the first joint hangs on
    model.body_pos[first, :2] = base[:2]
    model.body_quat[first] = [math.cos(base[2] / 2), 0.0, 0.0, math.sin(base[2] / 2)]
