# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact rows and energy of a chain, straight from its geometry: the reference for those that are
in use.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from boa_control.model.dynamics import PlanarChain, Posture
from boa_description.arrays import Array, Indices
from test.boa_control.torque_excess import torque_excess


def gap_rows(
    chain: PlanarChain, posture: Posture, link: Indices, offset: Array, side: Array
) -> Array:
    """Gap Jacobian J of contacts on the straight flanks of links, shape (nc, n + 2).

    Args:
        link: shape (nc,), index of the link.
        offset: shape (nc,), contact point along the link from its tail-side axis, m.
        side: shape (nc,), +1 obstacle on the left, -1 on the right; the normal is -side n_i.
    """
    across = 1j * np.exp(1j * posture.theta[link])
    points = _point_rows(chain, posture, link, offset + 0j)
    return np.ascontiguousarray(-side[:, None] * (points * across[:, None].conj()).real)


def sliding_rows(chain: PlanarChain, posture: Posture, link: Indices, side: Array) -> Array:
    """Speed of the contact points along their links as rows on qd, shape (nc, n + 2)."""
    along = np.exp(1j * posture.theta[link])
    rows: Array = (
        _point_rows(chain, posture, link, 1j * side * chain.radius) * along[:, None].conj()
    ).real
    return rows


def kinetic_energy(chain: PlanarChain, posture: Posture, qd: Array) -> float:
    """Kinetic energy with the rotors, J."""
    return float(0.5 * qd @ chain.mass_matrix(posture) @ qd)


def _point_rows(
    chain: PlanarChain, posture: Posture, link: Indices, arm: NDArray[np.complex128]
) -> NDArray[np.complex128]:
    """Velocities x + iy of points fixed to links as rows on qd, shape (nc, n + 2).

    The point is base + sum over the links before of pitch u_i + arm u_j, and d u_i / d theta_i = i
    u_i; theta_i is the sum of the heading of link 1 and all joint angles before link i.

    Args:
        arm: shape (nc,), from the tail-side axis, along + i across the link, m.
    """
    lever = np.where(np.arange(chain.links) < link[:, None], chain.pitch, 0.0).astype(complex)
    lever[np.arange(link.size), link] = arm
    turning = 1j * np.exp(1j * posture.theta) * lever
    joints = np.array([turning[:, i:].sum(axis=1) for i in range(chain.links)]).T
    return np.hstack([np.full((link.size, 1), 1.0), np.full((link.size, 1), 1j), joints])


@pytest.fixture(name="excess")
def excess_fixture() -> Callable[..., float]:
    """Least torque beyond the limits that carries a motion, worked out a second time."""
    return torque_excess
