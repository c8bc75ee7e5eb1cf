# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reports on contacts that are put together when they are read, as columns over many instants."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, Protocol, TypeVar, overload

import numpy as np

from boa_description.arrays import Indices

Item = TypeVar("Item")
Rows = TypeVar("Rows", bound="Table")


class Table(Protocol):
    """A named tuple of columns: arrays with as many rows each."""

    @property
    def report(self) -> Indices:
        """The first column: index of the report that each row belongs to."""

    def singles(self) -> Iterable[Any]:
        """The rows one by one."""

    def __iter__(self) -> Iterator[Any]: ...


class Deferred(Sequence[Item], ABC, Generic[Item, Rows]):
    """The report of one instant, put together when it is read: torques go out first, and a run that
    records reports does so for many instants at once.
    """

    @staticmethod
    @abstractmethod
    def columns(reports: Sequence[Any]) -> Rows:
        """Many reports, all of this class, as one table."""

    @cached_property
    def alone(self) -> Rows:
        """The table of this report."""
        return type(self).columns((self,))

    @cached_property
    def _all(self) -> tuple[Item, ...]:
        return tuple(self.alone.singles())

    def __len__(self) -> int:
        return self.alone.report.size

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        return self._all[index]

    def __iter__(self) -> Iterator[Item]:
        return iter(self._all)

    def __repr__(self) -> str:
        return repr(self._all)


class Part(Deferred[Item, Rows]):
    """The report of one instant, some rows of those that were read together."""

    def __init__(self, together: Rows, rows: slice) -> None:
        self._together = together
        self._rows = rows

    @cached_property
    def alone(self) -> Rows:
        report, *others = [column[self._rows] for column in self._together]
        return _alike(self._together, [np.zeros_like(report), *others])  # of one report, its first

    @staticmethod
    def columns(reports: Sequence[Part[Item, Rows]]) -> Rows:
        rows = gathered([(report._together, report._rows) for report in reports])
        return _alike(reports[0]._together, rows)


def _alike(table: Rows, columns: Sequence[Any]) -> Rows:
    kind: Any = type(table)
    made: Rows = kind(*columns)
    return made


def parts(together: Rows, count: int) -> list[Part[Any, Rows]]:
    """The reports of `count` instants, from a table in order of the instants."""
    ends = np.searchsorted(together.report, np.arange(count), side="right").tolist()
    return [Part(together, slice(*row)) for row in pairwise([0, *ends])]


def put_together(reports: Sequence[Sequence[Any]]) -> None:
    """Put many reports together at once, for who then reads them one by one."""
    given = [report for report in reports if isinstance(report, Deferred)]
    together = columns_of(given)
    if together is not None:
        for report, part in zip(given, parts(together, len(given)), strict=True):
            report.alone = part.alone


def columns_of(reports: Sequence[Sequence[Any]]) -> Any:
    """The table of reports that are all deferred, and of one class; None of others."""
    first = reports[0] if reports else None
    if not isinstance(first, Deferred) or len({type(report) for report in reports}) > 1:
        return None
    return first.alone if len(reports) == 1 else type(first).columns(reports)


def gathered(parts: Sequence[tuple[Iterable[Any], slice]]) -> list[Any]:
    """The columns of some rows of tables, one part after the other; the first, which numbers the
    part of each row, counts anew.

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
