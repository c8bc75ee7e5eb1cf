# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""When pictures are due."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from boa_control.messages.plant_views import ViewClock


@given(rate=st.floats(0.5, 500), step=st.integers(100_000, 20_000_000))
def test_never_faster_than_the_rate_and_never_a_period_late(rate: float, step: int) -> None:
    clock = ViewClock(rate)
    period = round(1e9 / rate)
    due = [stamp for stamp in range(0, 300 * step, step) if clock.due(stamp)]
    assert due[0] == 0
    for before, after in pairwise(due):
        assert period <= after - before < period + step


def test_time_that_starts_again_shows_its_first_tick() -> None:
    clock = ViewClock(10)
    assert clock.due(5_000_000_000)
    assert not clock.due(5_010_000_000)
    assert clock.due(0)
    assert not clock.due(10_000_000)
    assert clock.due(100_000_000)
