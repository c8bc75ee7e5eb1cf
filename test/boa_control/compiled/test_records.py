# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels on records: named tuples come in as such, and nothing else does."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from boa_control.compiled.records import IndexVector, Vector, on_records


class Line(NamedTuple):
    slope: float
    offset: float


class Samples(NamedTuple):
    where: IndexVector
    value: Vector


@on_records
def fill(out: Vector, samples: Samples, line: Line, factor: float) -> float:
    """Write `factor` (slope value + offset); return their number."""
    for k in range(samples.value.size):
        out[samples.where[k]] = factor * (line.slope * samples.value[k] + line.offset)
    return float(samples.value.size)


SAMPLES = Samples(np.array([2, 0, 1]), np.array([1.0, 2.0, 3.0]))


def test_a_kernel_reads_its_records_by_name() -> None:
    out = np.zeros(3)
    assert fill(out, SAMPLES, Line(slope=2.0, offset=1.0), 10.0) == 3.0
    np.testing.assert_array_equal(out, [50.0, 70.0, 30.0])
    assert fill.__doc__ is not None and fill.__doc__.startswith("Write")


def test_fields_of_other_types_and_records_with_fields_missing_are_refused() -> None:
    out, line = np.zeros(3), Line(2.0, 1.0)
    with pytest.raises(TypeError, match="No matching definition"):
        fill(out, SAMPLES._replace(value=np.ones(3, np.float32)), line, 1.0)
    with pytest.raises(ValueError, match="not enough values"):
        fill(out, SAMPLES, line[:1], 1.0)


def test_a_hint_that_numba_has_no_name_for_is_an_error_at_once() -> None:
    def of_text(text: str) -> None:
        """Nothing."""

    with pytest.raises(KeyError):
        on_records(of_text)
