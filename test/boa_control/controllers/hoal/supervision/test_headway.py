# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a robot that should travel gets on."""

from __future__ import annotations

import pytest

from boa_control.controllers.hoal.supervision.headway import Headway, Way
from boa_control.controllers.hoal.tuning import SHIPPED

PERIOD = 0.01
DRIFT = SHIPPED.supervision.stuck_way


def moved(rate: float, desired: float, seconds: float = 6.0) -> list[Way]:
    """Of a robot that moves at `rate` and should at `desired`, m/s, tick by tick."""
    made = Headway(PERIOD)
    return [made.update(1.0 + rate * PERIOD * k, desired) for k in range(round(seconds / PERIOD))]


@pytest.mark.parametrize("desired", [0.1, -0.1, 0.005])
def test_one_that_stands_has_not_got_on_since_it_stands(desired: float) -> None:
    last = moved(0.0, desired)[-1]
    assert last.time == pytest.approx(6.0, abs=2 * PERIOD)
    assert last.missing(5.9) and not last.missing(6.1)


@pytest.mark.parametrize("rate", [0.1, -0.1, 1.5 * DRIFT])
def test_one_that_travels_gets_on_at_least_each_second(rate: float) -> None:
    assert max(way.time for way in moved(rate, 0.1)) < 1.0


def test_one_that_only_drifts_does_not() -> None:
    assert moved(0.9 * DRIFT / 6.0, 0.1)[-1].missing(5.9)


@pytest.mark.parametrize("desired", [0.0, 1e-3])
def test_one_that_shall_stand_need_not(desired: float) -> None:
    assert set(moved(0.0, desired)) == {Way()}


@pytest.mark.parametrize("ahead", [1.0, -1.0])
def test_one_that_slips_is_behind_its_foremost_place_until_it_turns(ahead: float) -> None:
    made = Headway(PERIOD)
    places = (0.0, 0.04, 0.03, -0.01, 0.02)
    assert [made.update(ahead * place, ahead * 0.1).back for place in places] == pytest.approx(
        [0.0, 0.0, 0.01, 0.05, 0.02]
    )
    assert made.update(0.0, -ahead * 0.1).back == 0.0, "it shall go back"
    assert made.update(ahead * 0.02, -ahead * 0.1).back == pytest.approx(0.02)
    assert made.update(ahead * 0.03, 0.0).back == 0.0, "it shall stand"
    assert made.update(ahead * 0.03, -ahead * 0.1).back == 0.0


def test_one_that_makes_half_of_a_small_desired_way_gets_on() -> None:
    """4 mm of 8 in 2 s: less than the drift of one that stands."""
    assert not any(way.missing(2.0) for way in moved(0.002, 0.004))
