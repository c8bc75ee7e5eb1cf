# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot, the duct and the gait of the paper, in both readings of what it prints."""

import math
from dataclasses import dataclass

LINKS = 10
WIDE = 0.125  # half of the clear width, m
NARROW = 0.075
DUCTS = {"wide": WIDE, "narrow": NARROW}


@dataclass(frozen=True, slots=True)
class DuctModel:
    """A chain of equal rods on a floor between walls. SI units.

    Attributes:
        half_length: of a rod, m; the paper's l.
        link_mass: kg.
        inertia: of a rod about its centre, kg m2; the paper's J.
        floor_coulomb: mu_t = mu_n, along and across a rod separately (eqs. 16 to 18).
        floor_viscous: nu_t = nu_n, N s/m per rod.
        wall_stiffness, wall_damping: of a contact point, N/m and N s/m (eq. 20).
        wall_coulomb, wall_viscous: along the wall (eqs. 21 and 22).
        summed_power: energy adds up the power of each joint, without its sign; else the sum over
            the joints loses its sign, as eq. 6 is printed.
        slip_speed: below it friction fades to zero, m/s.
        force_limit: on a contact point, N; a run ends beyond it.
        heading_limit: of any rod, rad; a run ends beyond it.
    """

    inertia: float
    floor_coulomb: float
    summed_power: bool
    links: int = LINKS
    half_length: float = 0.1
    link_mass: float = 0.1
    floor_viscous: float = 1.0
    wall_stiffness: float = 500.0
    wall_damping: float = 25.0
    wall_coulomb: float = 1.0
    wall_viscous: float = 1.0
    slip_speed: float = 0.002
    force_limit: float = 25.0
    heading_limit: float = math.pi


# Everything as in section 6 and table 1: J = m l^2 / 12 although a rod is 2 l long.
PRINTED = DuctModel(inertia=0.1 * 0.1**2 / 12, floor_coulomb=1.0, summed_power=False)
# The reading that its published optima and both of its statements on thrift fit.
RESOLVED = DuctModel(inertia=0.1 * 0.1**2 / 3, floor_coulomb=0.0, summed_power=True)
READINGS = {"printed": PRINTED, "resolved": RESOLVED}


@dataclass(frozen=True, slots=True)
class DuctGait:
    """phi_i = amplitude sin(frequency t - (i - 1) delay), i from the tail (eq. 28): the wave runs
    headwards. The paper counts phi the other way round, which mirrors the motion and nothing else.

    Attributes:
        amplitude: rad.
        delay: delta, rad: of a joint behind its neighbour towards the tail.
        frequency: omega, rad/s.
        stiffness, damping: kp, 1/s2, and kd, 1/s.
    """

    amplitude: float = 1.0
    delay: float = 1.0
    frequency: float = 0.4 * math.pi
    stiffness: float = 100.0
    damping: float = 25.0
