# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Columns of a run log: what goes to a file reads as what stays in memory, and leaves nothing."""

from __future__ import annotations

import gc
import warnings

import numpy as np

from boa_tools.runs.block import MEMORY, Column


def spilled() -> tuple[Column[np.float64], np.ndarray]:
    rows = np.arange(MEMORY, dtype=np.float64).reshape(-1, 4)
    column = Column((4,), np.float64)
    for block in np.split(rows, 16):
        column.append(block)
    return column, rows


def test_the_file_of_a_column_is_closed_with_it_and_its_rows_stay() -> None:
    column, rows = spilled()
    kept = column.array()
    circle: list[object] = [column]
    circle.append(circle)  # as a traceback holds its frame
    gc.collect()  # what other tests have left is none of this one's
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        del column, circle
        gc.collect()
    assert not [str(warning.message) for warning in said]
    np.testing.assert_array_equal(kept, rows)
