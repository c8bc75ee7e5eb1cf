"""True contacts between links and obstacles, from MuJoCo's own contact forces, one entry per
touching pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from boa_control.plant import ContactTruth, ContactTruths
from boa_description import frames
from boa_description.arrays import Array
from boa_description.robot import Robot

Integers = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class GeomIndex:
    """Which geom is which link or obstacle: shape (n_geoms,), -1 for others."""

    link: Integers
    obstacle: Integers

    @classmethod
    def of(cls, model: mujoco.MjModel, robot: Robot, obstacles: int) -> GeomIndex:
        """Look up the geoms of `robot` and of `obstacles` obstacles by name."""
        link, obstacle = np.full(model.ngeom, -1), np.full(model.ngeom, -1)
        for index, name in enumerate(robot.link_names):
            link[model.geom(frames.link_geom(name)).id] = index
        for index in range(obstacles):
            obstacle[model.geom(frames.obstacle_geom(index)).id] = index
        return cls(link, obstacle)


class ContactPoint(NamedTuple):
    """One of MuJoCo's contact points; a pair may have several (a link along a wall).

    Attributes:
        link, obstacle: indices, 0 = tail.
        rank: which point of its pair.
        point, normal: shape (3,), world frame, m; the normal points from the obstacle to the link.
    """

    link: int
    obstacle: int
    rank: int
    point: Array
    normal: Array

    @property
    def key(self) -> tuple[int, int, int]:
        """The same from step to step while the contact lasts."""
        return self.link, self.obstacle, self.rank

    @property
    def tangent(self) -> Array:
        """Direction of positive tangential force, shape (2,): the normal turned by -90 degrees."""
        return np.array([self.normal[1], -self.normal[0]])


class ContactPoints(NamedTuple):
    """All points where links touch obstacles, as columns.

    Attributes:
        row: where the point's force stands in `data.efc_force`, good until the next position
            update; shape (m,).
        link, obstacle, point, normal: as of `ContactPoint`, shapes (m,) and (m, 3).
    """

    row: Integers
    link: Integers
    obstacle: Integers
    point: Array
    normal: Array

    def each(self) -> list[ContactPoint]:
        """The points one by one."""
        rank: dict[tuple[int, int], int] = {}
        points = []
        for pair, point, normal in zip(
            zip(self.link.tolist(), self.obstacle.tolist(), strict=True),
            self.point,
            self.normal,
            strict=True,
        ):
            rank[pair] = rank.get(pair, -1) + 1
            points.append(ContactPoint(*pair, rank[pair], point, normal))
        return points


def find_points(data: mujoco.MjData, index: GeomIndex) -> ContactPoints:
    """All points where links touch obstacles at the present position."""
    contact = data.contact
    first, second = contact.geom.T
    row = contact.efc_address
    link_first = index.link[first]
    link = np.maximum(link_first, index.link[second])  # what is none has -1
    obstacle = np.maximum(index.obstacle[first], index.obstacle[second])
    # MuJoCo's normal points from the first geom to the second
    normal = np.where(link_first < 0, 1.0, -1.0)[:, None] * contact.frame[:, :3]
    chosen = (np.minimum(np.minimum(link, obstacle), row) >= 0).nonzero()[0]
    return ContactPoints(
        row[chosen], link[chosen], obstacle[chosen], contact.pos[chosen], normal[chosen]
    )


def normal_forces(data: mujoco.MjData, points: ContactPoints) -> Array:
    """Normal force at each point, shape (m,), N; `data` must hold the forces of these points'
    position. A contact without friction in the engine has one row of constraint force: this one.
    """
    forces: Array = data.efc_force[points.row]
    return forces


def merge_points(points: ContactPoints, normal: Array, tangential: Array) -> ContactTruths:
    """Contacts that carry force, one per pair of link and obstacle, in order of link and obstacle.

    Several points of one pair become one with their total force, at their centre of pressure. An
    obstacle at a joint touches the end spheres of both links: two entries, each with its own share,
    so sums over links are right.

    Args:
        normal, tangential: forces at the points, shape (m,), N.
    """
    pair = points.link * (points.obstacle.max(initial=0) + 1) + points.obstacle
    order = np.argsort(pair, kind="stable")
    order = order[normal[order] > 0]
    pair = pair[order]
    if not (pair[1:] == pair[:-1]).any():
        across = points.normal[order]
        return ContactTruths(
            points.link[order],
            points.obstacle[order],
            points.point[order],
            across,
            normal[order],
            tangential[order, None] * tangents(across),
        )
    parts = [_merged(points, order[pair == one], normal, tangential) for one in np.unique(pair)]
    return ContactTruths.of(parts)


def _merged(points: ContactPoints, rows: Integers, force: Array, sliding: Array) -> ContactTruth:
    """The contact of one pair, whose points are `rows`."""
    link, obstacle = int(points.link[rows[0]]), int(points.obstacle[rows[0]])
    normals, places, weights = points.normal[rows], points.point[rows], force[rows]
    if rows.size == 1:
        rubbing = sliding[rows[0]] * tangents(normals)[0]
        return ContactTruth(link, obstacle, places[0], normals[0], float(weights[0]), rubbing)
    total = weights @ normals
    size = float(np.linalg.norm(total))
    normal = total / size
    tangent = np.array([normal[1], -normal[0]])
    rub = sum(
        float(force * (np.array([across[1], -across[0]]) @ tangent))
        for across, force in zip(normals, sliding[rows], strict=True)
    )
    centre = weights @ places / weights.sum()
    return ContactTruth(link, obstacle, centre, normal, size, rub * tangents(normal))


def tangents(normals: Array) -> Array:
    """Normals (..., 3) turned by -90 degrees in the plane, shape (..., 3)."""
    turned = np.zeros(normals.shape)
    turned[..., 0] = normals[..., 1]
    turned[..., 1] = -normals[..., 0]
    return turned
