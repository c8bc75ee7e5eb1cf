# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The chain on its path, posts at its flanks, and sums over its joints, as compiled loops.

Points and directions in the plane are complex numbers x + iy.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from boa_control.compiled import compiled
from boa_control.compiled.records import Vector, on_records


class ShapeState(NamedTuple):
    """The joints beside the reference, shape (n - 1,) each.

    Attributes:
        p: phi_ref'.
        deviation: phi - phi_ref, rad. velocity: rad/s.
        ahead: of the reference, m along the path.
    """

    p: Vector
    deviation: Vector
    velocity: Vector
    ahead: float


class ShapeGains(NamedTuple):
    """1/s2 and 1/s.

    Attributes:
        most: that `stiffness` asks for, rad/s2, norm over the joints.
    """

    stiffness: float
    damping: float
    most: float


@compiled("void(f8[::1], f8[:, ::1], i8, f8, f8, i8, i8)")
def interpolate(
    row: Any, table: Any, cell: int, share: float, s: float, first: int, last: int
) -> None:
    """Write the row between two of a table, shape (T, m), into `row`, shape (m,).

    Args:
        cell: index of the row before. share: of the way to the next, 0 to 1.
        s: added to the columns from `first` to before `last`.
    """
    for j in range(row.size):
        before = table[cell, j]
        row[j] = before + share * (table[cell + 1, j] - before)
    for j in range(first, last):
        row[j] += s


@compiled("void(i8[::1], f8[:, ::1], c16[::1], c16[::1], f8[::1], f8[::1], c16[::1], f8)")
def flank_touches(
    link: Any, places: Any, axes: Any, along: Any, sigma: Any, s: Any, centre: Any, ramp: float
) -> None:
    """Write link, and offset, distance, `inside` and activation, of contacts of a chain on its
    path, as in `ContactSet`: every post is at the flank of the link on whose piece of the path it
    stands.

    Args:
        link, places: to be written, shapes (nc,) and (4, nc).
        axes, along: of the chain, shapes (n + 1,) and (n,). sigma: arc lengths of the joint axes,
            (n + 1,), m.
        s: arc lengths of the contacts, shape (nc,), m. centre: of the posts, m.
        ramp: length over which a contact is taken on or released, m.
    """
    n = along.size
    for k in range(s.size):
        at = 0
        while at < n - 1 and sigma[at + 1] <= s[k]:
            at += 1
        seen = (centre[k] - axes[at]) * along[at].conjugate()
        inside = min(s[k] - sigma[0], sigma[n] - s[k])
        link[k] = at
        places[0, k], places[1, k] = seen.real, seen.imag
        places[2, k], places[3, k] = inside, min(inside / ramp, 1.0)


@compiled("f8(f8[::1], f8[::1], f8)")
def swing(joint_rate: Any, along: Any, rate: float) -> float:
    """Largest joint rate that is not that of the way at `rate`, m/s, along the path, rad/s;
    `along`: joint rates per rate along it, shape (n - 1,), rad/m.
    """
    largest = abs(joint_rate[0] - along[0] * rate)
    for j in range(1, along.size):
        largest = max(largest, abs(joint_rate[j] - along[j] * rate))
    return largest


@compiled("Tuple((f8, f8, f8, f8))(f8[::1], f8[::1], f8[::1], f8[::1], f8[::1])")
def joints_on_path(deviation: Any, phi: Any, phi_dot: Any, phi_ref: Any, p: Any) -> Any:
    """Write phi - phi_ref, shape (n - 1,), rad; return the products p.p, p.(phi - phi_ref),
    p.phi_dot and |phi - phi_ref|^2, with p = phi_ref'; all arguments have shape (n - 1,).
    """
    stiffness, along, moving, square = 0.0, 0.0, 0.0, 0.0
    for j in range(phi.size):
        deviation[j] = phi[j] - phi_ref[j]
        stiffness += p[j] * p[j]
        along += p[j] * deviation[j]
        moving += p[j] * phi_dot[j]
        square += deviation[j] * deviation[j]
    return stiffness, along, moving, square


@on_records
def shape_loop(target: Vector, along: float, shape: ShapeState, gains: ShapeGains) -> None:
    """Write `along` p - `stiffness` deviation - `damping` velocity, shape (n - 1,).

    The error p `ahead` - deviation is made smaller in its direction where `stiffness` asks for more
    than `most`.
    """
    p, deviation, velocity, ahead = shape
    stiffness, damping, most = gains
    more = 0.0
    if most < math.inf:
        square = 0.0
        for j in range(p.size):
            square += (p[j] * ahead - deviation[j]) ** 2
        more = 1.0 - most / max(stiffness * math.sqrt(square), most)
    for j in range(p.size):
        off = deviation[j] + more * (p[j] * ahead - deviation[j])
        target[j] = p[j] * along - (stiffness * off + damping * velocity[j])
