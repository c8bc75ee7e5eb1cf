# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The time that a planned path takes, from the speeds that its controller plans."""

from __future__ import annotations

from typing import Any

import pytest

from boa_control.controllers.hoal.parameters import Parameters
from boa_control.experiments.library import load_scenario
from boa_control.experiments.planned import SLACK, START_UP, timed, travel_time
from boa_control.experiments.scenario import Scenario

DISTANCE = 2.0  # m


def circle(**parameters: Any) -> Scenario:
    scenario = load_scenario("boa_circle").model_copy(update={"distance": DISTANCE})
    changed = {**scenario.controller.parameters, **parameters}
    choice = scenario.controller.model_copy(update={"parameters": changed})
    return scenario.model_copy(update={"controller": choice})


def test_a_slow_robot_needs_its_way_at_its_speed_and_the_time_to_speed_up() -> None:
    """Under constant acceleration a start from rest costs v / 2a; two control periods for rest."""
    scenario = circle(speed=0.1)
    ramp = Parameters.model_validate(scenario.controller.parameters).acceleration
    expected = DISTANCE / 0.1 + 0.1 / (2 * ramp)
    assert travel_time(scenario) == pytest.approx(expected, abs=0.004)
    assert timed(scenario).duration == pytest.approx(SLACK * expected + START_UP, abs=0.1)


def test_where_the_servos_carry_less_than_the_desired_speed_it_takes_longer() -> None:
    """At 2 m/s, which no servo carries on this path, a duration by the speed would be too short."""
    assert travel_time(circle(speed=2.0, profile=0.9)) > 2 * DISTANCE / 2.0


def test_where_posts_may_stand_elsewhere_there_is_time_to_slow_down_before_each() -> None:
    """Among posts 40 mm off the circle 31 mm/s were measured where 100 are asked for."""
    assert timed(circle(speed=0.1, map_error=0.028)).duration > DISTANCE / 0.031
