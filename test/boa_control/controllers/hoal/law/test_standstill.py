# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""When a robot stands, also one that posts make swing."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.law.standstill import Standstill
from boa_control.controllers.hoal.tuning import SHIPPED

PERIOD = 0.004  # s


def standing_after(rest: Standstill, rates: np.ndarray) -> float:
    """Time of rest after which it stands, s; infinite where it does not."""
    for k, rate in enumerate(rates.tolist()):
        rest.update(0.0, rate)
        if rest.standing:
            return k * PERIOD
    return float("inf")


@pytest.fixture
def rest() -> Standstill:
    """Of a robot that has travelled at 50 mm/s."""
    rest = Standstill(PERIOD)
    for _ in range(100):
        rest.update(0.05, 0.05)
    assert not rest.standing
    return rest


def test_a_robot_without_a_rate_stands_at_once(rest: Standstill) -> None:
    assert standing_after(rest, np.zeros(1000)) < 1.0


def test_one_that_drifts_does_not_stand(rest: Standstill) -> None:
    assert standing_after(rest, np.full(10_000, 2 * rest.still_rate)) == float("inf")


def test_one_that_swings_where_it_is_stands(rest: Standstill) -> None:
    """By 17 mm/s at 1.5 Hz, as exploring among posts that press."""
    time = np.arange(0.0, 20.0, PERIOD)
    swing = 0.017 * np.sin(2 * np.pi * 1.5 * time)
    stands = standing_after(rest, swing)
    assert SHIPPED.steering.patience < stands < 4 * SHIPPED.steering.patience
