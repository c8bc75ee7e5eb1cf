# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The map that grows by touch, and a robot that explores, in closed loop."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boa_control.events import Event, EventKind
from boa_control.experiments import exploration
from boa_control.experiments.build import build_controller
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.exploration import first_pass, second_pass
from boa_control.experiments.journey.controller import Journey
from boa_control.experiments.journey.exploring import (
    PLACED_STD,
    ExploredMap,
    ExploringController,
    ExploringJourney,
    journey_of,
)
from boa_control.experiments.journey.parts import Goal, State
from boa_control.experiments.journey.trace import Trace
from boa_control.experiments.scenario import Scenario
from boa_control.experiments.tour import Tour
from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost
from boa_control.paths.named import segment_curve
from boa_control.planning.fields import random_field
from boa_control.planning.lying import LyingBody
from boa_control.planning.search.region import Around
from boa_control.safety.ended import Reason
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.scene import Circle
from boa_sim.factory import plant_from_experiment
from boa_sim.wrong_map import moved
from boa_tools.runs.drive import RunResult, drive
from boa_tools.runs.runlog import held_force
from test.boa_control.experiments.journey.paper import END, EXPERIMENT, PATH, Paper, stand, travel

ROBOT = load_robot("boa13")
FIELD = random_field(0.24, 801, width=7.0).circles
MET = Circle(x=2.78, y=1.638, radius=0.05)
FIRST = tuple(Circle(x=0.4 * k, y=0.0, radius=0.05) for k in range(3))


def touched(number: int, x: float, y: float) -> CorrectedPost:
    return CorrectedPost(number, x, y, 0.05, 9e-3, "unexpected")


@pytest.fixture
def world() -> ExploredMap:
    world = ExploredMap(FIRST, borne=0.005)
    world.on_path(dict(enumerate(FIRST)))
    return world


def test_posts_that_were_run_into_carry_and_keep_their_size(world):
    world.correct(CorrectedMap((touched(3, 1.2, 0.1),)))
    assert world.obstacles[-1].radius == 0.05
    assert not world.doubtful


def test_the_further_from_the_first_posts_the_less_sure_is_a_place(world):
    for number, x in ((3, 1.2), (4, 1.6), (5, 2.0), (6, 2.4)):
        world.correct(CorrectedMap((touched(number, x, 0.1),)))
    std = [post.std for post in world.explored.posts]
    assert std[:4] == [0.0, 0.0, 0.0, pytest.approx(PLACED_STD)]
    assert np.all(np.diff(std[3:]) > 0.0)
    assert world.explored.posts[-1].kind == "unexpected"


def test_a_first_post_that_is_not_there_is_missing(world):
    world.correct(CorrectedMap((), (1,)))
    assert world.explored.missing == (1,)
    assert [post.number for post in world.explored.posts] == [0, 2]


@pytest.fixture
def explorer(paper: Paper) -> ExploringJourney:
    kind = journey_of(Tour(explore=1.0))
    assert kind is ExploringJourney
    return ExploringJourney(EXPERIMENT, paper, EXPERIMENT.obstacles)


def test_other_tours_and_goals_alone_are_for_maps_that_are_known():
    assert journey_of(None) is journey_of(Tour(targets=((1.0, 1.0),))) is Journey


def test_it_goes_on_until_its_head_is_at_a_goal_from_outside(explorer, paper):
    travel(explorer, paper)
    stand(explorer, paper, END)
    assert explorer.state is not State.IDLE
    assert any("nothing met; explores on" in line for line in paper.lines)


def test_a_goal_from_outside_is_reached_with_the_head(explorer, paper):
    head = LyingBody.at_progress(PATH, ROBOT, END).head
    x, y = segment_curve(PATH).position(np.array(head)).tolist()
    travel(explorer, paper, goal=Goal(x, y + 0.2))
    stand(explorer, paper, END)
    assert paper.lines[-1] == "arrived"


def test_where_it_comes_no_further_back_it_explores_from_there(explorer, paper):
    travel(explorer, paper)
    explorer.event(Event(kind=EventKind.NEW_PATH_REFUSED, note="comes no further back"))
    assert explorer.state is State.STOPPING
    stand(explorer, paper)
    assert len(paper.searches) == 2


@pytest.fixture(scope="module")
def laid_down() -> Scenario:
    """In a tuning field."""
    return first_pass("first", FIELD, ROBOT, Around(0.4, 1.5, 0.35), 0.25)


def test_of_all_posts_that_stand_it_knows_those_that_hold_it(laid_down):
    others = laid_down.disturbance.unmapped.posts
    assert 4 <= len(laid_down.path.posts) <= 12
    assert set(laid_down.path.posts) | set(others) == set(FIELD)
    assert len(laid_down.path.posts) + len(others) == len(FIELD)


def test_where_its_head_finds_no_new_ground_it_is_laid_down_beside(monkeypatch, laid_down):
    """The tail of the first place with a way on; where there is none, the user chooses another."""
    leads = iter([False, True])
    monkeypatch.setattr(exploration, "leads_on", lambda _: next(leads))
    beside = first_pass("first", FIELD, ROBOT, Around(0.4, 1.5, 0.35), 0.45)
    x, y = beside.path.start
    assert np.hypot(x - 0.4, y - 1.8) <= 0.35
    assert beside.path != laid_down.path
    monkeypatch.setattr(exploration, "leads_on", lambda _: False)
    monkeypatch.setattr(exploration, "_laid_down", lambda *_: laid_down)
    with pytest.raises(BoaError, match="no way to new ground; choose another --from"):
        first_pass("first", FIELD, ROBOT, Around(0.4, 1.5, 0.35), 0.45)


def test_in_the_second_pass_the_map_errs_as_it_was_made(laid_down):
    """Every post 1 mm beside its place: as many stand as in the field, none twice."""
    first = laid_down.path
    off = [
        CorrectedPost(k, post.x + 1e-3, post.y, post.radius, 2e-3, "unexpected")
        for k, post in enumerate(first.posts)
    ]
    length = sum(length for length, _ in first.segments)
    circles = [Circle(x=post.x, y=post.y, radius=post.radius) for post in off]
    way = Trace(first).among(circles, length)
    second = second_pass("second", CorrectedMap(tuple(off)), way, FIELD, ROBOT, 0.1)
    experiment = prepare(second)
    standing = moved(experiment.obstacles, second.disturbance.moved, 0)
    assert {(post.x, post.y) for post in standing} == {(post.x, post.y) for post in first.posts}
    apart = [
        np.hypot(on_map.x - true.x, on_map.y - true.y)
        for on_map, true in zip(experiment.obstacles, standing, strict=True)
    ]
    assert apart == pytest.approx([1e-3] * len(standing))
    assert len(standing) + len(second.disturbance.unmapped.posts) == len(FIELD)
    assert second.controller.parameters["map_error"] == pytest.approx(2e-3)


def largest_force(result: RunResult) -> float:
    return float(np.nanmax(np.linalg.norm(held_force(result.log)[..., :2], axis=-1)))


@pytest.mark.closed_loop
def test_closed_loop_the_head_comes_as_far_as_it_shall(laid_down):
    """No post is in the way of the first 0.12 m."""
    experiment = prepare(changed(laid_down, {"tour.explore": 0.12}))
    result = drive(experiment, plant_from_experiment(experiment), build_controller(experiment))
    assert result.ended.reason is Reason.GOAL
    assert largest_force(result) <= 45.0


@pytest.mark.closed_loop
def test_closed_loop_the_head_finds_a_post_and_the_way_is_travelled_again(laid_down):
    """One post of the field stands 0.15 m before the head, which meets it after 5 s. Touch tells
    its place to a fiftieth of its width. The first pass ends when the robot lies on a path that was
    planned with it.
    """
    field = (*(post for post in FIELD if math.hypot(post.x - MET.x, post.y - MET.y) > 0.2), MET)
    unknown = [post.model_dump() for post in field if post not in laid_down.path.posts]
    experiment = prepare(changed(laid_down, {"disturbance.unmapped.posts": unknown}))
    controller = build_controller(experiment)
    assert isinstance(controller, ExploringController)
    journey = controller.journey
    before = laid_down.path

    def placed() -> list[CorrectedPost]:
        if journey.world is None:
            return []
        return [post for post in journey.world.explored.posts if post.kind == "unexpected"]

    def planned_with_it() -> bool:
        nonlocal before
        if not placed():
            before = journey.where.path
        return journey.where.path != before

    plant = plant_from_experiment(experiment)
    result = drive(experiment, plant, controller, stop=planned_with_it)
    assert result.ended.reason is Reason.INTERRUPTED
    assert largest_force(result) <= 45.0
    (found,) = placed()
    assert math.hypot(found.x - MET.x, found.y - MET.y) <= 2e-3

    again = second_pass("second", journey.world.explored, journey.way, field, ROBOT, 0.1)
    second = prepare(changed(again, {"plant.control_rate": exploration.RATE}))
    log = drive(second, plant_from_experiment(second), build_controller(second))
    assert log.ended.reason is Reason.DISTANCE
