# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forces on the links of the chain, each link a free body.

On link i act its neighbours and the outside (posts, floor). With F_i the force that link i + 1
exerts on link i at joint i, which the sensors measure,

    m a_i = F_i - F_{i-1} + f_i,     F_0 = F_n = 0.

Derivation: docs/mathematics.md, "Torques that the joints pass on".
"""

from typing import NamedTuple

import numpy as np

from boa_control.compiled import detection
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import Sideways
from boa_control.plant import SensorFrame
from boa_description.arrays import Array


class LinkForces(NamedTuple):
    """Forces on the links from outside.

    Attributes:
        along, across: each in the frame of its link, shape (n,), N; NaN where a sensor is silent.
        largest: horizontal force of all joints whose sensors answer, N.
    """

    along: Array
    across: Array
    largest: float = 0.0


class NeighbourLoads(NamedTuple):
    """Load of the neighbouring links on each link through the joints, but for the torques.

    Attributes:
        along, across: force, each in the frame of its link, shape (n,), N.
        moment: about the link centre, shape (n,), N m.
    """

    along: Array
    across: Array
    moment: Array


def neighbour_loads(joint_force: Array, angles: Array, half_pitch: float) -> NeighbourLoads:
    """Loads by the joint forces.

    Args:
        joint_force: shape (n - 1, 2 or 3), force of link i + 1 on link i in the frame of link
            i + 1, N.
        angles: of the joints, shape (n - 1,), rad.
        half_pitch: from the link centre to either joint axis, m.
    """
    loads = NeighbourLoads(*np.empty((3, angles.size + 1)))
    cos, sin = np.cos(angles), np.sin(angles)
    detection.neighbour_loads(*loads, joint_force.copy(), cos, sin, half_pitch)
    return loads


def neighbour_forces(joint_force: Array, angles: Array) -> tuple[Array, Array]:
    """`along` and `across` of `neighbour_loads` at many instants, shapes (..., n - 1, 2 or 3) and
    (..., n - 1).
    """
    along, across, _ = _balance(joint_force, angles)
    return along, across


def _balance(joint_force: Array, angles: Array) -> tuple[Array, Array, Array]:
    """`along`, `across`, and the joint forces across the link on the tail side of each joint."""
    c, s, x, y = np.cos(angles), np.sin(angles), joint_force[..., 0], joint_force[..., 1]
    sideways = s * x + c * y
    along, across = np.zeros((2, *angles.shape[:-1], angles.shape[-1] + 1))
    along[..., :-1], across[..., :-1] = c * x - s * y, sideways
    along[..., 1:] -= x
    across[..., 1:] -= y
    return along, across, sideways


def inertial_forces(frame: SensorFrame, mass: float, otherwise: Array) -> tuple[Array, Array]:
    """m a of every link along and across itself, shape (n,) each, N, as its IMU measures it.

    Args:
        mass: of a link, kg.
        otherwise: across the links whose IMUs are silent, shape (n,), N; along them it is 0.
    """
    along, across = np.zeros_like(otherwise), otherwise
    if frame.imu is not None:
        measured = mass * frame.imu.linear_acceleration[:, :2]
        silent = np.isnan(measured)
        if np.count_nonzero(silent):
            along = np.where(silent[:, 0], 0.0, measured[:, 0])
            across = np.where(silent[:, 1], across, measured[:, 1])
        else:
            along, across = measured[:, 0], measured[:, 1]
    return along, across


def link_forces(frame: SensorFrame, chain: PlanarChain, sideways: Sideways) -> LinkForces | None:
    """The forces from outside by the newest samples, less the floor's friction across the links;
    None without force sensors.

    Args:
        sideways: inertia and floor friction across the links on the path; what the accelerometers
            measure goes before.
    """
    loads = newest_loads(frame, chain, sideways)
    return None if loads is None else loads[0]


def newest_loads(
    frame: SensorFrame, chain: PlanarChain, sideways: Sideways
) -> tuple[LinkForces, Array] | None:
    """`measured_loads`; None without force sensors."""
    return None if frame.joint_force is None else measured_loads(frame, chain, sideways)


def measured_loads(
    frame: SensorFrame, chain: PlanarChain, sideways: Sideways
) -> tuple[LinkForces, Array]:
    """`link_forces` of a frame with force sensors, and the moments of the joint forces about the
    middles of the links, shape (n,), N m.
    """
    assert frame.joint_force is not None
    links, imu = sideways.inertial.size, frame.imu
    along, across, moment = np.empty((3, links))
    measured = (
        frame.joint_force.force.copy(),
        frame.position,
        np.full((links, 2), np.nan) if imu is None else imu.linear_acceleration.copy(),
    )
    largest: float = detection.link_forces(
        (along, across, moment),
        measured,
        sideways.inertial,
        sideways.ground,
        chain.link_mass,
        chain.pitch / 2,
    )
    return LinkForces(along, across, largest), moment


def lateral_forces(frame: SensorFrame, mass: float) -> Array:
    """Net outside force across every link, floor included, positive to its left, shape (n,), N;
    zero before the first sample and where a sensor beside the link is silent. Links without an IMU
    count as unaccelerated.

    Args:
        mass: of a link, kg.
    """
    at_rest = np.zeros(frame.position.size + 1)
    if frame.joint_force is None:
        return at_rest
    force = frame.joint_force.force
    _, _, sideways = _balance(force, frame.position)
    behind, ahead = np.append(0.0, force[:, 1]), np.append(sideways, 0.0)  # F_{i-1}, F_i across
    _, inertial = inertial_forces(frame, mass, at_rest)
    return np.nan_to_num(inertial - ahead + behind)
