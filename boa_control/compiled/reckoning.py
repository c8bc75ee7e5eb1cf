# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the floor moves the centre of mass, as a compiled loop; what the numbers mean is explained in
`estimation.dead_reckoning`, and the laws in `boa_description.floor`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from boa_control.compiled.records import Matrix, Vector, on_records


class Floor(NamedTuple):
    """Any law of friction, by the numbers that it has along and across a link.

    Attributes:
        dry_along, dry_across: times the weight, from the slip speed on.
        viscous_along, viscous_across: N s/m.
        slip_speed: m/s.
        apart: whether each direction slips by its own speed, or all by that of the link.
        weight: of a link, N.
    """

    dry_along: float
    dry_across: float
    viscous_along: float
    viscous_across: float
    slip_speed: float
    apart: bool
    weight: float


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


@on_records
def glide(motion: Vector, floor: Floor, links: Links, mass: float, dt: float, steps: int) -> None:
    """Move place and velocity of the centre of mass, `motion` (4,): x, y, m, and their rates, m/s.

    Args:
        mass: of the robot, kg. dt: of each of the `steps`, s.
    """
    for _ in range(steps):
        force_x, force_y = 0.0, 0.0
        for i in range(links.cos.size):
            cos, sin = links.cos[i], links.sin[i]
            vx, vy = motion[2] + links.relative[i, 0], motion[3] + links.relative[i, 1]
            along, across = cos * vx + sin * vy, cos * vy - sin * vx
            speed_along = speed_across = math.hypot(vx, vy)
            if floor.apart:
                speed_along, speed_across = abs(along), abs(across)
            dry_along = floor.dry_along * floor.weight / max(speed_along, floor.slip_speed)
            dry_across = floor.dry_across * floor.weight / max(speed_across, floor.slip_speed)
            along *= dry_along + floor.viscous_along
            across *= dry_across + floor.viscous_across
            force_x -= links.trust[i] * (cos * along - sin * across + links.outside[i, 0])
            force_y -= links.trust[i] * (sin * along + cos * across + links.outside[i, 1])
        motion[2] += dt * force_x / mass
        motion[3] += dt * force_y / mass
        motion[0] += dt * motion[2]
        motion[1] += dt * motion[3]
