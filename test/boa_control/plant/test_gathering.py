# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rows of tables as one table."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.plant.deferred import gathered

ONE = np.array([0, 0, 2, 2]), np.arange(4.0), np.arange(8.0).reshape(4, 2)
OTHER = np.array([0, 1]), np.array([10.0, 11.0]), np.array([[20.0, 21.0], [22.0, 23.0]])


@pytest.mark.parametrize(
    ("parts", "numbers", "values"),
    [
        ([(ONE, slice(2, 4))], [0, 0], [2.0, 3.0]),
        ([(ONE, slice(0, 2)), (ONE, slice(2, 2)), (ONE, slice(2, 3))], [0, 0, 2], [0.0, 1.0, 2.0]),
        ([(ONE, slice(2, 4)), (ONE, slice(0, 1))], [0, 0, 1], [2.0, 3.0, 0.0]),
        ([(ONE, slice(0, 2)), (OTHER, slice(2, 2)), (OTHER, slice(0, 1))], [0, 0, 2], [0, 1, 10]),
    ],
    ids=["one part", "one behind the other", "in another order", "of two tables"],
)
def test_parts_are_numbered_anew_and_keep_their_rows(parts, numbers, values) -> None:
    number, value, place = gathered(parts)
    np.testing.assert_array_equal(number, numbers)
    np.testing.assert_array_equal(value, values)
    np.testing.assert_array_equal(place, np.concatenate([table[2][rows] for table, rows in parts]))


def test_parts_one_behind_the_other_are_not_copied() -> None:
    _, value, _ = gathered([(ONE, slice(0, 2)), (ONE, slice(2, 4))])
    assert np.shares_memory(value, ONE[1])
