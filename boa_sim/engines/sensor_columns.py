# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the sensors of the links stand in MuJoCo's list of readings."""

import mujoco
import numpy as np

from boa_description import frames
from boa_description.arrays import Indices
from boa_description.robot import Robot


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
