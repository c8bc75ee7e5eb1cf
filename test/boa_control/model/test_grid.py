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
