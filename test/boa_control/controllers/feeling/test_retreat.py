# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Going back and on again."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.feeling.retreat import Retreat, RetreatSettings
from boa_description.arrays import Array

PERIOD, SPEED = 0.01, 0.04
SETTINGS = RetreatSettings(back=0.08, load=28.0, patience=2.0)


def tip(x: float = 0.0) -> Array:
    return np.array([x, 0.0])


def way_back(retreat: Retreat, s: float) -> float:
    """Of one that has just turned back at s, until it goes on, m."""
    assert retreat.back
    begin, turned = s, False
    while not turned:
        s -= SPEED * PERIOD
        turned = retreat.update(s, tip(s), False, 0.0)
        assert not retreat.stands
    assert not retreat.back
    return begin - s


@pytest.mark.parametrize(("touched", "load"), [(True, 0.0), (False, 28.1)])
def test_it_goes_back_from_a_touch_and_from_a_loaded_joint(touched: bool, load: float) -> None:
    retreat = Retreat(SETTINGS, PERIOD)
    assert retreat.update(1.0, tip(), touched, load) and not retreat.stands
    assert way_back(retreat, 1.0) == pytest.approx(0.08, abs=SPEED * PERIOD)


def test_it_goes_on_where_it_comes_on() -> None:
    retreat = Retreat(SETTINGS, PERIOD)
    assert not any(
        retreat.update(s, tip(s), False, 20.0) for s in np.arange(0.0, 0.4, SPEED * PERIOD)
    )


def test_where_it_stands_it_goes_back() -> None:
    """After its patience of 2 s, and again after as long."""
    retreat = Retreat(SETTINGS, PERIOD)
    for _ in range(2):
        ticks = 1
        while not retreat.update(1.0, tip(), False, 0.0):
            ticks += 1
        assert ticks == 200 and retreat.stands
        assert way_back(retreat, 1.0) == pytest.approx(0.08, abs=SPEED * PERIOD)
