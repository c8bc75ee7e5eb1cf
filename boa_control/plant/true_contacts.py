# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""True contacts between links and obstacles, which only a simulation knows: one by one, and as
columns over many instants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from boa_control.plant.deferred import Deferred, columns_of
from boa_description.arrays import Array, Indices

FLOOR = -2  # the floor among obstacles, where a robot lies on it with its weight


@dataclass(frozen=True, slots=True)
class ContactTruth:
    """One true contact between a link and an obstacle, world frame.

    Attributes:
        link: index of the link, 0 = tail.
        obstacle: index of the obstacle in the scene, or FLOOR.
        point: shape (3,), m.
        normal: shape (3,), unit, from the obstacle to the link.
        normal_force: along the normal, N, >= 0.
        friction: shape (3,), the part of the force on the link across the normal, N.
    """

    link: int
    obstacle: int
    point: Array
    normal: Array
    normal_force: float
    friction: Array

    @classmethod
    def planar(
        cls,
        link: int,
        obstacle: int,
        point: Array,
        normal: Array,
        normal_force: float,
        tangential_force: float = 0.0,
        *,
        height: float = 0.0,
    ) -> ContactTruth:
        """A contact with a vertical surface: point (2,) and normal (2,) in the plane at `height`,
        m; the tangential force, N, counts along the normal turned by -90 degrees.
        """
        x, y = normal
        friction = np.array([tangential_force * y, -tangential_force * x, 0.0])
        where = np.array([*point, height])
        return cls(link, obstacle, where, np.array([x, y, 0.0]), normal_force, friction)

    @property
    def force(self) -> Array:
        """On the link, shape (3,), N."""
        return self.normal_force * self.normal + self.friction

    @property
    def tangential_force(self) -> float:
        """Horizontal part of the friction, N, along the normal turned by -90 degrees."""
        return float(self.friction[0] * self.normal[1] - self.friction[1] * self.normal[0])


class TruthColumns(NamedTuple):
    """True contacts of many instants as columns, named as in `ContactTruth`.

    Attributes:
        report: shape (m,), which of the instants.
        link, obstacle, normal_force: shape (m,).
        point, normal, friction: shape (m, 3).
    """

    report: Indices
    link: Indices
    obstacle: Indices
    point: Array
    normal: Array
    normal_force: Array
    friction: Array

    def singles(self) -> Iterator[ContactTruth]:
        """The contacts one by one."""
        return map(
            ContactTruth,
            self.link.tolist(),
            self.obstacle.tolist(),
            self.point,
            self.normal,
            self.normal_force.tolist(),
            self.friction,
        )

    def select(self, rows: Indices | slice) -> TruthColumns:
        """The contacts of some rows; of indices as arrays of their own."""
        columns: list[Any] = [column[rows] for column in self]
        return TruthColumns(*columns)

    @property
    def force(self) -> Array:
        """On the links, shape (m, 3), N."""
        return self.normal_force[:, None] * self.normal + self.friction

    @property
    def tangential_force(self) -> Array:
        """As of `ContactTruth`, shape (m,), N."""
        friction, normal = self.friction, self.normal
        return friction[:, 0] * normal[:, 1] - friction[:, 1] * normal[:, 0]


DeferredContacts = Deferred[ContactTruth, TruthColumns]


def truth_columns(reports: Sequence[Sequence[ContactTruth]]) -> TruthColumns:
    """The true contacts of many instants as columns."""
    together: TruthColumns | None = columns_of(reports)
    if together is not None:
        return together
    contacts = [contact for report in reports for contact in report]
    return TruthColumns(
        np.arange(len(reports)).repeat([len(report) for report in reports]),
        np.array([contact.link for contact in contacts], dtype=np.intp),
        np.array([contact.obstacle for contact in contacts], dtype=np.intp),
        np.array([contact.point for contact in contacts]).reshape(-1, 3),
        np.array([contact.normal for contact in contacts]).reshape(-1, 3),
        np.array([contact.normal_force for contact in contacts], dtype=np.float64),
        np.array([contact.friction for contact in contacts]).reshape(-1, 3),
    )
