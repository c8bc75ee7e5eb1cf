# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""For how long something holds."""

from __future__ import annotations

import pytest

from boa_control.controllers.hoal.supervision.stopwatch import Stopwatch
from test.boa_control.controllers.hoal.supervision.watched import PERIOD


def test_the_time_counts_as_long_as_it_holds() -> None:
    watch = Stopwatch(PERIOD)
    for tick in range(1, 6):
        assert watch.update(True) == pytest.approx(tick * PERIOD)
    assert watch.update(False) == 0.0
    assert watch.update(True) == PERIOD
