# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The bent chain, and where posts touch it, as compiled loops.

Points and directions in the plane are complex numbers x + iy.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from boa_control.compiled import compiled, inner
from boa_control.compiled.records import (
    FlagVector,
    IndexVector,
    Matrix,
    PointVector,
    Vector,
    on_records,
)

# m, by which a located post may seem further inside than the end of a bent body has come
SWUNG = 0.03
END_ZONE = 0.04  # m before the nose or behind the tail, over which a post is no more at the flank
# m before the body, from which the nose makes way for the next post; behind it, up to which the
# tail does for the one that it leaves
STEER_DISTANCE = 0.11
SAME_DISTANCE = 1e-9  # m; at a joint both links are equally near


class Touched(NamedTuple):
    """Contacts, to be written: link, normal, and offset, distance, `inside` and activation as in
    `ContactSet`; shapes (nc,), (nc, 2) and (4, nc).
    """

    link: IndexVector
    normal: Matrix
    places: Matrix


class BentChain(NamedTuple):
    """A chain beside its path.

    Attributes:
        axes, along: shapes (n + 1,) and (n,), as in `PathState`.
        sigma: arc lengths of the joint axes on the path, shape (n + 1,), m.
        pitch: of the links, m.
    """

    axes: PointVector
    along: PointVector
    sigma: Vector
    pitch: float


class Posts(NamedTuple):
    """Posts, one for each contact, shape (nc,) each.

    Attributes:
        s: arc lengths of the contacts, m.
        side: +1 post on the left, -1 on the right.
        centre: m. towards: unit vectors from the posts to the path.
        located: the post stands where touch has told: it is met and left there, not at s.
    """

    s: Vector
    side: Vector
    centre: PointVector
    towards: PointVector
    located: FlagVector


class MappedPosts(NamedTuple):
    """Posts of the map, shape (nc,) each, as in `Neighbourhood`, whose `centre` is `mapped`."""

    s: Vector
    side: Vector
    mapped: PointVector
    towards: PointVector
    contact: IndexVector
    post: IndexVector


class Fit(NamedTuple):
    """As in `hoal.post_map.deformation.BendFit`."""

    joints: Vector
    pose: Vector
    swing: Matrix
    opening: Matrix


@compiled("void(c16[::1], c16[::1], f8[:, ::1], f8[:, ::1], f8[::1], f8)")
def chain_rows(
    axes: Any, along: Any, across_rows: Any, along_rows: Any, q: Any, pitch: float
) -> None:
    """Write joint axes, shape (n + 1,), m, unit vectors along the links, (n,), and the speeds of
    the links' tail-side axes across and along themselves as rows on qd, (n, n + 2) each.

    Args:
        q: x, y of the tail-side end, heading of link 1, joint angles, shape (n + 2,).
        pitch: m.
    """
    n = along.size
    across_rows[:] = 0.0
    along_rows[:] = 0.0
    axes[0] = complex(q[0], q[1])
    heading, reached = 0.0, complex(0.0, 0.0)
    for i in range(n):
        heading += q[2 + i]
        along[i] = complex(math.cos(heading), math.sin(heading))
        reached += along[i]
        axes[i + 1] = axes[0] + pitch * reached
    for i in range(n):
        cos, sin = along[i].real, along[i].imag
        across_rows[i, 0], across_rows[i, 1] = -sin, cos
        along_rows[i, 0], along_rows[i, 1] = cos, sin
        for k in range(i):  # joint k turns all that lies headward of it about its axis
            arm = axes[i] - axes[k]
            across_rows[i, 2 + k] = cos * arm.real + sin * arm.imag
            along_rows[i, 2 + k] = sin * arm.real - cos * arm.imag


@inner
def in_bend(centre: complex, side: float, joint: int, axes: Any, along: Any, pitch: float) -> Any:
    """Whether a post stands in the bend of a joint, so that it faces the flanks of both links; then
    link, offset and normal of its contact.

    The normal goes over from the one flank's to the other's as evenly as the post passes through
    the bend, and acts on the link that it meets. Given to the nearer one, the contact would jump by
    twice the way from there to the joint, and back with the least motion of a body that stands.
    """
    behind = (centre - axes[joint]) * along[joint - 1].conjugate()
    before = (centre - axes[joint]) * along[joint].conjugate()
    passed, facing = -behind.real, before.real  # m from the joint, along the one and the other
    inside = min(passed, facing) >= 0.0 and 0.0 < max(passed, facing) <= pitch
    if not inside or min(side * behind.imag, side * before.imag) <= 0.0:
        return False, joint, 0.0, complex(0.0, 0.0)
    share = passed / (passed + facing)
    normal = share * along[joint - 1] + (1.0 - share) * along[joint]
    normal *= complex(0.0, -side / abs(normal))
    link, seen = joint - 1, behind + pitch
    turned = normal * along[link].conjugate()
    offset = seen.real - turned.real / turned.imag * seen.imag
    if offset > pitch:
        link, seen = joint, before
        turned = normal * along[link].conjugate()
        offset = seen.real - turned.real / turned.imag * seen.imag
    return True, link, offset, turned


@inner
def nearest(
    centre: complex, side: float, planned: int, axes: Any, along: Any, pitch: float, even: bool
) -> Any:
    """Link, offset, normal along and across it, and distance of the axis line that is nearest to a
    post, of the `planned` link and both beside it; the first and the last go on outwards.

    At a joint the body is round; there `planned` counts, where the path coordinate says that the
    contact is. In the bend of a joint see `in_bend`, where posts pass through it `even`.
    """
    last = along.size - 1
    link, offset, arm, least = planned, 0.0, complex(0.0, 0.0), np.inf
    for step in (0, -1, 1):
        candidate = min(max(planned + step, 0), last)
        seen = (centre - axes[candidate]) * along[candidate].conjugate()
        place = seen.real
        if candidate > 0:
            place = max(place, 0.0)
        if candidate < last:
            place = min(place, pitch)
        away = abs(seen - place) + (0.0 if step == 0 else SAME_DISTANCE)
        if away < least:
            link, offset, arm, least = candidate, place, seen - place, away
    if arm.real != 0.0:  # a round end
        away = abs(arm)
        return link, offset, -arm.real / away, -arm.imag / away, side * away
    for joint in range(max(link, 1), min(link + 1, last) + 1 if even else 0):
        bent, met, place, normal = in_bend(centre, side, joint, axes, along, pitch)
        if bent:
            return met, place, normal.real, normal.imag, arm.imag
    return link, offset, 0.0, -side, arm.imag


@inner
def _write_touches(
    touched: Any, chain: Any, posts: Any, beyond: float, ramp: float, even: bool
) -> None:
    """As `touches`."""
    link, normal, places = touched
    axes, along, sigma, pitch = chain
    s, side, centre, towards, located = posts
    n = along.size
    for k in range(s.size):
        planned = 0
        while planned < n - 1 and sigma[planned + 1] <= s[k]:
            planned += 1
        at, place, lengthwise, across, away = nearest(
            centre[k], side[k], planned, axes, along, pitch, even
        )
        depth = min(s[k] - sigma[0], sigma[n] - s[k])
        if located[k]:
            behind = at * pitch + place
            depth = min(behind, n * pitch - behind, depth + beyond - STEER_DISTANCE)
            ahead = towards[k].conjugate() * complex(0.0, -side[k])  # tangent, conjugate
            if min(at, planned) == 0:
                depth = min(depth, ((centre[k] - axes[0]) * ahead).real + SWUNG)
            elif max(at, planned) == n - 1:
                depth = min(depth, ((axes[n] - centre[k]) * ahead).real + SWUNG)
        if depth < 0.0:
            at, tip = (n - 1, axes[n]) if 2 * at > n - 1 else (0, axes[0])
            far, seen = min(-depth / END_ZONE, 1.0), (centre[k] - axes[at]) * along[at].conjugate()
            outwards = far * towards[k] * along[at].conjugate() - (1.0 - far) * complex(
                0.0, side[k]
            )
            outwards /= abs(outwards)
            place = far * abs(tip - axes[at]) + (1.0 - far) * seen.real
            lengthwise, across = outwards.real, outwards.imag
            away = side[k] * ((place - seen) * outwards.conjugate()).real
        link[k], normal[k, 0], normal[k, 1] = at, lengthwise, across
        places[0, k], places[1, k] = place, away
        places[2, k], places[3, k] = depth, max(min(depth / ramp, 1.0), 0.0)


@on_records
def touches(
    touched: Touched, chain: BentChain, posts: Posts, beyond: float, ramp: float, even: bool
) -> None:
    """Write contacts.

    A post before the nose or behind the tail: a nose that must pass it has to be beside it before
    it gets there. How far it is beside is measured across the path at the post, not across the head
    link, which still lies in the bend before it; the one passes into the other over `END_ZONE`,
    lest a post at the very tip stand here and there in turn.

    A located post is no further inside than the end of the body has come along the path at the
    post: beside a tail that has swung away lies a post that it left long ago.

    Args:
        beyond: from the ends of the body, up to which posts count, m: none holds the chain when it
            leaves the plan.
        ramp: length over which a contact is taken on or released, m.
        even: posts pass evenly through the bends of joints; else the nearer link has them.
    """
    _write_touches(touched, chain, posts, beyond, ramp, even)


@on_records
def assumed_touches(
    touched: Touched,
    chain: BentChain,
    posts: MappedPosts,
    offsets: Vector,
    shifts: PointVector,
    turned: complex,
    beyond: float,
    ramp: float,
) -> None:
    """Write the contacts of `touches` with posts where they are assumed to stand; one that is
    shifted has been located.

    Args:
        offsets, shifts: as of `BentSchedule.at`. turned: of the `Neighbourhood`.
        beyond, ramp: as of `touches`.
    """
    centre, located = np.empty_like(posts.mapped), np.empty(posts.contact.size, np.bool_)
    for k in range(posts.contact.size):
        shift = shifts[posts.post[k]]
        centre[k] = posts.mapped[k] + offsets[posts.contact[k]] * posts.towards[k] + turned * shift
        located[k] = shift != 0.0
    assumed = Posts(posts.s, posts.side, centre, posts.towards, located)
    _write_touches(touched, chain, assumed, beyond, ramp, True)


@on_records
def follow(
    bend: Vector,
    rate: Vector,
    bend_before: Vector,
    rate_before: Vector,
    fit: Fit,
    fastest: float,
    bandwidth: float,
    period: float,
) -> None:
    """Write the bend of the reference after one tick, and its rate, shape (n + 2,) each: the joints
    critically damped, the pose as it fits best.

    Args:
        bend_before, rate_before: those of the last tick.
        fastest: of any rate of `fit.opening`, m/s.
        bandwidth: rad/s. period: of the ticks, s.
    """
    joints, pose, swing, opening = fit
    slower = 1.0
    for j in range(joints.size):
        away = joints[j] - bend_before[3 + j]
        pull = bandwidth * bandwidth * period * away
        rate[3 + j] = (1.0 - 2 * bandwidth * period) * rate_before[3 + j] + pull
    for k in range(opening.shape[0]):
        across = 0.0
        for j in range(joints.size):
            across += opening[k, j] * rate[3 + j]
        slower = max(slower, abs(across) / fastest)
    for j in range(joints.size):
        rate[3 + j] /= slower
        bend[3 + j] = bend_before[3 + j] + period * rate[3 + j]
    for i in range(3):
        rate[i], bend[i] = 0.0, pose[i]
        for j in range(joints.size):
            rate[i] += swing[i, j] * rate[3 + j]
            bend[i] += swing[i, j] * bend[3 + j]
