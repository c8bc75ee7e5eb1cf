# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A journey whose map changes on the way, or whose robot halts without that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.controllers.new_path import NewPath, new_path_event
from boa_control.experiments.journey.controller import Journey
from boa_control.experiments.journey.onward import RETREAT, Onward
from boa_control.experiments.journey.parts import Goal, State
from boa_control.experiments.tour import Tour
from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost
from test.boa_control.experiments.journey.paper import (
    END,
    EXPERIMENT,
    FOUND,
    GOAL,
    PATH,
    Paper,
    absent,
    stand,
    supervised,
    travel,
)

SLOW_SPEED = SHIPPED.steering.slow_speed


def test_round_a_post_that_is_missing(journey, paper):
    """A stop on a map that has not changed plans nothing anew: the same way would come of it."""
    travel(journey, paper)
    before = journey.world.obstacles
    journey.event(supervised("stopped", "joint force 30 N"))
    assert journey.state is State.TRAVELLING
    journey.event(absent(3))
    assert journey.state is State.STOPPING
    journey.event(supervised("stopped", "without post 3 too few hold the robot"))
    gone = set(before) - set(journey.world.obstacles)
    assert gone == {EXPERIMENT.obstacles[3]}
    stand(journey, paper)
    assert len(paper.searches) == 2
    paper.searches[1].end(FOUND)
    for _ in range(3):
        journey.work()
    journey.event(supervised("stopped", "without post 3 too few hold the robot"))
    assert journey.state is State.TRAVELLING


def test_a_post_that_is_on_no_path_of_the_scenario_is_taken_off_the_map_too(paper):
    """The posts of a map file that the scenario does not have get numbers behind its own."""
    posts = EXPERIMENT.obstacles
    moved = tuple(post.model_copy(update={"x": post.x + 0.7}) for post in posts)
    path = PATH.model_copy(
        update={
            "start": (PATH.start[0] + 0.7, PATH.start[1]),
            "posts": tuple(post.model_copy(update={"x": post.x + 0.7}) for post in PATH.posts),
        }
    )
    new = NewPath(path=path, leaves=1.0, progress=1.0)
    journey = Journey(EXPERIMENT, paper, moved)
    journey.go([Goal(3.6, 1.6)])
    stand(journey, paper)
    paper.searches[0].end(Onward(new, END, 0.0, "a path"))
    for _ in range(3):
        journey.work()
    journey.event(new_path_event(new))
    planned = new.planned(EXPERIMENT.robot.link.radius, posts)
    number = max(planned.post_of)
    assert number >= len(posts), "the scenario does not know it"
    journey.event(absent(number))
    assert len(journey.world.obstacles) == len(moved) - 1


def test_without_replan_the_robot_waits(journey, paper):
    paper.settings = replace(paper.settings, replan=False)
    travel(journey, paper)
    journey.event(absent(3))
    journey.event(supervised("stopped", "without post 3 too few hold the robot"))
    assert journey.state is State.IDLE


def test_the_corrected_map_may_come_before_the_event(journey, paper):
    travel(journey, paper)
    journey.corrected(CorrectedMap((), missing=(3,)))
    assert journey.state is State.TRAVELLING
    journey.event(absent(3))
    assert journey.state is State.STOPPING


def test_the_corrected_map_may_come_after_the_stop(journey, paper):
    other = CorrectedPost(900, 2.0, 1.0, 0.05, 0.005, "unexpected")
    travel(journey, paper)
    journey.event(supervised("stopped", "unexpected contact on link 13"))
    assert journey.state is State.TRAVELLING
    journey.corrected(CorrectedMap((other,)))
    assert journey.state is State.STOPPING


def test_one_that_has_gone_on_meanwhile_is_not_stopped(journey, paper):
    other = CorrectedPost(900, 2.0, 1.0, 0.05, 0.005, "unexpected")
    travel(journey, paper)
    journey.event(supervised("stopped", "joint force 30 N"))
    journey.event(supervised("slow", "goes on"))
    journey.corrected(CorrectedMap((other,)))
    assert journey.state is State.TRAVELLING


def halted(journey: Journey, paper: Paper, progress: float) -> None:
    """The controller has stopped there, and stays."""
    journey.event(supervised("stopped", "a joint 1.0 rad/s off"))
    for _ in range(6):
        stand(journey, paper, progress)


def test_a_halt_without_news_of_the_map_is_tried_once_more_from_further_back(journey, paper):
    travel(journey, paper)
    halted(journey, paper, 2.0)
    again = paper.published[-1]
    assert (journey.state, len(paper.searches)) == (State.TRAVELLING, 1)
    assert again.path == PATH
    assert again.leaves == again.progress == pytest.approx(2.0 - RETREAT)
    assert again.speed == SLOW_SPEED
    journey.event(supervised("slow", "goes back"))
    journey.event(new_path_event(again))
    halted(journey, paper, 2.05)
    assert journey.state is State.IDLE
    assert paper.lines[-1].startswith("stopped: a joint 1.0 rad/s off")
    assert len(paper.published) == 2


def test_another_try_is_not_faster_than_the_path_was_travelled(journey, paper):
    slow = FOUND.new.model_copy(update={"speed": 0.02})
    travel(journey, paper, replace(FOUND, new=slow))
    halted(journey, paper, 2.0)
    assert paper.published[-1].speed == 0.02


def test_another_halt_further_on_is_tried_once_more_too(journey, paper):
    travel(journey, paper)
    for progress in (2.0, 2.5):
        halted(journey, paper, progress)
        journey.event(supervised("slow", "goes back"))
        journey.event(new_path_event(paper.published[-1]))
    assert journey.state is State.TRAVELLING
    assert len(paper.published) == 3


def test_another_map_is_news(journey, paper):
    """A robot that stops goes on by the new map, however often the former one was corrected."""
    travel(journey, paper)
    journey.take_map(EXPERIMENT.obstacles[:-1])
    assert journey.state is State.TRAVELLING
    journey.event(supervised("stopped", "joint force 30 N"))
    assert journey.state is State.STOPPING
    stand(journey, paper)
    assert len(paper.searches) == 2


def test_another_map_leads_a_robot_that_is_halted_on(journey, paper):
    travel(journey, paper)
    journey.event(supervised("stopped", "unexpected contact on link 3"))
    assert journey.state is State.TRAVELLING, "the map has not changed"
    journey.take_map(EXPERIMENT.obstacles[:-1])
    assert journey.state is State.STOPPING
    stand(journey, paper)
    assert journey.state is State.SEARCHING


def test_posts_found_to_overlap_do_not_bar_the_next_goal(journey, paper):
    """They are estimates; the map as given was measured and is checked for that."""
    travel(journey, paper)
    first, second = EXPERIMENT.obstacles[:2]
    near = CorrectedPost(0, second.x + 0.06, second.y, first.radius, 0.01, "touched")
    journey.corrected(CorrectedMap((near,)))
    assert journey.world.obstacles[0].x == near.x
    journey.go([GOAL])
    assert journey.state is State.STOPPING


def test_where_the_map_is_wrong_another_way_to_the_same_place_is_searched(journey, paper):
    journey.visit(Tour())
    stand(journey, paper)
    journey.event(new_path_event(paper.published[0]))
    journey.event(absent(3))
    stand(journey, paper, 1.5)
    assert len(paper.searches) == 1
