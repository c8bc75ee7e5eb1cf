"""Outside forces across the links from joint force sensors and IMUs, without a map.

On link i act its neighbours and the outside (posts, floor). With F_i the force that link i + 1
exerts on link i at joint i, its lateral balance is

    m a_i = n_i . (F_i - F_{i-1}) + f_i,     F_0 = F_n = 0.
"""

from __future__ import annotations

import numpy as np

from boa_control.plant import SensorFrame
from boa_description.arrays import Array


def lateral_forces(frame: SensorFrame, mass: float) -> Array:
    """Net outside force across every link, positive to its left, shape (n,), N; zero before the
    first sample and where a sensor beside the link is silent. Links without an IMU count as
    unaccelerated.

    Args:
        mass: of a link, kg.
    """
    links = frame.position.size + 1
    if frame.joint_force is None:
        return np.zeros(links)
    force = frame.joint_force.force  # in the frame of link i + 1
    behind = np.concatenate(([0.0], force[:, 1]))  # F_{i-1} . n_i
    cos, sin = np.cos(frame.position), np.sin(frame.position)
    # F_i in the frame of link i: link i + 1 is turned by phi_i against it
    ahead = np.concatenate((sin * force[:, 0] + cos * force[:, 1], [0.0]))
    acceleration = np.zeros(links)
    if frame.imu is not None:
        acceleration = np.nan_to_num(frame.imu.linear_acceleration[:, 1])
    return np.nan_to_num(mass * acceleration - ahead + behind)
