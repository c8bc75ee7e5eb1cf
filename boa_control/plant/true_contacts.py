# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""True contacts between links and obstacles, which only a simulation knows: one by one, and as
columns over many instants. Rows of tables of columns, put together into one table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, overload

import numpy as np

from boa_description.arrays import Array, Indices

Columns = tuple[Any, ...]  # arrays with as many rows each; the first numbers the part of each row
FLOOR = -2  # the floor among obstacles, where a robot lies on it with its weight


def gathered(parts: Sequence[tuple[Columns, slice]]) -> list[Any]:
    """The columns of some rows of tables, one part after the other; the first counts the parts.

    Parts that lie one behind the other in the same table are not copied.
    """
    tables, rows = zip(*parts, strict=True)
    first = tables[0]
    if all(table is first for table in tables) and all(
        part.stop == following.start for part, following in pairwise(rows)
    ):
        whole = slice(rows[0].start, rows[-1].stop)
        columns = [column[whole] for column in first]
    else:
        selected = [[column[part] for column in table] for table, part in parts]
        columns = [np.concatenate(column) for column in zip(*selected, strict=True)]
    counts = [part.stop - part.start for part in rows]
    return [np.arange(len(parts)).repeat(counts), *columns[1:]]


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


class DeferredContacts(Sequence[ContactTruth], ABC):
    """True contacts of one instant, put together when they are read: a run that records them does
    so for many instants at once.
    """

    @staticmethod
    @abstractmethod
    def columns(reports: Sequence[Any]) -> TruthColumns:
        """The contacts of many instants, all of this class."""

    @cached_property
    def alone(self) -> TruthColumns:
        """The contacts of this instant."""
        return type(self).columns((self,))

    @cached_property
    def _all(self) -> tuple[ContactTruth, ...]:
        return tuple(single_contacts(self.alone))

    def __len__(self) -> int:
        return self.alone.link.size

    @overload
    def __getitem__(self, index: int) -> ContactTruth: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ContactTruth, ...]: ...
    def __getitem__(self, index: int | slice) -> ContactTruth | tuple[ContactTruth, ...]:
        return self._all[index]


class ReadContacts(DeferredContacts):
    """True contacts of one instant, some rows of those that were read together."""

    def __init__(self, together: TruthColumns, rows: slice) -> None:
        self._together = together
        self._rows = rows

    @cached_property
    def alone(self) -> TruthColumns:
        part = self._together.select(self._rows)
        return part._replace(report=np.zeros_like(part.report))  # of one instant, its first

    @staticmethod
    def columns(reports: Sequence[ReadContacts]) -> TruthColumns:
        return TruthColumns(*gathered([(report._together, report._rows) for report in reports]))


def single_contacts(columns: TruthColumns) -> Iterator[ContactTruth]:
    """The contacts of columns one by one."""
    return map(
        ContactTruth,
        columns.link.tolist(),
        columns.obstacle.tolist(),
        columns.point,
        columns.normal,
        columns.normal_force.tolist(),
        columns.friction,
    )


def split_truths(columns: TruthColumns, count: int) -> list[ReadContacts]:
    """The contacts of `count` instants, from columns in order of the instants."""
    ends = np.searchsorted(columns.report, np.arange(count), side="right").tolist()
    return [ReadContacts(columns, slice(*row)) for row in pairwise([0, *ends])]


def read_truths(reports: Sequence[Sequence[ContactTruth]]) -> None:
    """Put the contacts of many instants together at once, for who then reads them one by one."""
    given = [report for report in reports if isinstance(report, DeferredContacts)]
    if not given:
        return
    parts = split_truths(type(given[0]).columns(given), len(given))
    for report, part in zip(given, parts, strict=True):
        report.alone = part.alone


def truth_columns(reports: Sequence[Sequence[ContactTruth]]) -> TruthColumns:
    """The true contacts of many instants as columns."""
    if len(reports) == 1 and isinstance(reports[0], DeferredContacts):
        return reports[0].alone
    kinds = {type(report) for report in reports}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is not None and issubclass(kind, DeferredContacts):
        return kind.columns(reports)
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
