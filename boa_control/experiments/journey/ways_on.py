# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The ways on for a robot that lies on a path at rest, those on which a journey may set out; and
the demands on them, from its scenario and from the wishes of who runs it.
"""

from collections.abc import Callable

from boa_control.experiments.experiment import Experiment
from boa_control.experiments.journey.believed_map import BelievedMap
from boa_control.experiments.journey.onward import Onward, once_more, plan_onward, stay_on
from boa_control.experiments.journey.parts import Goal, JourneySettings, Plan
from boa_control.experiments.journey.whereabouts import Whereabouts
from boa_control.experiments.planned import TravelSettings
from boa_control.planning.route import RouteSettings
from boa_control.planning.search.region import Around

REFINE = 0.05  # share of the time for better paths than the first: the robot waits
BORNE = 2.0  # times map_error: a post that is found nearer to its place stays there on the map
LEAST_BORNE = 5e-3  # m, of the same


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


class WaysOn:
    """Works them out for the demands of one scenario, on a map of one accuracy.

    Attributes:
        borne: m; a post that is found so near to its place is travelled past as on the map.
    """

    def __init__(self, experiment: Experiment, std: float) -> None:
        """`std`: of the places of the map's posts, m."""
        self._experiment = experiment
        self._std = std
        self._travel = travel_settings(experiment, std)
        self.borne = max(BORNE * map_error(experiment, std), LEAST_BORNE)

    def as_planned(self, where: Whereabouts) -> Onward:
        """Along the path on which the robot lies."""
        robot, speed = self._experiment.robot, self._travel.full_speed
        return stay_on(where.path, where.progress, robot, speed)

    def once_more(self, where: Whereabouts, speed: float | None) -> Onward:
        """The same, slowly, from further back; no faster than with `speed`, m/s, as before."""
        return once_more(where.path, where.progress, self._experiment.robot, speed)

    def search(
        self, where: Whereabouts, world: BelievedMap, goal: Goal, wishes: JourneySettings
    ) -> Plan:
        """A search for a new path on the map as it is believed to be now."""
        path, progress, robot = where.path, where.progress, self._experiment.robot
        settings = route_settings(self._experiment, wishes, self._std, world.doubtful)
        obstacles, around = world.obstacles, Around(goal.x, goal.y, wishes.radius)
        travel, back = self._travel, wishes.back

        def plan(report: Callable[[float], None]) -> Onward:
            return plan_onward(
                path, progress, obstacles, robot, around, travel, settings, back=back, report=report
            )

        return plan
