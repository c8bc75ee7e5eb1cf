"""True contacts between links and obstacles, from MuJoCo's own contact forces, one entry per touching pair."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from boa_control.plant import ContactTruth
from boa_description import frames
from boa_description.robot import Robot

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GeomIndex:
    """Which geom is which link or obstacle: arrays over all geoms, -1 for others."""

    link: NDArray[np.int_]
    obstacle: NDArray[np.int_]

    @classmethod
    def of(cls, model: mujoco.MjModel, robot: Robot, obstacles: int) -> GeomIndex:
        """Look up the geoms of `robot` and of `obstacles` obstacles by name."""
        link, obstacle = np.full(model.ngeom, -1), np.full(model.ngeom, -1)
        for index, name in enumerate(robot.link_names):
            link[model.geom(frames.link_geom(name)).id] = index
        for index in range(obstacles):
            obstacle[model.geom(frames.obstacle_geom(index)).id] = index
        return cls(link, obstacle)


def find_contacts(model: mujoco.MjModel, data: mujoco.MjData, index: GeomIndex) -> tuple[ContactTruth, ...]:
    """Contacts that carry force now. `data` must hold forces of its own position (see `Physics.refresh`).

    MuJoCo lists contact points; several points of one pair (a link along a wall) become one entry with their
    total force, at their centre of pressure. An obstacle at a joint touches the end spheres of both links: two
    entries, each with its own share, so that sums over links are right.
    """
    pairs: dict[tuple[int, int], list[tuple[Array, Array, float]]] = {}
    wrench = np.zeros(6)
    for number in range(data.ncon):
        contact = data.contact[number]
        first, second = contact.geom
        flip = index.link[first] >= 0  # MuJoCo's normal points from the first geom to the second
        link, obstacle = (first, second) if flip else (second, first)
        key = (int(index.link[link]), int(index.obstacle[obstacle]))
        if min(key) < 0:
            continue
        mujoco.mj_contactForce(model, data, number, wrench)
        if wrench[0] > 0:
            normal = -contact.frame[:2] if flip else contact.frame[:2]
            pairs.setdefault(key, []).append((contact.pos[:2].copy(), normal.copy(), float(wrench[0])))
    return tuple(_merge(*key, points) for key, points in sorted(pairs.items()))


def _merge(link: int, obstacle: int, points: list[tuple[Array, Array, float]]) -> ContactTruth:
    """One contact with the total force of several points, at their centre of pressure."""
    if len(points) == 1:
        return ContactTruth(link, obstacle, *points[0])
    places, normals, forces = (np.array(column) for column in zip(*points, strict=True))
    total = forces @ normals
    size = float(np.hypot(*total))
    return ContactTruth(link, obstacle, forces @ places / forces.sum(), total / size, size)
