# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Equal cells over a length that may repeat: where a path coordinate lies in a table."""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from boa_description.arrays import Array, Indices


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a table with rows `first` to `last`, for linear interpolation between two rows.

    Attributes:
        span: length of all cells, m.
        cells: their number.
        step: length of one, m.
        periodic: the table repeats after `span`; otherwise its end values hold outside of it.
        first, last: rows that the table has, of those numbered from 0 at s = 0.
    """

    span: float
    cells: int
    step: float
    periodic: bool
    first: int
    last: int

    @classmethod
    def over(cls, span: float, cells: int, periodic: bool) -> Self:
        """`cells` equal cells over `span`, m, and all their rows."""
        return cls(span, cells, span / cells, periodic, 0, cells)

    def between(self, begin: float, end: float) -> Self:
        """With no more rows than `begin` to `end`, m, need; one cell at least."""
        first = min(max(math.floor(begin / self.step), 0), self.cells - 1)
        last = min(max(math.ceil(end / self.step), first + 1), self.cells)
        return replace(self, first=first, last=last)

    def cell(self, s: float) -> tuple[int, int, float]:
        """Repeat, row before `s`, and how far between that row and the next, 0 to 1."""
        if self.periodic:
            turn, local = divmod(s, self.span)
            x = local / self.step
        else:
            turn, x = 0.0, float(min(max(s / self.step, self.first), self.last))
        row = min(int(x), self.last - 1)
        return int(turn), row - self.first, x - row

    def cells_of(self, s: Array) -> tuple[Indices, Array]:
        """The same for many s, shape (N,): rows and shares, shape (N,) each."""
        if self.periodic:
            x = np.mod(s, self.span) / self.step
        else:
            x = np.clip(s / self.step, self.first, self.last)
        row = np.minimum(x.astype(int), self.last - 1)
        return row - self.first, x - row
