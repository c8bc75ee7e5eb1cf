"""True contacts between links and obstacles, from MuJoCo's own contact forces, one entry per
touching pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from boa_control.plant import ContactTruth
from boa_description import frames
from boa_description.arrays import Array
from boa_description.robot import Robot


@dataclass(frozen=True, slots=True)
class GeomIndex:
    """Which geom is which link or obstacle: lists over all geoms, -1 for others."""

    link: list[int]
    obstacle: list[int]

    @classmethod
    def of(cls, model: mujoco.MjModel, robot: Robot, obstacles: int) -> GeomIndex:
        """Look up the geoms of `robot` and of `obstacles` obstacles by name."""
        link, obstacle = [-1] * model.ngeom, [-1] * model.ngeom
        for index, name in enumerate(robot.link_names):
            link[model.geom(frames.link_geom(name)).id] = index
        for index in range(obstacles):
            obstacle[model.geom(frames.obstacle_geom(index)).id] = index
        return cls(link, obstacle)


@dataclass(frozen=True, slots=True)
class ContactPoint:
    """One of MuJoCo's contact points; a pair may have several (a link along a wall).

    Attributes:
        number: index in `data.contact`, good until the next position update.
        link, obstacle: indices, 0 = tail.
        rank: which point of its pair.
        point, normal: shape (3,), world frame, m; the normal points from the obstacle to the link.
    """

    number: int
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


def find_points(data: mujoco.MjData, index: GeomIndex) -> list[ContactPoint]:
    """All points where links touch obstacles at the present position."""
    if data.ncon == 0:
        return []
    contact, points = data.contact, []
    rank: dict[tuple[int, int], int] = {}
    for number, (first, second) in enumerate(contact.geom.tolist()):
        link, obstacle = index.link[first], index.obstacle[second]
        outward = -1.0  # MuJoCo's normal points from the first geom to the second
        if link < 0:
            link, obstacle, outward = index.link[second], index.obstacle[first], 1.0
        if link < 0 or obstacle < 0 or contact.efc_address[number] < 0:
            continue
        place = rank[link, obstacle] = rank.get((link, obstacle), -1) + 1
        normal = outward * contact.frame[number, :3]
        points.append(
            ContactPoint(number, link, obstacle, place, contact.pos[number].copy(), normal)
        )
    return points


def normal_forces(
    model: mujoco.MjModel, data: mujoco.MjData, points: Sequence[ContactPoint]
) -> list[float]:
    """Normal force at each point, N; `data` must hold the forces of these points' position."""
    wrench, forces = np.zeros(6), []
    for point in points:
        mujoco.mj_contactForce(model, data, point.number, wrench)
        forces.append(float(wrench[0]))
    return forces


def merge_points(
    points: Sequence[ContactPoint], normal: Sequence[float], tangential: Sequence[float]
) -> tuple[ContactTruth, ...]:
    """Contacts that carry force, one per pair of link and obstacle, in order of link and obstacle.

    Several points of one pair become one with their total force, at their centre of pressure. An
    obstacle at a joint touches the end spheres of both links: two entries, each with its own share,
    so sums over links are right.
    """
    pairs: dict[tuple[int, int], list[tuple[ContactPoint, float, float]]] = {}
    for point, pressing, sliding in zip(points, normal, tangential, strict=True):
        if pressing > 0:
            pairs.setdefault((point.link, point.obstacle), []).append((point, pressing, sliding))
    return tuple(_merge(parts) for _, parts in sorted(pairs.items()))


def _merge(parts: list[tuple[ContactPoint, float, float]]) -> ContactTruth:
    first, pressing, sliding = parts[0]
    if len(parts) == 1:
        return ContactTruth(
            first.link,
            first.obstacle,
            first.point,
            first.normal,
            pressing,
            sliding * horizontal(first.tangent),
        )
    weights = np.array([force for _, force, _ in parts])
    total = weights @ np.array([part.normal for part, _, _ in parts])
    size = float(np.linalg.norm(total))
    normal = total / size
    tangent = np.array([normal[1], -normal[0]])
    rubbing = sum(float(force * (part.tangent @ tangent)) for part, _, force in parts)
    centre = weights @ np.array([part.point for part, _, _ in parts]) / weights.sum()
    return ContactTruth(
        first.link, first.obstacle, centre, normal, size, rubbing * horizontal(tangent)
    )


def horizontal(vector: Array) -> Array:
    """A vector (2,) of the plane in space, shape (3,)."""
    return np.array([vector[0], vector[1], 0.0])
