# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The set-point of `hoal`: what is refused, and what follows it gradually."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controller import SetPoint
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.set_points import Steering
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_description.errors import BoaError
from boa_description.load import load_robot

FORCE_RATE = SHIPPED.steering.force_rate
TURNING_TIME = SHIPPED.steering.turning_time

PERIOD = 0.002
LIMITS = load_robot("boa13").limits
FAULT = LIMITS.joint_force_fault
START = SetPoint(0.1, 5.0, 2.0)


def steering(backwards: bool = True, profile: float = 0.0, force: float = 5.0) -> Steering:
    parameters = Parameters(speed=0.1, force=force, force_floor=2.0, profile=profile)
    return Steering(parameters, LIMITS, PERIOD, backwards)


@pytest.mark.parametrize(
    "refused",
    [
        SetPoint(np.nan, 5.0, 2.0),
        SetPoint(0.1, np.nan, 2.0),
        SetPoint(0.1, 5.0, -1.0),
        SetPoint(0.1001, 5.0, 2.0),
        SetPoint(-0.1001, 5.0, 2.0),
        SetPoint(0.1, FAULT + 0.1, 2.0),
    ],
)
def test_what_is_refused_changes_nothing(refused: SetPoint) -> None:
    asked = steering()
    with pytest.raises(BoaError):
        asked.accept(refused)
    assert asked.set_point == START


def test_a_force_that_ends_every_run_is_refused_at_the_start() -> None:
    steering(force=FAULT)
    with pytest.raises(BoaError, match=r"force 51 N .* ends a run, 50 N .*; set a lower force"):
        steering(force=FAULT + 1.0)


def test_a_profile_cuts_the_speed_itself() -> None:
    asked = steering(profile=0.9)
    asked.accept(SetPoint(1.5, 5.0, 2.0))
    assert asked.set_point.speed == 1.5


def test_where_no_profile_leads_back_it_does_not_travel_back() -> None:
    asked = steering(backwards=False, profile=0.9)
    asked.accept(SetPoint(0.0, 5.0, 2.0))
    with pytest.raises(BoaError, match="profile for the way back"):
        asked.accept(SetPoint(-0.05, 5.0, 2.0))
    assert asked.set_point.speed == 0.0


def test_forces_follow_gradually() -> None:
    asked = steering()
    asked.accept(SetPoint(0.1, 8.0, 1.0))
    seen = []
    for _ in range(500):
        asked.update(0.1)
        seen.append((asked.force, asked.force_floor))
    steps = np.abs(np.diff([(5.0, 2.0), *seen], axis=0))
    assert steps.max() <= FORCE_RATE * PERIOD + 1e-12
    assert seen[-1] == (8.0, 1.0)


def test_what_resists_turns_round_with_the_desired_speed() -> None:
    asked = steering()
    for speed in (0.1, 0.01, 0.0):
        asked.update(speed)
        assert (asked.direction, asked.resisting) == (1, 1.0)
    seen = []
    for _ in range(round(2 * TURNING_TIME / PERIOD)):
        asked.update(-0.01)
        seen.append(asked.resisting)
    assert asked.direction == -1
    assert seen[-1] == -1.0
    assert np.all(np.diff(seen) <= 0)
    assert np.abs(np.diff(seen)).max() < 0.03
    asked.update(0.0)
    assert asked.direction == -1, "standing, it is as it came"
    asked.reset()
    assert (asked.direction, asked.resisting) == (1, 1.0)


def test_travel_counts_the_speed_from_which_it_slows_down() -> None:
    asked = steering()
    asked.accept(SetPoint(-0.05, 5.0, 2.0))
    assert asked.travel(0.08).speed == 0.08
    assert asked.travel(0.0).speed == 0.05
