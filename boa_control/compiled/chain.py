"""The bent chain, and where posts touch it, as compiled loops.

Points and directions in the plane are complex numbers x + iy.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from boa_control.compiled import compiled, inner

# m, by which a located post may seem further inside than the end of a bent body has come
SWUNG = 0.03
END_ZONE = 0.04  # m before the nose or behind the tail, over which a post is no more at the flank
# m before the body, from which the nose makes way for the next post; behind it, up to which the
# tail does for the one that it leaves
STEER_DISTANCE = 0.11
SAME_DISTANCE = 1e-9  # m; at a joint both links are equally near


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


@compiled(
    "void(i8[::1], f8[:, ::1], f8[:, ::1], c16[::1], c16[::1], f8[::1], f8, f8[::1], f8[::1],"
    " c16[::1], c16[::1], b1[::1], f8, f8, b1)"
)
def touches(
    link: Any,
    normal: Any,
    places: Any,
    axes: Any,
    along: Any,
    sigma: Any,
    pitch: float,
    s: Any,
    side: Any,
    centre: Any,
    towards: Any,
    located: Any,
    beyond: float,
    ramp: float,
    even: bool,
) -> None:
    """Write link, normal, and offset, distance, `inside` and activation of contacts, as in
    `ContactSet`.

    A post before the nose or behind the tail: a nose that must pass it has to be beside it before
    it gets there. How far it is beside is measured across the path at the post, not across the head
    link, which still lies in the bend before it; the one passes into the other over `END_ZONE`,
    lest a post at the very tip stand here and there in turn.

    Args:
        link, normal, places: to be written, shapes (nc,), (nc, 2) and (4, nc).
        axes, along: of the bent chain, shapes (n + 1,) and (n,). sigma: arc lengths of the joint
            axes on the path, (n + 1,), m.
        s: arc lengths of the contacts, shape (nc,), m; the other arguments likewise.
        side: +1 post on the left, -1 on the right. centre: of the posts, m.
        towards: unit vectors from the posts to the path.
        located: the post stands where touch has told: it is met and left there, not at s. It is no
            further inside than the end of the body has come along the path at the post: beside a
            tail that has swung away lies a post that it left long ago.
        beyond: from the ends of the body, up to which posts count, m: none holds the chain when it
            leaves the plan.
        ramp: length over which a contact is taken on or released, m.
        even: posts pass evenly through the bends of joints; else the nearer link has them.
    """
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


@compiled(
    "void(i8[::1], f8[:, ::1], f8[:, ::1], c16[::1], c16[::1], f8[::1], f8, f8[::1], f8[::1],"
    " c16[::1], c16[::1], i8[::1], i8[::1], f8[::1], c16[::1], c16, f8, f8)"
)
def assumed_touches(
    link: Any,
    normal: Any,
    places: Any,
    axes: Any,
    along: Any,
    sigma: Any,
    pitch: float,
    s: Any,
    side: Any,
    mapped: Any,
    towards: Any,
    post: Any,
    obstacle: Any,
    offsets: Any,
    shifts: Any,
    turned: complex,
    beyond: float,
    ramp: float,
) -> None:
    """Write the contacts of `touches` with posts where they are assumed to stand; one that is
    shifted has been located.

    Args:
        mapped, towards, post, obstacle, turned: of the `Neighbourhood`; `mapped` is its `centre`.
        offsets, shifts: as of `BentSchedule.at`. The others: as of `touches`.
    """
    centre, located = np.empty_like(mapped), np.empty(post.size, np.bool_)
    for k in range(post.size):
        shift = shifts[obstacle[k]]
        centre[k] = mapped[k] + offsets[post[k]] * towards[k] + turned * shift
        located[k] = shift != 0.0
    around = axes, along, sigma, pitch, s, side, centre, towards, located, beyond, ramp, True
    touches(link, normal, places, *around)


@compiled(
    "f8(f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[:, ::1], f8[:, ::1], f8[::1],"
    " f8, f8)"
)
def follow(
    bend: Any,
    rate: Any,
    bend_before: Any,
    rate_before: Any,
    joints: Any,
    pose: Any,
    swing: Any,
    opening: Any,
    fastest: Any,
    bandwidth: float,
    period: float,
) -> float:
    """Write the bend of the reference after one tick, and its rate, shape (n + 2,) each: the joints
    critically damped, the pose as it fits best. Return how fast the leading end moves across
    itself, m/s.

    Args:
        bend_before, rate_before: those of the last tick.
        joints, pose, swing, opening: of the `BendFit`. fastest: of the rates of `opening`, m/s.
        bandwidth: rad/s. period: of the ticks, s.
    """
    slower = 1.0
    for j in range(joints.size):
        away = joints[j] - bend_before[3 + j]
        pull = bandwidth * bandwidth * period * away
        rate[3 + j] = (1.0 - 2 * bandwidth * period) * rate_before[3 + j] + pull
    across = 0.0
    for k in range(fastest.size):
        across = 0.0
        for j in range(joints.size):
            across += opening[k, j] * rate[3 + j]
        slower = max(slower, abs(across) / fastest[k])
    for j in range(joints.size):
        rate[3 + j] /= slower
        bend[3 + j] = bend_before[3 + j] + period * rate[3 + j]
    for i in range(3):
        rate[i], bend[i] = 0.0, pose[i]
        for j in range(joints.size):
            rate[i] += swing[i, j] * rate[3 + j]
            bend[i] += swing[i, j] * bend[3 + j]
    return across / slower
