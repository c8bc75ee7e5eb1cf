# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a page is given: few bytes, no extreme lost."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_tools.report.interactive.chart import BINS, decimated
from boa_tools.report.interactive.packed import LEVELS, exact, quantised, whole


@given(st.integers(1, 9 * BINS), st.integers(0, 2**32 - 1))
def test_decimation_keeps_every_extreme(count, seed):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((count, 2))
    values[rng.random((count, 2)) < 0.2] = np.nan
    time, points = decimated(np.arange(count) * 0.002, values)
    assert len(time) == len(points) <= max(2 * BINS, min(count, 2 * BINS))
    assert (np.diff(time) >= 0).all()
    for column in range(2):
        if np.isfinite(values[:, column]).any():
            assert np.nanmin(points[:, column]) == np.nanmin(values[:, column])
            assert np.nanmax(points[:, column]) == np.nanmax(values[:, column])


def test_a_spike_of_one_tick_stays_where_it_was():
    """One tick of 90 000; its bin is 23 ticks wide."""
    values = np.zeros((90_000, 1))
    values[54_321] = 7.0
    time, points = decimated(np.arange(90_000) * 0.002, values)
    assert abs(time[points[:, 0].argmax()] - 54_321 * 0.002) <= 23 * 0.002


def test_a_short_record_is_left_as_it_is():
    values = np.random.default_rng(1).standard_normal((2 * BINS, 3))
    time, points = decimated(np.arange(2 * BINS) * 1.0, values)
    assert np.array_equal(points, values)
    assert time.size == 2 * BINS


def unpacked(packed):
    if "f32" in packed:
        return np.frombuffer(base64.b64decode(packed["f32"]), "<f4")
    levels = np.frombuffer(base64.b64decode(packed["i16"]), "<i2").astype(float)
    return np.where(levels == -32768, np.nan, levels * packed["scale"] + packed["zero"])


@given(st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(float("nan"))), min_size=1))
def test_quantised_numbers_come_back_within_half_a_step(values):
    array = np.array(values)
    back = unpacked(quantised(array))
    assert np.array_equal(np.isnan(back), np.isnan(array))
    known = array[np.isfinite(array)]
    if known.size:
        step = (known.max() - known.min()) / LEVELS or 1.0
        assert np.nanmax(np.abs(back - array)) <= 0.5 * step * (1 + 1e-6) + 1e-9


def test_exact_and_whole_numbers_come_back():
    assert unpacked(exact(np.array([1.5, -2.25]))).tolist() == [1.5, -2.25]
    assert unpacked(whole(np.array([-1, 0, 300]))) == pytest.approx([-1, 0, 300])
