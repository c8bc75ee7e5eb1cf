# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A controller that plans its way from target to target, in closed loop."""

from __future__ import annotations

import pytest

from boa_control.events import EventKind
from boa_control.experiments.build import build_controller, without_plan, without_tour
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.journey.touring import TouringController
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.safety.ended import Reason
from boa_description.errors import BoaError
from boa_sim.factory import plant_from_experiment
from boa_tools.runs.drive import drive
from boa_tools.runs.loop import Tick
from boa_tools.runs.replay import replay


def experiment(*targets: tuple[float, float]) -> Experiment:
    tour = {"tour.targets": targets, "plant.control_rate": 250.0, "duration": 25.0}
    return prepare(changed(load_scenario("boa_tour"), tour))


class Ticks(list[Tick]):
    add = list.append


@pytest.mark.closed_loop
def test_closed_loop_the_first_target_is_reached_and_the_run_repeated_without_planning() -> None:
    near = experiment((3.0, 0.8))
    ticks = Ticks()
    result = drive(near, plant_from_experiment(near, 0), build_controller(near), watchers=[ticks])
    assert result.ended.reason is Reason.GOAL
    kinds = [told.event.kind for told in result.log.events]
    assert kinds.count(EventKind.NEW_PATH) == kinds.count(EventKind.TOUR_ARRIVED) == 1
    same = replay(ticks, build_controller(without_plan(near)))
    assert (same.compared, same.largest) == (len(ticks), 0.0)


def test_the_shipped_tour_can_be_built() -> None:
    whole = prepare(load_scenario("boa_tour"))
    assert isinstance(build_controller(whole), TouringController)
    for other in (without_plan(whole), without_tour(whole)):
        assert not isinstance(build_controller(other), TouringController)


def test_a_tour_relieves_joints_like_any_other_run() -> None:
    usual = load_scenario("boa_tour")
    relieved = prepare(changed(usual, {"controller.relief": {"soft": 15.0, "hard": 40.0}}))
    for tour, relieves in ((prepare(usual), False), (relieved, True)):
        output = build_controller(tour).step(plant_from_experiment(tour).read())
        assert ("relief_share" in output.debug) == relieves


@pytest.mark.parametrize(
    ("target", "reason"),
    [((3.2193, 2.4683), "lies inside post"), ((30.0, 2.0), "needs posts within")],
)
def test_a_target_that_makes_no_sense_is_refused_before_the_run(
    target: tuple[float, float], reason: str
) -> None:
    with pytest.raises(BoaError, match=reason):
        build_controller(experiment(target))


def test_a_tour_has_no_other_plan() -> None:
    data = load_scenario("boa_tour").model_dump(exclude_unset=True)
    with pytest.raises(ValueError, match="leave out distance"):
        Scenario.model_validate({**data, "distance": 2.0})


def test_controllers_that_take_no_new_paths_make_no_tour() -> None:
    data = load_scenario("boa_tour").model_dump(exclude_unset=True)
    other = prepare(Scenario.model_validate({**data, "controller": {"name": "path_pd"}}))
    with pytest.raises(BoaError, match="leave out tour"):
        build_controller(other)
