# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forces of the floor on the links, and how they move the centre of mass, as compiled loops; the
laws are explained in `boa_description.floor`, dead reckoning in `estimation.dead_reckoning`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from boa_control.compiled import inner
from boa_control.compiled.records import IndexVector, Matrix, Vector, on_records


class Floor(NamedTuple):
    """`boa_description.floor.Coefficients`, defined here once more for numba (see `records`)."""

    dry_along: float
    dry_across: float
    viscous_along: float
    viscous_across: float
    slip_speed: float
    apart: bool


class Links(NamedTuple):
    """The links during a control period.

    Attributes:
        cos, sin: of their headings, shape (n,).
        relative: velocities of their centres against the centre of mass, shape (n, 2), m/s.
        outside: measured forces on them, shape (n, 2), N.
        trust: weights with which they tell of the motion, shape (n,).
    """

    cos: Vector
    sin: Vector
    relative: Matrix
    outside: Matrix
    trust: Vector


class Bodies(NamedTuple):
    """The links among the bodies of MuJoCo.

    Attributes:
        number: of the body of each link, shape (n,).
        weight: with which they press the floor, shape (n,), N.
        heading: shape (n,), rad.
        motion: of all bodies, turn and velocity at the point `about` (3,), shape (bodies, 6).
        centre: of all bodies, shape (bodies, 3), m.
    """

    number: IndexVector
    weight: Vector
    heading: Vector
    motion: Matrix
    centre: Matrix
    about: Vector


@inner
def _drag(
    floor: Floor, weight: float, cos: float, sin: float, vx: float, vy: float
) -> tuple[float, float]:
    """What a link rubs on the floor, N: minus the floor's force on it."""
    along, across = cos * vx + sin * vy, cos * vy - sin * vx
    speed_along = speed_across = math.hypot(vx, vy)
    if floor.apart:
        speed_along, speed_across = abs(along), abs(across)
    dry_along = floor.dry_along * weight / max(speed_along, floor.slip_speed)
    dry_across = floor.dry_across * weight / max(speed_across, floor.slip_speed)
    along *= dry_along + floor.viscous_along
    across *= dry_across + floor.viscous_across
    return cos * along - sin * across, sin * along + cos * across


@on_records
def glide(
    motion: Vector, floor: Floor, weight: float, links: Links, mass: float, dt: float, steps: int
) -> None:
    """Move place and velocity of the centre of mass, `motion` (4,): x, y, m, and their rates, m/s.

    Args:
        weight: of a link, N. mass: of the robot, kg. dt: of each of the `steps`, s.
    """
    for _ in range(steps):
        force_x, force_y = 0.0, 0.0
        for i in range(links.cos.size):
            vx, vy = motion[2] + links.relative[i, 0], motion[3] + links.relative[i, 1]
            drag_x, drag_y = _drag(floor, weight, links.cos[i], links.sin[i], vx, vy)
            trust = links.trust[i]
            force_x += (1.0 - trust) * links.outside[i, 0] - trust * drag_x
            force_y += (1.0 - trust) * links.outside[i, 1] - trust * drag_y
        motion[2] += dt * force_x / mass
        motion[3] += dt * force_y / mass
        motion[0] += dt * motion[2]
        motion[1] += dt * motion[3]


@on_records
def brake(wrench: Matrix, floor: Floor, turning: float, bodies: Bodies) -> None:
    """Write force and vertical moment of the floor into the rows of the links in `wrench`, of all
    bodies, shape (bodies, 6), N and N m.

    Args:
        turning: moment per turn rate, N m s.
    """
    for i in range(bodies.number.size):
        body = bodies.number[i]
        arm_x = bodies.centre[body, 0] - bodies.about[0]
        arm_y = bodies.centre[body, 1] - bodies.about[1]
        rate = bodies.motion[body, 2]
        vx, vy = bodies.motion[body, 3] - rate * arm_y, bodies.motion[body, 4] + rate * arm_x
        cos, sin = math.cos(bodies.heading[i]), math.sin(bodies.heading[i])
        drag_x, drag_y = _drag(floor, bodies.weight[i], cos, sin, vx, vy)
        wrench[body, 0], wrench[body, 1] = -drag_x, -drag_y
        wrench[body, 5] = -turning * rate
