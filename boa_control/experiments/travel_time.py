# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How long `hoal` needs for the way of a scenario, at the speeds that it plans there."""

from __future__ import annotations

from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.tables import make_tables
from boa_control.experiments.build import briefing
from boa_control.experiments.experiment import prepare
from boa_control.experiments.planned import SLACK, SLOWEST, START_UP
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError


def timed(scenario: Scenario) -> Scenario:
    """The scenario with a duration in which its controller can come to its distance: where forces
    or servos allow less than the desired speed, it takes longer.

    Raises:
        BoaError: `hoal` refuses its path, or cannot move on it.
    """
    duration = round(SLACK * travel_time(scenario) + START_UP, 1)
    return scenario.model_copy(update={"duration": duration})


def travel_time(scenario: Scenario) -> float:
    """From the start to the distance of a scenario of `hoal`, as planned, s; without taking hold of
    the posts, and without anything that holds the robot up.

    Raises:
        BoaError: as `timed`.
    """
    experiment = prepare(scenario)
    start, distance, period = (
        experiment.start_progress,
        scenario.distance,
        experiment.control_period,
    )
    if start is None or distance is None:
        raise BoaError(f"scenario {scenario.name}: has no path and distance to travel")
    parameters = Parameters.model_validate(scenario.controller.parameters)
    speed = make_tables(briefing(experiment), parameters).speed_reference(parameters, period)
    s, time, latest = start, 0.0, distance / SLOWEST
    while s < start + distance:
        speed.advance(s)
        s += period * speed.speed
        time += period
        if time > latest:
            raise BoaError(
                f"scenario {scenario.name}: its posts and servos hold the robot at s = {s:.2f} m; "
                "plan another path, or ask for less force"
            )
    return time
