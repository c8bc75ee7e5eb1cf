# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sensors that do not move while the others do."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.estimation.stuck_sensors import LEAST_SAMPLES, WINDOW_NS, Stuck
from boa_description.arrays import Array

PERIOD_NS = 10_000_000
NOISE = 0.1


def watched(values: Array, every_ns: int = PERIOD_NS) -> tuple[Stuck, list[int]]:
    """Samples in a row, shape (T, k, 2); who is told."""
    watch, told = Stuck(values.shape[1], NOISE), []
    for k, sample in enumerate(values):
        told += watch.update(k * every_ns, sample).tolist()
    return watch, told


def moving(ticks: int, size: float = 1.0) -> Array:
    return size * np.random.default_rng(1).normal(size=(ticks, 4, 2))


@pytest.mark.parametrize("value", [0.0, 3.7])
def test_one_that_shows_the_same_is_told_once_and_silent(value: float) -> None:
    values = moving(3 * WINDOW_NS // PERIOD_NS)
    values[:, 2] = value
    watch, told = watched(values)
    assert told == [2]
    assert watch.silent.tolist() == [False, False, True, False]


def test_one_that_moves_again_counts_again() -> None:
    values = moving(2 * WINDOW_NS // PERIOD_NS)
    values[: WINDOW_NS // PERIOD_NS + 5, 2] = 0.0
    watch, told = watched(values)
    assert told == [2]
    assert not watch.silent.any()


def test_nobody_is_told_where_nothing_moves() -> None:
    """A robot at rest, whose sensors show their noise or less."""
    values = moving(3 * WINDOW_NS // PERIOD_NS, size=NOISE / 100)
    values[:, 2] = 0.0
    _, told = watched(values)
    assert told == []


def test_a_gap_in_the_samples_is_no_stuck_sensor() -> None:
    values = moving(LEAST_SAMPLES - 1)
    values[:, 2] = 0.0
    _, told = watched(values, every_ns=WINDOW_NS)
    assert told == []
