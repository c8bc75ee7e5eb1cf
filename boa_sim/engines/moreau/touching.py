# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which points of the links may touch obstacles within the next step, from MuJoCo's geometry."""

import math
from typing import Any, NamedTuple

import numpy as np

from boa_control.compiled import compiled_when_called
from boa_description.arrays import Array, Indices

# m; points of two neighbouring links nearer than this are one: the sphere that both share
SAME_PLACE = 1e-9
NEAR = 0.01  # m; points further away than this do not touch within one step
NOBODY = -3  # among links: no link; among obstacles: no obstacle (see `GeomRoles`)


class GeomRoles(NamedTuple):
    """Which geom is which link or obstacle: shape (n_geoms,), NOBODY for others."""

    link: Indices
    obstacle: Indices


class Touching(NamedTuple):
    """Points that touch or soon may.

    Attributes:
        link: shape (m,), index, 0 = tail.
        partner: shape (m,), the other link where the point lies on the sphere that two neighbours
            share, else NOBODY. Such a point counts once, moves with the mean of both links, and
            each link carries half of its force.
        obstacle: shape (m,).
        point: on the surface of the link, shape (m, 3), m.
        normal: from the obstacle to the link, shape (m, 3).
        gap: distance, shape (m,), m; negative where they overlap.
    """

    link: Indices
    partner: Indices
    obstacle: Indices
    point: Array
    normal: Array
    gap: Array

    @property
    def number(self) -> int:
        """Number of points, m."""
        return self.link.size


def find_touching(data: Any, roles: GeomRoles) -> Touching:
    """Points of the present position (MuJoCo's `mj_collision` done) that are near."""
    contact = data.contact
    if not data.ncon:
        none = np.zeros(0, np.intp)
        return Touching(none, none, none, np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))
    return Touching(
        *_gather(
            contact.geom,
            contact.pos,
            contact.frame,
            contact.dist,
            roles.link,
            roles.obstacle,
        )
    )


@compiled_when_called
def _gather(geom: Any, pos: Any, frame: Any, dist: Any, link_of: Any, obstacle_of: Any) -> Any:
    """The fields of `Touching`; MuJoCo's normal points from the first geom to the second."""
    most = dist.size
    link, partner = np.empty(most, np.intp), np.empty(most, np.intp)
    obstacle = np.empty(most, np.intp)
    point, normal, gap = np.empty((most, 3)), np.empty((most, 3)), np.empty(most)
    m = 0
    for c in range(most):
        first, second = geom[c, 0], geom[c, 1]
        here = max(link_of[first], link_of[second])
        there = max(obstacle_of[first], obstacle_of[second])
        if here < 0 or there == NOBODY or dist[c] > NEAR:
            continue
        outward = 1.0 if link_of[second] == here else -1.0
        repeated = False
        for k in range(m):
            if obstacle[k] != there or partner[k] != NOBODY or abs(link[k] - here) != 1:
                continue
            apart = 0.0
            for axis in range(3):
                place = pos[c, axis] + 0.5 * dist[c] * outward * frame[c, axis]
                apart = max(apart, abs(point[k, axis] - place))
            if apart < SAME_PLACE:
                partner[k] = here
                repeated = True
                break
        if repeated:
            continue
        link[m], partner[m], obstacle[m], gap[m] = here, NOBODY, there, dist[c]
        for axis in range(3):
            normal[m, axis] = outward * frame[c, axis]
            point[m, axis] = pos[c, axis] + 0.5 * dist[c] * normal[m, axis]
        m += 1
    return link[:m], partner[:m], obstacle[:m], point[:m], normal[:m], gap[:m]


@compiled_when_called
def _both(link: Any, partner: Any) -> Any:
    """Links of every point, shape (m, 2); negative where there is no second one."""
    pair = np.empty((link.size, 2), np.intp)
    pair[:, 0], pair[:, 1] = link, partner
    return pair


@compiled_when_called
def _carried(
    link: Any,
    partner: Any,
    obstacle: Any,
    point: Any,
    link_before: Any,
    partner_before: Any,
    old_obstacle: Any,
    old_point: Any,
    old_impulse: Any,
) -> Any:
    """For every link of a point the impulse of the nearest one of before with the same link and
    obstacle; none is used twice by the same link.
    """
    links, old_link = _both(link, partner), _both(link_before, partner_before)
    kept = np.zeros((links.shape[0], old_impulse.shape[1]))
    used = np.zeros(old_link.shape, np.bool_)
    for side in range(2):
        for k in range(links.shape[0]):
            if links[k, side] < 0:
                continue
            best, nearest, its = np.inf, -1, 0
            for o in range(old_link.shape[0]):
                for old in range(2):
                    same = old_link[o, old] == links[k, side] and old_obstacle[o] == obstacle[k]
                    if used[o, old] or not same:
                        continue
                    apart = 0.0
                    for axis in range(3):
                        apart += (point[k, axis] - old_point[o, axis]) ** 2
                    if apart < best:
                        best, nearest, its = apart, o, old
            if nearest >= 0:
                used[nearest, its] = True
                share = 0.5 if old_link[nearest, 1] >= 0 else 1.0
                for r in range(kept.shape[1]):
                    kept[k, r] += share * old_impulse[nearest, r]
    return kept


def each_link(touching: Touching) -> tuple[Indices, Indices, Array]:
    """One entry for every link that a point touches.

    Returns:
        which point, the link, and the link's share of the force (1, or 1/2 of a shared sphere),
        all of shape (m + number of shared points,).
    """
    shared = (touching.partner >= 0).nonzero()[0]
    point = np.concatenate((np.arange(touching.number), shared))
    link = np.concatenate((touching.link, touching.partner[shared]))
    return point, link, np.where(touching.partner[point] >= 0, 0.5, 1.0)


def carried_over(now: Touching, before: Touching, impulse: Array) -> Array:
    """Impulses of the points of before, shape (m_before, rows), for the points of now, shape (m,
    rows); zero for a new point.
    """
    if not now.number or not before.number:
        return np.zeros((now.number, impulse.shape[1]))
    return np.asarray(
        _carried(
            now.link,
            now.partner,
            now.obstacle,
            now.point,
            before.link,
            before.partner,
            before.obstacle,
            before.point,
            impulse,
        )
    )


@compiled_when_called
def directions(normal: Any, tangents: int) -> Any:
    """Normal and tangents of every point, shape (m, 1 + tangents, 3). With one tangent the normals
    are horizontal and it is the normal turned by -90 degrees about the vertical.
    """
    frame = np.zeros((normal.shape[0], 1 + tangents, 3))
    for k in range(normal.shape[0]):
        x, y, z = normal[k]
        frame[k, 0] = normal[k]
        if tangents == 1:
            frame[k, 1, 0], frame[k, 1, 1] = y, -x
        elif tangents == 2:
            if abs(x) < 0.7:  # across the x axis, else across the y axis
                size = math.hypot(y, z)
                frame[k, 1, 1], frame[k, 1, 2] = z / size, -y / size
            else:
                size = math.hypot(x, z)
                frame[k, 1, 0], frame[k, 1, 2] = -z / size, x / size
            u, v, w = frame[k, 1]
            frame[k, 2, 0], frame[k, 2, 1] = y * w - z * v, z * u - x * w
            frame[k, 2, 2] = x * v - y * u
    return frame


@compiled_when_called
def _rows(
    link: Any, partner: Any, point: Any, direction: Any, motion: Any, root: Any, base: int
) -> Any:
    """Velocity of every point along its directions per generalised velocity, (m * rows, nv).

    `motion` is MuJoCo's cdof, (nv, 6): angular and linear velocity about `root`. Link k moves with
    the base and the joints before it.
    """
    m, rows = direction.shape[0], direction.shape[1]
    nv = motion.shape[0]
    jacobian = np.zeros((m * rows, nv))
    for c in range(m):
        arm = point[c] - root
        for side in range(2):
            body = link[c] if side == 0 else partner[c]
            if body < 0:
                continue
            share = 0.5 if partner[c] >= 0 else 1.0
            for j in range(base + body):
                x = motion[j, 3] + motion[j, 1] * arm[2] - motion[j, 2] * arm[1]
                y = motion[j, 4] + motion[j, 2] * arm[0] - motion[j, 0] * arm[2]
                z = motion[j, 5] + motion[j, 0] * arm[1] - motion[j, 1] * arm[0]
                for r in range(rows):
                    d = direction[c, r]
                    jacobian[c * rows + r, j] += share * (d[0] * x + d[1] * y + d[2] * z)
    return jacobian


def contact_rows(touching: Touching, frame: Array, motion: Array, root: Array, base: int) -> Array:
    """Jacobian of all points along their directions `frame` (m, rows, 3), shape (m * rows, nv)."""
    return np.asarray(
        _rows(touching.link, touching.partner, touching.point, frame, motion, root, base)
    )


@compiled_when_called
def _generalised(wrench: Any, centre: Any, motion: Any, root: Any, base: int) -> Any:
    nv = motion.shape[0]
    force = np.zeros(nv)
    for k in range(wrench.shape[0]):
        arm = centre[k] - root
        f, t = wrench[k, :3], wrench[k, 3:]
        moment = (
            t[0] + arm[1] * f[2] - arm[2] * f[1],
            t[1] + arm[2] * f[0] - arm[0] * f[2],
            t[2] + arm[0] * f[1] - arm[1] * f[0],
        )
        for j in range(base + k):
            for axis in range(3):
                force[j] += motion[j, axis] * moment[axis] + motion[j, 3 + axis] * f[axis]
    return force


def generalised_force(wrench: Array, centre: Array, motion: Array, root: Array, base: int) -> Array:
    """Generalised force (nv,) of wrenches (n, 6) on the links at their centres (n, 3)."""
    return np.asarray(_generalised(wrench, centre, motion, root, base))
