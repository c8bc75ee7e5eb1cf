# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The cell of a path coordinate: one and many at once, inside, outside and on the seam."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.model.grid import Grid


@given(st.floats(-50.0, 50.0), st.floats(0.1, 5.0), st.integers(1, 2000), st.booleans())
def test_a_cell_is_where_the_coordinate_lies(
    s: float, span: float, cells: int, periodic: bool
) -> None:
    grid = Grid.over(span, cells, periodic)
    turn, row, share = grid.cell(s)
    assert 0 <= row < cells and -1e-9 <= share <= 1.0 + 1e-9
    place = turn * span + (row + share) * grid.step
    expected = s if periodic else min(max(s, 0.0), span)
    assert place == pytest.approx(expected, abs=1e-9)
    rows, shares = grid.cells_of(np.array([s]))
    assert (rows[0], shares[0]) == (row, share)


@given(st.floats(-1.0, 6.0), st.floats(-1.0, 6.0), st.floats(-1.0, 6.0), st.integers(1, 2000))
def test_a_table_of_some_rows_has_the_same_cells_there_and_its_end_values_outside(
    s: float, one: float, other: float, cells: int
) -> None:
    begin, end = sorted((one, other))
    grid = Grid.over(5.0, cells, periodic=False)
    part = grid.between(begin, end)
    assert 0 <= part.first < part.last <= cells
    _, row, share = part.cell(s)
    at = part.first + row + share
    if begin <= s <= end:
        _, whole, there = grid.cell(s)
        assert (part.first + row, share) == (whole, there) or at == whole + there
    else:
        assert at == pytest.approx(np.clip(s / grid.step, part.first, part.last), abs=1e-9)
    rows, shares = part.cells_of(np.array([s]))
    assert (rows[0], shares[0]) == (row, share)
