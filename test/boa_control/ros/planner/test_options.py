# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the planner as settings of a journey."""

from __future__ import annotations

from boa_control.experiments.journey.parts import JourneySettings
from boa_control.interface import PLANNER_PARAMETERS
from boa_control.ros.planner.options import journey_settings

USUAL = {item.name: item.default for item in PLANNER_PARAMETERS}


def test_the_parameters_begin_as_a_journey_does() -> None:
    assert journey_settings(USUAL) == JourneySettings()


def test_refine_below_zero_means_a_share() -> None:
    assert journey_settings({**USUAL, "refine": 0.0}).refine == 0.0
    assert journey_settings({**USUAL, "refine": -0.5}).refine is None
