# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The demands of a journey on its paths: from its scenario and from the wishes of who runs it."""

from __future__ import annotations

from boa_control.experiments.experiment import Experiment
from boa_control.experiments.journey.parts import JourneySettings
from boa_control.experiments.planned import TravelSettings
from boa_control.planning.route import RouteSettings

REFINE = 0.05  # share of the time for better paths than the first: the robot waits


def route_settings(
    experiment: Experiment, wishes: JourneySettings, std: float, avoided: frozenset[int]
) -> RouteSettings:
    """How a path is searched.

    Args:
        std: of the places of the map's posts, m. avoided: of `RouteSettings`.
    """
    scene, usual = experiment.scenario.scene, RouteSettings()
    refine = REFINE * wishes.seconds if wishes.refine is None else wishes.refine
    return RouteSettings(
        seconds=wishes.seconds,
        clock=wishes.clock,
        refine=min(usual.refine, refine),
        helping=0.0,  # nobody puts up a post while the robot waits
        ground=scene.ground,
        contact_friction=scene.contact.friction,
        avoided=avoided,
        map_error=map_error(experiment, std),
    )


def travel_settings(experiment: Experiment, std: float) -> TravelSettings:
    """How it is travelled; `std` of the places of the map's posts, m."""
    scenario = experiment.scenario
    return TravelSettings(
        speed=scenario.controller.parameters.get("speed", 0.1),
        map_error=map_error(experiment, std),
        ground=scenario.scene.ground,
        contact_friction=scenario.scene.contact.friction,
    )


def map_error(experiment: Experiment, std: float) -> float:
    """How far posts may stand off, m: as the controller has it, or as the map says."""
    given = float(experiment.scenario.controller.parameters.get("map_error", 0.0))
    return max(given, std)
