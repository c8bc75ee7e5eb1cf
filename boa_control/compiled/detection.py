# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the sensors tell of forces from outside, and of the posts that exert them, as compiled
loops.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from boa_control.compiled import compiled, inner
from boa_control.compiled.records import (
    FlagMatrix,
    FlagVector,
    IndexVector,
    Matrix,
    Vector,
    on_records,
)


class LinkLoads(NamedTuple):
    """Forces on the links along and across them, N, and moments about their middles, N m, to be
    written, shape (n,) each.
    """

    along: Vector
    across: Vector
    moment: Vector


class Measured(NamedTuple):
    """What the sensors tell.

    Attributes:
        joint_force: as of `neighbour_loads`.
        angles: of the joints, shape (n - 1,), rad.
        acceleration: of the links in their frames, (n, 2 or 3), m/s2; NaN where it is not measured.
    """

    joint_force: Matrix
    angles: Vector
    acceleration: Matrix


class Memory(NamedTuple):
    """Level and smoothed force, N, of all contacts of the path."""

    level: Vector
    force: Vector


class EngagementRules(NamedTuple):
    """The constants of `hoal.contacts.detection`, the first three as shares per tick."""

    rise: float
    fade: float
    blend: float
    approach: float
    touch: float
    release: float


class Pressing(NamedTuple):
    """Contacts that may press, shape (nc,) each, as in `ContactSet`.

    Attributes:
        doubt: by how much each post may stand off along the path, m.
    """

    link: IndexVector
    offset: Vector
    side: Vector
    reach: Vector
    inside: Vector
    doubt: Vector


@inner
def strongest(force: Any) -> int:
    """Index of the largest force, shape (n,), N, of either sign."""
    at = 0
    for i in range(1, force.size):
        if abs(force[i]) > abs(force[at]):
            at = i
    return at


@compiled("void(f8[::1], f8[::1])")
def less_joint_rates(turning: Any, joint_rate: Any) -> None:
    """Take the rates of the joints, shape (n - 1,), from the turn rates of the links, shape (n,),
    rad/s: each is that of link 1 then, as its own link has it.
    """
    passed = 0.0
    for j in range(joint_rate.size):
        passed += joint_rate[j]
        turning[j + 1] -= passed


@compiled("i8(f8[::1], f8[::1], f8, f8)")
def beyond(across: Any, along: Any, most_across: float, most_along: float) -> int:
    """Index i of the link with the largest force across it, shape (n,), N, where that exceeds
    `most_across`; else n + i for the largest force along one; else -1.
    """
    link = strongest(across)
    if abs(across[link]) > most_across:
        return link
    link = strongest(along)
    return across.size + link if abs(along[link]) > most_along else -1


@inner
def _by_neighbours(joint_force: Any, link: int, cos: float, sin: float) -> Any:
    """Force of both neighbours on a link, from 0, along and across it, and what turns it with half
    a pitch as its arm, N.

    Args:
        joint_force: as of `neighbour_loads`. cos, sin: of the joint ahead, where there is one.
    """
    ahead_x, ahead_y, behind_x, behind_y = 0.0, 0.0, 0.0, 0.0
    if link < joint_force.shape[0]:
        ahead_x = cos * joint_force[link, 0] - sin * joint_force[link, 1]
        ahead_y = sin * joint_force[link, 0] + cos * joint_force[link, 1]
    if link > 0:
        behind_x, behind_y = joint_force[link - 1, 0], joint_force[link - 1, 1]
    # at either end the force turns the link the same way: arm and force change sign together
    return ahead_x - behind_x, ahead_y - behind_y, ahead_y + behind_y


@compiled("void(f8[::1], f8[::1], f8[::1], f8[:, ::1], f8[::1], f8[::1], f8)")
def neighbour_loads(
    along: Any, across: Any, moment: Any, joint_force: Any, cos: Any, sin: Any, half_pitch: float
) -> None:
    """Write the forces of the neighbours on each link, along and across it, N, and their moments
    about its middle, N m, shape (n,) each.

    Args:
        joint_force: force of link i + 1 on link i in the frame of link i + 1, (n - 1, 2 or 3), N.
        cos, sin: of the joint angles, shape (n - 1,).
        half_pitch: from the middle of a link to either joint axis, m.
    """
    for i in range(along.size):
        c, s = (cos[i], sin[i]) if i < cos.size else (0.0, 0.0)
        along[i], across[i], turning = _by_neighbours(joint_force, i, c, s)
        moment[i] = half_pitch * turning


@on_records
def link_forces(
    loads: LinkLoads,
    measured: Measured,
    inertial: Vector,
    floor: Vector,
    mass: float,
    half_pitch: float,
) -> float:
    """Write the forces on the links from outside, along and across them, N, and the moments about
    their middles of the forces in their joints, N m, shape (n,) each. Return the largest horizontal
    force in a joint, N; those that are NaN do not count.

    Args:
        inertial: m a across the links that are not measured, shape (n,), N; along them it is 0.
        floor: force of the floor across the links, shape (n,), N.
        mass: of a link, kg. half_pitch: as of `neighbour_loads`.
    """
    along, across, moment = loads
    joint_force, angles, acceleration = measured
    largest = 0.0
    for i in range(along.size):
        lengthwise, sideways = mass * acceleration[i, 0], mass * acceleration[i, 1]
        along[i] = 0.0 if math.isnan(lengthwise) else lengthwise
        across[i] = (inertial[i] if math.isnan(sideways) else sideways) - floor[i]
        cos, sin = 0.0, 0.0
        if i < angles.size:
            cos, sin = math.cos(angles[i]), math.sin(angles[i])
            size = math.hypot(joint_force[i, 0], joint_force[i, 1])
            if size > largest:
                largest = size
        load_along, load_across, turning = _by_neighbours(joint_force, i, cos, sin)
        along[i] -= load_along
        across[i] -= load_across
        moment[i] = half_pitch * turning
    return largest


@compiled("i8(i8[::1], f8[::1], f8[::1], b1[::1], i8, f8)")
def nearest_ahead(
    link: Any, inside: Any, doubt: Any, settled: Any, leading: int, reach: float
) -> int:
    """The foremost contact that the leading end may be running on, -1 where there is none.

    Args:
        link, inside: of the contacts, as in `ContactSet`.
        doubt: by how much its post may stand off along the path, m; `settled`: it does not stand
            ahead of an end that has come past it, shape (nc,) each.
        leading: link. reach: before a contact point, where the end may first touch, m.
    """
    nearest = -1
    for k in range(link.size):
        beyond = 0.0 if settled[k] else doubt[k]
        near = link[k] == leading and -reach - doubt[k] < inside[k] < beyond
        if near and (nearest < 0 or inside[k] > inside[nearest]):
            nearest = k
    return nearest


@compiled("b1(i8[::1], f8[::1], f8[::1], f8[::1], f8, f8)")
def any_rivals(link: Any, offset: Any, side: Any, inside: Any, zone: float, pitch: float) -> bool:
    """Whether two contacts may press on one side of an end link; arrays as in `ContactSet`, for
    `zone` and the rest see `estimation.end_forces`, m.
    """
    for k in range(link.size):
        if inside[k] >= 0.0:
            continue
        for j in range(link.size):
            near = offset[j] + pitch * (link[j] - link[k])
            if side[j] == side[k] and inside[j] >= 0.0 and -zone < near < pitch + zone:
                return True
    return False


@compiled("void(f8[::1], f8[::1], i8[::1], f8[::1], f8[::1], f8, f8)")
def contact_forces(
    force: Any, across: Any, link: Any, offset: Any, side: Any, zone: float, pitch: float
) -> None:
    """Write the normal forces of contacts, shape (nc,), N, from the forces across the links, shape
    (n,), N; `zone`: m from a joint, within which a post may touch the neighbour.
    """
    for k in range(link.size):
        at = link[k]
        total = across[at]
        if offset[k] < zone and at > 0:
            total += across[at - 1]
        if offset[k] > pitch - zone and at < across.size - 1:
            total += across[at + 1]
        force[k] = -side[k] * total


@on_records
def engage(
    level: Vector,
    silent: FlagVector,
    memory: Memory,
    contact: IndexVector,
    force: Vector,
    rules: EngagementRules,
) -> None:
    """Write how far contacts have been taken on, and which no sensor tells of, shape (nc,) each;
    see `hoal.contacts.detection`.

    Args:
        memory: updated; contacts that are not among `contact` have not been felt.
        contact: indices of the contacts, shape (nc,). force: measured, shape (nc,), N.
    """
    level_of, force_of = memory
    rise, fade, blend, approach, touch, release = rules
    smooth = force.copy()
    for k in range(contact.size):
        before, last = level_of[contact[k]], force_of[contact[k]]
        silent[k] = math.isnan(force[k])
        if silent[k]:
            level[k], smooth[k] = before, last
            continue
        smooth[k] = last + blend * (force[k] - last)
        if smooth[k] > (release if before > approach else touch):
            level[k] = min(before + rise, 1.0)
        else:
            level[k] = max(before - fade, approach)
    level_of[:] = approach
    force_of[:] = 0.0
    for k in range(contact.size):
        level_of[contact[k]], force_of[contact[k]] = level[k], smooth[k]


@on_records
def adoptable(
    doubted: FlagVector,
    pressed: FlagMatrix,
    force: Vector,
    contacts: Pressing,
    across: Vector,
    least_force: float,
    zone: float,
    pitch: float,
) -> bool:
    """Write which contacts are inside the body, without force, and may stand on a link beside
    theirs, shape (nc,), and on which links beside those something presses where none is planned, to
    the right and to the left, shape (2, n); whether anything does. See `estimation.adopted_forces`.

    Args:
        force: of the contacts, shape (nc,), N. across: force across each link, shape (n,), N.
        zone: m from a joint, within which a contact may be on the neighbour.
    """
    link, offset, side, _, inside, doubt = contacts
    last, found = across.size - 1, False
    for k in range(link.size):
        doubted[k] = doubt[k] > zone and force[k] < least_force and inside[k] > 0.0
    pressed[:] = False
    for k in range(link.size):
        if doubted[k]:
            for i in (link[k] - 1, link[k] + 1):
                if 0 <= i <= last and -side[k] * across[i] >= least_force:
                    pressed[int(side[k] > 0.0), i] = True
    for k in range(link.size):
        here, row = link[k], int(side[k] > 0.0)
        pressed[row, here] = False
        if offset[k] < zone and here > 0:
            pressed[row, here - 1] = False
        if offset[k] > pitch - zone and here < last:
            pressed[row, here + 1] = False
    for row in range(2):
        for i in range(last + 1):
            found = found or pressed[row, i]
    return found


@inner
def corner(joint: int, side: float, reach: float, bend: Any) -> float:
    """From a joint to where a post touches the links on either side of it, m: on the inside of a
    bend of phi it touches both at reach * tan(phi / 2). `bend` of the joints, shape (n - 1,), rad.
    """
    inwards = side * bend[joint]
    return reach * math.tan(inwards / 2.0) if inwards > 0.0 else 0.0


@on_records
def unexplained(
    along: Vector,
    across: Vector,
    contacts: Pressing,
    bend: Vector,
    zone: float,
    end_zone: float,
    pitch: float,
) -> None:
    """Take from the forces on the links, shape (n,), N, those that planned contacts may exert, and
    those that are NaN; see `estimation.stray_forces`.

    Args:
        bend: angles of the joints, shape (n - 1,), rad.
        zone: m from where a post touches two links, within which a contact may be on the neighbour.
        end_zone: m from an end of the body, where a post may touch its tip; negative: none does.
    """
    link, offset, side, reach, inside, doubt = contacts
    last = across.size - 1
    for i in range(last + 1):
        if math.isnan(along[i]):
            along[i] = 0.0
        if math.isnan(across[i]):
            across[i] = 0.0
    for k in range(link.size):
        here = first = final = link[k]
        if here > 0 and offset[k] < zone + corner(here - 1, side[k], reach[k], bend):
            first = here - 1
        if here < last and pitch - offset[k] < zone + corner(here, side[k], reach[k], bend):
            final = here + 1
        for i in range(first, final + 1):
            if side[k] * across[i] < 0.0:
                across[i] = 0.0
        if abs(inside[k]) < end_zone + doubt[k]:
            along[link[k]] = 0.0
