# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Going back and on again."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.feeling.retreat import Retreat, RetreatSettings
from boa_control.controllers.feeling.way import Head

PERIOD, SPEED = 0.01, 0.04
SETTINGS = RetreatSettings(back=0.08, load=28.0, patience=2.0)


def head(x: float = 0.0) -> Head:
    return Head(np.array([x, 0.0]), 0.0)


def there_and_back(touched: bool, load: float) -> float:
    """The way back after one tick of a touch or a load, m."""
    retreat, s = Retreat(SETTINGS, SPEED, PERIOD), 1.0
    assert retreat.update(s, head(), touched, load) and retreat.back
    turned = False
    while not turned:
        s -= SPEED * PERIOD
        turned = retreat.update(s, head(s), False, 0.0)
    assert not retreat.back and not retreat.shunned.size
    return 1.0 - s


@pytest.mark.parametrize(("touched", "load"), [(True, 0.0), (False, 28.1)])
def test_it_goes_back_from_a_touch_and_from_a_loaded_joint(touched: bool, load: float) -> None:
    assert there_and_back(touched, load) == pytest.approx(0.08, abs=SPEED * PERIOD)


def test_it_goes_on_where_it_comes_on() -> None:
    retreat = Retreat(SETTINGS, SPEED, PERIOD)
    assert not any(
        retreat.update(s, head(s), False, 20.0) for s in np.arange(0.0, 0.4, SPEED * PERIOD)
    )


def test_where_it_stands_it_goes_back_twice_as_far_and_shuns_the_place() -> None:
    """After its patience of 2 s; the place is 0.08 m before its tip."""
    retreat = Retreat(SETTINGS, SPEED, PERIOD)
    ticks = 1
    while not retreat.update(1.0, head(), False, 0.0):
        ticks += 1
    assert ticks == 200 and retreat.back
    assert retreat.shunned == pytest.approx(np.array([[0.08, 0.0]]))
    assert not retreat.update(0.85, head(), False, 0.0)
    assert retreat.update(0.839, head(), False, 0.0)


def test_what_holds_it_back_does_not_hold_it_for_ever() -> None:
    """It goes on after twice the time that the way back takes."""
    retreat = Retreat(SETTINGS, SPEED, PERIOD)
    retreat.update(1.0, head(), True, 0.0)
    ticks = 1
    while not retreat.update(1.0, head(), False, 0.0):
        ticks += 1
    assert ticks * PERIOD == pytest.approx(2 * 0.08 / SPEED, abs=PERIOD)
