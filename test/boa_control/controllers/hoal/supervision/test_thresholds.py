# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which signals leave the band of good runs, tick by tick."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.supervision.reasons import Finding, Reason
from boa_control.controllers.hoal.supervision.thresholds import Bands, BandWatch
from boa_control.controllers.hoal.tuning import SHIPPED
from test.boa_control.controllers.hoal.supervision.watched import JOINTS, PERIOD, good

BRAKING_TIME = SHIPPED.steering.turning_time
SWING_PERSISTENCE = SHIPPED.contacts.blow_time
SLOW = Bands.of(SHIPPED).slow
SHAKEN = good(velocity=np.full(JOINTS, 0.3 + 1.1 * SLOW.joint_rate))


@pytest.fixture
def watch() -> BandWatch:
    return BandWatch(PERIOD, 50.0)


def test_a_good_tick_is_within(watch: BandWatch) -> None:
    assert watch.update(good(), settling=False) is None
    assert watch.within


def test_a_joint_that_a_touch_turns_counts_after_a_while(watch: BandWatch) -> None:
    for _ in range(round(0.9 * SWING_PERSISTENCE / PERIOD)):
        assert watch.update(SHAKEN, settling=False) is None
        assert not watch.within, "wider bands are asked all the same"
    for _ in range(round(0.2 * SWING_PERSISTENCE / PERIOD)):
        finding = watch.update(SHAKEN, settling=False)
    assert finding == Finding(Reason.JOINT_RATE, pytest.approx(0.495))


def test_what_leaves_a_band_at_the_same_time_counts_at_once(watch: BandWatch) -> None:
    bent = SHAKEN._replace(shape=2 * SLOW.shape)
    assert watch.update(bent, settling=False) == Finding(Reason.OFF_SHAPE, bent.shape)


def test_a_robot_that_takes_hold_may_be_shaken(watch: BandWatch) -> None:
    assert watch.update(good(shape=2 * SLOW.shape), settling=True) is None
    assert not watch.within


def test_the_narrow_band_of_a_slow_robot_holds_once_it_has_braked(watch: BandWatch) -> None:
    slow = good(desired=0.03, rate=0.03 + 1.2 * SLOW.overspeed_slow)
    slow = slow._replace(velocity=slow.rate * slow.along)
    for _ in range(round(0.9 * BRAKING_TIME / PERIOD)):
        assert watch.update(slow, settling=False) is None
    for _ in range(round(0.2 * BRAKING_TIME / PERIOD)):
        finding = watch.update(slow, settling=False)
    assert finding == Finding(Reason.TOO_FAST, pytest.approx(0.03))


def test_reset_forgets(watch: BandWatch) -> None:
    for _ in range(round(2 * SWING_PERSISTENCE / PERIOD)):
        watch.update(SHAKEN, settling=False)
    watch.reset()
    assert watch.within
    assert watch.update(SHAKEN, settling=False) is None
