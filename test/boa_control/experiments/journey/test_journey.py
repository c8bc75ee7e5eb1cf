# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The states between a goal and a robot that has arrived."""

from __future__ import annotations

from dataclasses import replace

import pytest

from boa_control.controllers.new_path import new_path_event
from boa_control.experiments.experiment import prepare
from boa_control.experiments.journey.controller import HALT_TIME, Journey
from boa_control.experiments.journey.onward import end_of
from boa_control.experiments.journey.parts import Goal, State
from boa_control.experiments.library import load_scenario
from boa_control.experiments.tour import Tour
from boa_control.messages.answers import BEING_CHECKED, Answer, Outcome, not_ready
from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost
from boa_description.errors import BoaError
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


def test_a_goal_is_planned_followed_and_reached(journey, paper):
    journey.go([GOAL])
    assert (journey.state, paper.stops) == (State.STOPPING, 1)
    journey.motion(1.0, 0.1, 0.1)
    journey.work()
    assert journey.state is State.STOPPING, "it still moves"
    stand(journey, paper)
    assert journey.state is State.SEARCHING
    paper.searches[0].end(FOUND)
    journey.work()
    assert paper.published == [FOUND.new]
    journey.work()
    journey.work()
    assert journey.state is State.TRAVELLING
    stand(journey, paper, END)
    assert journey.state is State.TRAVELLING, "the controller is not on the new path yet"
    journey.event(new_path_event(FOUND.new))
    stand(journey, paper, END - 0.5)
    assert journey.state is State.TRAVELLING, "it stands half-way"
    stand(journey, paper, END)
    assert journey.state is State.IDLE
    assert paper.lines[-1].startswith("arrived")


def test_goals_are_pursued_in_turn(journey, paper):
    journey.go([GOAL, Goal(2.1, 1.6)])
    stand(journey, paper)
    paper.searches[0].end(FOUND)
    for _ in range(3):
        journey.work()
    journey.event(new_path_event(FOUND.new))
    stand(journey, paper, END)
    assert journey.state in (State.STOPPING, State.SEARCHING)
    assert any(line.startswith("goal (2.10, 1.60)") for line in paper.lines)


def test_without_follow_somebody_has_to_say_so(journey, paper):
    paper.settings = replace(paper.settings, follow=False)
    with pytest.raises(BoaError, match="no path to follow"):
        journey.follow()
    journey.go([GOAL])
    stand(journey, paper)
    paper.searches[0].end(FOUND)
    stand(journey, paper)
    assert (journey.state, paper.follows) == (State.PLANNED, 0)
    journey.follow()
    journey.work()
    assert paper.follows == 1


def test_a_goal_that_makes_no_sense_is_refused_and_nothing_stops(journey, paper):
    post = EXPERIMENT.obstacles[0]
    for x, y, reason in ((post.x, post.y, "lies inside"), (900.0, 3.0, "needs posts within")):
        with pytest.raises(BoaError, match=reason):
            journey.go([Goal(x, y)])
    assert (journey.state, paper.stops) == (State.IDLE, 0)


def test_no_map_yet(paper):
    with pytest.raises(BoaError, match="no map yet"):
        Journey(EXPERIMENT, paper).go([GOAL])


def test_no_way_gives_the_goal_up_and_the_next_one_is_taken(journey, paper):
    journey.go([GOAL])
    stand(journey, paper)
    paper.searches[0].end(None, "no path to the goal: it is walled in")
    journey.work()
    assert journey.state is State.IDLE
    assert "walled in" in paper.lines[-1]
    journey.go([GOAL])
    assert journey.state is State.STOPPING


def test_another_goal_ends_the_search(journey, paper):
    journey.go([GOAL])
    stand(journey, paper)
    journey.go([Goal(2.1, 1.6)])
    assert paper.searches[0].cancelled
    assert journey.state is State.STOPPING


def test_a_controller_that_refuses_to_stop_ends_it(journey, paper):
    paper.stop_answer = Answer(Outcome.REFUSED, "nobody offers /boa/controller/hold")
    journey.go([GOAL])
    journey.work()
    assert journey.state is State.IDLE
    assert "nobody offers" in paper.lines[-1]


def test_a_departure_that_is_refused_may_be_tried_again(journey, paper):
    paper.follow_answer = Answer(
        Outcome.REFUSED, "/boa/controller/follow has not answered for 30 s"
    )
    journey.go([GOAL])
    stand(journey, paper)
    paper.searches[0].end(FOUND)
    for _ in range(3):
        journey.work()
    assert journey.state is State.PLANNED
    assert "has not answered" in paper.lines[-1]
    paper.follow_answer = Answer(Outcome.DONE, "on the new path")
    journey.follow()
    journey.work()
    journey.work()
    assert journey.state is State.TRAVELLING


def test_a_controller_is_asked_again_as_long_as_it_prepares_but_no_robot_for_ever(journey, paper):
    paper.follow_answer = BEING_CHECKED
    journey.go([GOAL])
    stand(journey, paper)
    paper.searches[0].end(FOUND)
    for _ in range(2000):
        paper.now += 0.1
        journey.work()
    assert journey.state is State.SETTING_OUT
    paper.follow_answer = not_ready("the robot moves at 0.010 m/s")
    for _ in range(400):
        paper.now += 0.1
        journey.work()
    assert journey.state is State.SETTING_OUT
    for _ in range(400):
        paper.now += 0.1
        journey.work()
    assert journey.state is State.PLANNED


def test_a_robot_that_never_comes_to_rest_is_told_of(journey, paper):
    journey.go([GOAL])
    for _ in range(800):
        paper.now += 0.1
        journey.work()
    told = [line for line in paper.lines if line.startswith("waits: ")]
    assert len(told) == 1
    assert journey.state is State.STOPPING


def test_a_lost_robot_is_left_alone(journey, paper):
    travel(journey, paper)
    journey.event(supervised("lost", "1 of 5 planned posts measured"))
    journey.corrected(CorrectedMap((CorrectedPost(900, 2.0, 1.0, 0.05, 0.005, "unexpected"),)))
    assert journey.state is State.TRAVELLING  # it may take hold of its posts anew
    paper.now += HALT_TIME
    journey.work()
    assert journey.state is State.IDLE
    assert "free the robot" in paper.lines[-1]


def test_one_that_takes_hold_of_its_posts_anew_goes_on(journey, paper):
    travel(journey, paper)
    journey.event(supervised("lost", "1 of 5 planned posts measured"))
    journey.event(supervised("go", "takes hold of its posts anew"))
    paper.now += HALT_TIME
    journey.work()
    assert journey.state is State.TRAVELLING


def test_a_reset_leads_back_to_the_first_path_and_the_map_as_given(journey, paper):
    travel(journey, paper)
    journey.event(absent(3))
    journey.restarted()
    assert journey.state is State.IDLE
    assert journey.world.obstacles == EXPERIMENT.obstacles


def test_a_path_of_another_kind_is_refused(paper):
    with pytest.raises(BoaError, match="kind segments"):
        Journey(prepare(load_scenario("boa_circle")), paper)


def test_the_path_on_which_it_lies_is_followed_to_its_end_without_a_search(journey, paper):
    journey.visit(Tour())
    stand(journey, paper)
    assert journey.state is State.TRAVELLING
    assert not paper.searches
    (sent,) = paper.published
    assert (sent.path, sent.leaves, sent.progress) == (PATH, 1.0, 1.0)
    assert sent.speed == EXPERIMENT.scenario.controller.parameters["speed"]


def test_a_lap_has_no_end_to_travel_to():
    with pytest.raises(BoaError, match="give targets"):
        end_of(PATH.model_copy(update={"closed": True}))


def test_another_goal_is_planned(journey, paper):
    journey.visit(Tour())
    journey.go([GOAL])
    stand(journey, paper)
    assert journey.state is State.SEARCHING


def test_a_robot_that_was_stopped_by_hand_sets_out_only_after_it_is_let_go(
    paper: Paper, journey: Journey
) -> None:
    paper.follow_answer = not_ready("stopped by hand; call ~/start")
    journey.go([GOAL])
    stand(journey, paper)
    paper.searches[-1].end(FOUND)
    stand(journey, paper)
    assert journey.state is State.SETTING_OUT
    assert "waits: stopped by hand; call ~/start" in paper.lines
    paper.follow_answer = Answer(Outcome.DONE, "on the new path")
    stand(journey, paper)
    assert journey.state is State.TRAVELLING
