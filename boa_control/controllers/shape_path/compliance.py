# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How contact forces bend the shape curve: every shape control point is a mass on a spring and a
damper about the place where it was appended (paper, section V).
"""

import numpy as np
from pydantic import Field

from boa_description.angles import wrapped
from boa_description.arrays import Array
from boa_description.robot import Block, Kilogram, Newton


class ComplianceSettings(Block):
    """Parameters of the paper, section VI-A."""

    width: float = Field(default=1.4, gt=0, description="k_a, per point: how narrow a share is")
    offset: float = Field(default=1.0, description="delta: how far behind its contact, times k_a")
    mass: Kilogram = Field(default=1.0, gt=0, description="m_s")
    damping: float = Field(default=20.0, ge=0, description="d_s, N s/m")
    stiffness: float = Field(default=30.0, gt=0, description="k_1, N/m")
    forward_stiffness: float = Field(default=100.0, ge=0, description="k_2, N/m")
    force_scale: float = Field(
        default=1.0, ge=0, description="on measured forces, for robots of another weight"
    )
    force_cut: Newton | None = Field(default=None, gt=0, description="largest force that counts")


def shares(points: int, contacts: Array, settings: ComplianceSettings) -> Array:
    """Share of every point in the force on every link, shape (points, links), eqs. 10 to 12:
    a = exp(-(k_a (i - s_c) + delta)^2), greatest at i = s_c - delta / k_a, behind the contact.

    Args:
        contacts: s_c of every link, shape (links,).
    """
    i = np.arange(points)[:, None]
    share: Array = np.exp(-((settings.width * (i - contacts) + settings.offset) ** 2))
    return share


def spring(displacement: Array, forward: float, settings: ComplianceSettings) -> Array:
    """Stiffness of the spring of every point, shape (points,), N/m, eq. 13: k_1 + k_2 exp(-beta^2)
    with beta the direction of its displacement against `forward`, rad: stiff where a contact pushes
    the body on, soft sideways and backwards.

    Args:
        displacement: shape (points, 2), m.
    """
    beta = wrapped(np.arctan2(displacement[:, 1], displacement[:, 0]) - forward)
    stiffness: Array = settings.stiffness + settings.forward_stiffness * np.exp(-(beta**2))
    return stiffness


def moved(
    displacement: Array,
    velocity: Array,
    force: Array,
    forward: float,
    settings: ComplianceSettings,
    period: float,
) -> tuple[Array, Array]:
    """Displacements and velocities of the points after a control period, eq. 14: m_s P'' + d_s P' +
    k (P - P*) = f; velocities first, the damper implicitly.

    Args:
        displacement, velocity, force: shape (points, 2), m, m/s and N.
        forward: direction of the shape frame's x axis, rad.
        period: s.
    """
    pull = force - spring(displacement, forward, settings)[:, None] * displacement
    speed = (velocity + period * pull / settings.mass) / (
        1 + period * settings.damping / settings.mass
    )
    return displacement + period * speed, speed
