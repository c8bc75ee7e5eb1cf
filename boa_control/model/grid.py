# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Equal cells over a length that may repeat: where a path coordinate lies in a table."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from boa_description.arrays import Array, Indices


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a table with `cells` + 1 rows, for linear interpolation between two rows.

    Attributes:
        span: length of all cells, m.
        cells: their number.
        step: length of one, m.
        periodic: the table repeats after `span`; otherwise its end values hold outside of it.
    """

    span: float
    cells: int
    step: float
    periodic: bool

    @classmethod
    def over(cls, span: float, cells: int, periodic: bool) -> Self:
        """`cells` equal cells over `span`, m."""
        return cls(span, cells, span / cells, periodic)

    def cell(self, s: float) -> tuple[int, int, float]:
        """Repeat, row before `s`, and how far between that row and the next, 0 to 1."""
        turn, local = divmod(s, self.span) if self.periodic else (0.0, min(max(s, 0.0), self.span))
        x = local / self.step
        row = min(int(x), self.cells - 1)
        return int(turn), row, x - row

    def cells_of(self, s: Array) -> tuple[Indices, Array]:
        """The same for many s, shape (N,): rows and shares, shape (N,) each."""
        local = np.mod(s, self.span) if self.periodic else np.clip(s, 0.0, self.span)
        x = local / self.step
        row = np.minimum(x.astype(int), self.cells - 1)
        return row, x - row
