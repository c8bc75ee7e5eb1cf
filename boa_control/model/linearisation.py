# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Partial feedback linearisation of a planar chain on a floor: joint torques that make the joint
angles answer as phi'' = u, whatever the base does.

With q split into the three coordinates b of the base and the joint angles a, the equations of
motion are

    M_bb b'' + M_ba u + h_b = Q_b
    M_ab b'' + M_aa u + h_a = Q_a + tau - d phi'

with Q the forces of the floor and d the damping of the joints. The first row gives b'', the second
the torque. (Wang, section III-A, eqs. 26 to 30; the torque does not depend on the choice of the
three base coordinates.) Forces of obstacles are left out.
"""

import numpy as np

from boa_control.model.dynamics import PlanarChain, Posture, from_head
from boa_description.arrays import Array
from boa_description.floor import ground_force, ground_torque
from boa_description.scene import GroundFriction

BASE = 3  # coordinates of the base: x, y, heading of link 1


def floor_load(chain: PlanarChain, ground: GroundFriction, posture: Posture, qd: Array) -> Array:
    """Generalised force of the floor on a moving chain, shape (n + 2,)."""
    mass = np.full(chain.links, chain.link_mass)
    velocity = chain.centre_velocities(posture, qd)
    load = chain.centre_forces(posture, ground_force(ground, mass, velocity, posture.theta))
    turning = np.cumsum(qd[..., 2:], axis=-1)
    load[..., 2:] += from_head(ground_torque(ground, chain.pitch, turning))
    return load


def linearising_torque(
    chain: PlanarChain, load: Array, posture: Posture, qd: Array, desired: Array
) -> Array:
    """Joint torques with which phi'' = `desired`, shape (n - 1,), N m.

    Args:
        load: generalised force from outside, `floor_load`, shape (n + 2,).
        posture: of the chain.
        qd: rates of x, y, heading of link 1 and the joint angles, shape (n + 2,).
        desired: joint accelerations, shape (n - 1,), rad/s2.
    """
    M = chain.mass_matrix(posture)
    rest = chain.bias(posture, qd) - load
    base = np.linalg.solve(M[:BASE, :BASE], -rest[:BASE] - M[:BASE, BASE:] @ desired)
    torque: Array = (
        M[BASE:, :BASE] @ base + M[BASE:, BASE:] @ desired + rest[BASE:] + chain.damping * qd[BASE:]
    )
    return torque
