# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the planner, most of which may change while it runs."""

from __future__ import annotations

import pytest

from boa_control.experiments.journey.parts import JourneySettings
from boa_control.interface import PLANNER_PARAMETERS
from boa_control.ros.planner.options import NAMES, journey_settings
from boa_description.errors import BoaError

USUAL = {item.name: item.default for item in PLANNER_PARAMETERS if item.name in NAMES}


def test_the_parameters_begin_as_a_journey_does() -> None:
    assert journey_settings(USUAL) == JourneySettings()


def test_refine_below_zero_means_a_share() -> None:
    assert journey_settings({**USUAL, "refine": 0}).refine == 0.0
    assert journey_settings({**USUAL, "refine": -2.0}).refine is None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), "much", None])
def test_other_values_are_refused(name: str, bad: object) -> None:
    with pytest.raises(BoaError, match=f"parameter {name} is"):
        journey_settings({**USUAL, name: bad})


@pytest.mark.parametrize("name", ["seconds", "radius"])
def test_nothing_is_found_in_no_time_and_reached_within_nothing(name: str) -> None:
    with pytest.raises(BoaError, match=f"parameter {name} is 0; expected more than 0"):
        journey_settings({**USUAL, name: 0})


def test_the_robot_may_be_kept_from_going_back() -> None:
    assert journey_settings({**USUAL, "back": 0}).back == 0.0
    with pytest.raises(BoaError, match="parameter back is -1; expected 0 or more"):
        journey_settings({**USUAL, "back": -1})


def test_no_search_is_for_ever() -> None:
    """Whole numbers, whose range ROS does not look at."""
    with pytest.raises(BoaError, match="seconds is 86400; expected more than 0, at most 3600"):
        journey_settings({**USUAL, "seconds": 86400})
