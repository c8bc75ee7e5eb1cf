# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""True contacts between links and obstacles, from MuJoCo's own contact forces, one entry per
touching pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from boa_control.plant import DeferredContacts, TruthColumns
from boa_description import frames
from boa_description.arrays import Array, Indices
from boa_description.robot import Robot
from boa_sim.engines.contact_columns import merged, tangents

Integers = NDArray[np.integer]
PointKey = tuple[int, int, int]


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


class ContactPoints(NamedTuple):
    """All points where links touch obstacles, as columns; a pair may have several (a link along a
    wall).

    Attributes:
        number, row: where the point stands in `data.contact` and its force in `data.efc_force`,
            good until the next position update; shape (m,) each.
        link, obstacle: indices, 0 = tail, shape (m,).
        point, normal: shape (m, 3), world frame, m; normals point from the obstacle to the link.
    """

    number: Integers
    row: Integers
    link: Integers
    obstacle: Integers
    point: Array
    normal: Array

    def keys(self) -> list[PointKey]:
        """Link, obstacle and which point of the pair: the same from step to step while a contact
        lasts.
        """
        count: dict[tuple[int, int], int] = {}
        keys = []
        for pair in zip(self.link.tolist(), self.obstacle.tolist(), strict=True):
            count[pair] = rank = count.get(pair, -1) + 1
            keys.append((*pair, rank))
        return keys


def find_points(data: mujoco.MjData, index: GeomIndex) -> ContactPoints:
    """All points where links touch obstacles at the present position."""
    contact = data.contact
    row = contact.efc_address
    link, obstacle, outward = _parties(contact.geom, index)
    number = (np.minimum(np.minimum(link, obstacle), row) >= 0).nonzero()[0]
    normal = outward[number, None] * contact.frame[number, :3]
    return ContactPoints(
        number, row[number], link[number], obstacle[number], contact.pos[number], normal
    )


def _parties(geom: Integers, index: GeomIndex) -> tuple[Indices, Indices, Array]:
    """Links and obstacles of pairs of geoms (m, 2), -1 where there is none, and the sign of
    MuJoCo's normal, which points from the first geom to the second; shape (m,) each.
    """
    first, second = geom.T
    link = index.link[first]
    return (
        np.maximum(link, index.link[second]),
        np.maximum(index.obstacle[first], index.obstacle[second]),
        np.where(link < 0, 1.0, -1.0),
    )


def normal_forces(data: mujoco.MjData, points: ContactPoints) -> Array:
    """Normal force at each point, shape (m,), N; `data` must hold the forces of these points'
    position. A contact without friction in the engine has one row of constraint force: this one.
    """
    return data.efc_force[points.row]


class MujocoContacts(DeferredContacts):
    """Contacts that carry force at the present instant, one per touching pair of link and obstacle,
    in order of link and obstacle.

    Several points of one pair become one with their total force, at their centre of pressure. An
    obstacle at a joint touches the end spheres of both links: two entries, each with its own share,
    so sums over links are right.
    """

    def __init__(self, data: mujoco.MjData, index: GeomIndex, rubbing: Array | None) -> None:
        """Copy what `data` has. `rubbing` is the friction, N, at all of `data.contact`; None where
        there is no friction.
        """
        contact = data.contact
        self._index = index
        # bytes: less memory than arrays, and those of many instants are joined in no time
        self._geom = contact.geom.tobytes()
        self._point = contact.pos.tobytes()
        self._frame = contact.frame.tobytes()  # axes in the world one by one, the normal first
        self._row = contact.efc_address.tobytes()  # of its force; -1 where it has none
        self._force = data.efc_force.tobytes()
        self._rubbing = rubbing

    @staticmethod
    def columns(reports: Sequence[MujocoContacts]) -> TruthColumns:
        """See `Deferred`."""
        row = _joined([one._row for one in reports], np.intc)
        forces = np.append(_joined([one._force for one in reports], float), 0.0)
        report = np.arange(len(reports)).repeat([len(one._row) // row.itemsize for one in reports])
        before = np.cumsum([0, *(len(one._force) // forces.itemsize for one in reports[:-1])])
        geom = _joined([one._geom for one in reports], np.intc).reshape(-1, 2)
        link, obstacle, outward = _parties(geom, reports[0]._index)
        axes = _joined([one._frame for one in reports], float).reshape(-1, 9)
        normal = outward[:, None] * axes[:, :3]
        # by a force, and a link by an obstacle
        pressed = np.minimum(np.minimum(link, obstacle), row) >= 0
        rubbing = [one._rubbing for one in reports if one._rubbing is not None]  # all, or none
        friction = np.concatenate(rubbing) if rubbing else np.zeros(row.size)
        points = TruthColumns(
            report,
            link,
            obstacle,
            _joined([one._point for one in reports], float).reshape(-1, 3),
            normal,
            forces[np.where(pressed, row + before[report], -1)],
            friction[:, None] * tangents(normal),
        )
        return merged(points)


def _joined(parts: Sequence[bytes], number: type) -> NDArray[Any]:
    """The numbers of one type in all the parts."""
    return np.frombuffer(b"".join(parts), number)
