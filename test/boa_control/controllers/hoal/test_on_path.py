# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop goes over to a planned path at rest, goes back for it where it must, and is
repeated from its record.
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from boa_control.controllers.following import FollowingController
from boa_control.controllers.new_path import NewPath, recorded_new_path
from boa_control.experiments.build import build_controller, without_plan
from boa_control.experiments.experiment import prepare
from boa_control.experiments.planned import TravelSettings, planned_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.planning.find import find_route
from boa_control.planning.lying import LyingBody, progress_of
from boa_control.planning.route import RouteSettings
from boa_control.planning.search.region import Around
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.scene import Circle
from boa_sim.factory import plant_from_experiment
from boa_tools.bags.ticks import bag_sink, bag_ticks
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import metrics
from boa_tools.runs.drive import run_experiment
from boa_tools.runs.replay import replay
from test.boa_control.controllers.hoal.robot_rate import at_robot_rate
from test.boa_control.planning.hexagonal import hexagonal

ROBOT = load_robot("boa13")
POSTS = tuple(Circle(x=x, y=y, radius=0.05) for x, y in hexagonal(0.32, 4.2, 2.8, 0.26))
SEARCH = RouteSettings(seconds=600.0, refine=0.0)
BACK = 0.06  # m, from where the robot stands to where the new path begins


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    """From shortly before the end of one path to the beginning of another."""
    first = find_route(POSTS, ROBOT, Around(0.3, 0.5, 0.3), [Around(3.4, 0.6, 0.3)], SEARCH).route
    assert first is not None
    lying = LyingBody(first.settings, first.found.length - 0.05 - BACK)
    second = find_route(POSTS, ROBOT, lying, [Around(3.2, 2.4, 0.3)], SEARCH).route
    assert second is not None and second.leaves is not None and second.branch is not None
    base = planned_scenario("hexagonal", "first leg", first, ROBOT, TravelSettings())
    end = progress_of(first.settings, ROBOT, first.found.length - 0.05)
    change = {
        "path": second.settings.model_dump(),
        "leaves": progress_of(first.settings, ROBOT, second.leaves),
        "progress": progress_of(second.settings, ROBOT, second.branch),
        "speed": 0.08,
    }
    return at_robot_rate(
        Scenario.model_validate(
            {
                **base.model_dump(),
                "initial": {"progress": end - 0.08},
                "path_changes": [change],
                "distance": 0.3,
                "duration": 20.0,
            }
        )
    )


@pytest.fixture(scope="module")
def run(scenario, tmp_path_factory):
    experiment = prepare(scenario)
    path = tmp_path_factory.mktemp("on_path") / "bag"
    with bag_sink(path, experiment) as sinks:
        result = run_experiment(experiment, sinks=sinks)
    return experiment, result, path


def switch(log) -> int:
    """The tick at which the new path acts first."""
    (stamp,) = [event.stamp_ns for event in log.events if recorded_new_path(event.event)]
    return int(np.searchsorted(log.stamp_ns, stamp))


@pytest.mark.closed_loop
def test_it_goes_back_takes_the_new_path_and_arrives(run, scenario):
    experiment, result, _ = run
    assert str(result.ended.reason) and result.log.time[-1] < 20.0, "the distance ends the run"
    (change,) = scenario.path_changes
    k = switch(result.log)
    before, after = result.log.debug["progress_m"][[k - 1, k]]
    assert before == pytest.approx(change.leaves, abs=0.03)
    assert after - change.progress == pytest.approx(before - change.leaves, abs=2e-3)
    values = metrics(Analysis(result.log, experiment))
    assert values["completed"] and values["gate_trips"] == 0
    assert values["path_progress_m"] == pytest.approx(0.3, abs=0.01)
    assert values["head_path_error_rms_m"] < 5e-4
    assert values["joint_force_peak_n"] < 20.0
    assert values["form_closure_fraction"] > 0.999


@pytest.mark.closed_loop
def test_the_contacts_are_held_across_the_change(run):
    experiment, result, _ = run
    log, k = result.log, switch(result.log)
    assert np.abs(log.commanded[k] - log.commanded[k - 1]).max() < 1.0
    force = Analysis(log, experiment).contacts.force
    around = force[k - 20 : k + 200]
    held = around[0] > 0
    assert held.sum() >= 4
    assert (around[:, held] > 0.2).all()


@pytest.mark.closed_loop
def test_it_is_repeated_bit_for_bit_from_its_record(run):
    experiment, result, bag = run
    found = replay(bag_ticks(bag, experiment), build_controller(without_plan(experiment)))
    assert (found.compared, found.largest) == (result.log.ticks, 0.0)


@pytest.mark.closed_loop
def test_where_posts_stand_5_mm_off_the_new_path_knows_those_that_were_touched(scenario):
    """On both paths contacts are planned where touch has located the posts."""
    data = scenario.model_dump(exclude_unset=True)
    data["disturbance"] = {"obstacle_offset": 0.005}
    data["controller"]["parameters"]["map_error"] = 0.0035
    experiment = prepare(Scenario.model_validate(data))
    log = run_experiment(experiment, seed=30).log
    analysis, k = Analysis(log, experiment), switch(log)
    values = metrics(analysis)
    assert values["completed"] and values["gate_trips"] == 0
    assert values["joint_force_peak_n"] < 35.0
    slowed = ("slow", "stopped", "lost", "back")
    assert not [event for event in log.events if event.text.startswith(slowed)]
    known = [news for news in log.maps if news.stamp_ns < log.stamp_ns[k]][-1].corrected
    later = next(news for news in log.maps if news.stamp_ns >= log.stamp_ns[k]).corrected
    assert set(touched(known)) <= set(touched(later))
    assert len(touched(known)) >= 4
    assert analysis.map_errors is not None
    assert np.abs(analysis.map_errors.after).max() < 0.003


def touched(corrected):
    return [post.number for post in corrected.posts if post.kind == "touched"]


@pytest.fixture(scope="module")
def standing(scenario):
    """The controller of a robot that has come to the end of its first path, and its last frame."""
    experiment = prepare(scenario.model_copy(update={"path_changes": (), "distance": None}))
    controller = build_controller(experiment)
    assert isinstance(controller, FollowingController)
    plant = plant_from_experiment(experiment, 0)
    frame = plant.read()
    plant.arm()
    moving = ""
    for k in range(4000):
        plant.write(controller.step(frame).torque)
        frame = plant.read()
        if k > 1000 and not controller.unrest:
            break
        if k == 800:
            with pytest.raises(BoaError) as refused:
                controller.follow(scenario.path_changes[0])
            moving = str(refused.value)
    plant.close()
    assert not controller.unrest
    return controller, frame, moving


@pytest.mark.closed_loop
def test_a_moving_robot_takes_no_new_path(standing):
    _, _, moving = standing
    assert "moves faster than 0.0" in moving or "takes hold" in moving


@pytest.mark.closed_loop
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda new: {"progress": new.progress + 0.02}, "does not lie on it"),
        (lambda new: {"progress": 0.1}, "the whole robot is on it from"),
        (lambda _: {"speed": 0.3, "leaves": 2.0}, "set-point speed 0.3 m/s is above"),
        (lambda new: {"path": _pushed(new)}, "does not lie on it"),
        (lambda new: {"path": _bent(new)}, "must bend to|turns back within one link"),
    ],
)
def test_what_it_refuses_changes_nothing(standing, scenario, change, words):
    controller, frame, _ = standing
    new = NewPath.model_validate(
        {**scenario.path_changes[0].model_dump(exclude={"time", "pause"}), "leaves": 10.0}
    )
    old = scenario.path_changes[0]
    # as if it stood where the new path begins
    new = new.model_copy(
        update={
            "leaves": controller.place,
            "progress": old.progress + controller.place - old.leaves,
        }
    )
    before = (controller.place, controller.set_point, controller.unrest)
    with pytest.raises(BoaError, match=words):
        controller.follow(new.model_copy(update=change(new)))
    assert (controller.place, controller.set_point, controller.unrest) == before
    output = controller.step(frame._replace(stamp_ns=frame.stamp_ns + 2_000_000))
    assert not [event for event in output.events if recorded_new_path(event)]


def _pushed(new: NewPath):
    x, y = new.path.start
    posts = tuple(post.model_copy(update={"y": post.y + 0.01}) for post in new.path.posts)
    return new.path.model_copy(update={"start": (x, y + 0.01), "posts": posts})


def _bent(new: NewPath):
    sharp = tuple((length, 3.0 * bend) for length, bend in new.path.segments)
    return new.path.model_copy(update={"segments": sharp, "contacts": (), "posts": ()})


def test_the_groundwork_may_be_done_elsewhere(scenario):
    experiment = prepare(scenario.model_copy(update={"path_changes": ()}))
    controller = build_controller(experiment)
    assert isinstance(controller, FollowingController)
    path = controller.planned(scenario.path_changes[0])
    task = pickle.loads(pickle.dumps(controller.tables(path)))
    laid = pickle.loads(pickle.dumps(task(), protocol=5))
    here = controller.tables(path)()
    assert np.array_equal(laid.model._table, here.model._table)
    assert laid.path.contacts == here.path.contacts
