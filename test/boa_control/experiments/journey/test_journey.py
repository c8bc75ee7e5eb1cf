# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The states between a goal and a robot that has arrived, with a robot and searches of paper."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.controllers.new_path import NewPath, new_path_event
from boa_control.events import Event, EventKind
from boa_control.experiments.experiment import prepare
from boa_control.experiments.journey.controller import Journey
from boa_control.experiments.journey.onward import RETREAT, Onward, end_of
from boa_control.experiments.journey.parts import Goal, JourneySettings, State
from boa_control.experiments.journey.pursuit import Standing
from boa_control.experiments.library import load_scenario
from boa_control.experiments.tour import Tour
from boa_control.messages.answers import BEING_CHECKED, Answer, Outcome, not_ready
from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost
from boa_control.paths.named import segment_curve
from boa_description.errors import BoaError

SLOW_SPEED = SHIPPED.steering.slow_speed

EXPERIMENT = prepare(load_scenario("boa_random_field"))
PATH = EXPERIMENT.scenario.path
END = 4.0  # m, of every path that is found
GOAL = Goal(2.9, 1.6)
FOUND = Onward(NewPath(path=PATH, leaves=1.0, progress=1.0, speed=0.1), END, 0.0, "a path")


class PaperRequest:
    def __init__(self, answer: Answer | None) -> None:
        self.answer = answer


class PaperSearch:
    """Runs until the test says what was found."""

    def __init__(self) -> None:
        self.running, self.cancelled = True, False
        self.found: Onward | None = None
        self.reason, self.to_go = "", 1.5

    def cancel(self) -> None:
        self.cancelled = True

    def end(self, found: Onward | None, reason: str = "") -> None:
        self.running, self.found, self.reason = False, found, reason


class Paper:
    """The surroundings of a journey. Attributes named as what is answered next."""

    def __init__(self) -> None:
        self.settings = JourneySettings(follow=True)
        self.now = 100.0
        self.stop_answer: Answer | None = Answer(Outcome.DONE, "stopped")
        self.follow_answer: Answer | None = Answer(Outcome.DONE, "on the new path")
        self.searches: list[PaperSearch] = []
        self.published: list[NewPath] = []
        self.lines: list[str] = []
        self.requests: list[PaperRequest] = []  # to depart
        self.stops = self.follows = 0

    def time(self) -> float:
        return self.now

    def stop(self) -> PaperRequest:
        self.stops += 1
        return PaperRequest(self.stop_answer)

    def depart(self) -> PaperRequest:
        self.follows += 1
        self.requests.append(PaperRequest(self.follow_answer))
        return self.requests[-1]

    def search(self, plan: object) -> PaperSearch:
        self.searches.append(PaperSearch())
        return self.searches[-1]

    def publish(self, new: NewPath) -> None:
        self.published.append(new)

    def say(self, line: str) -> None:
        self.lines.append(line)

    def arrived(self) -> None:
        self.lines.append("arrived")


def absent(post: int) -> Event:
    """A post is not there."""
    return Event(kind=EventKind.POST_ABSENT, post=post)


def supervised(state: str, why: str) -> Event:
    """How far the controller trusts the map."""
    return Event(kind=EventKind.SUPERVISION, state=state, note=why, place=(1.0, 2.0))


@pytest.fixture
def paper() -> Paper:
    return Paper()


@pytest.fixture
def journey(paper: Paper) -> Journey:
    return Journey(EXPERIMENT, paper, EXPERIMENT.obstacles)


def stand(journey: Journey, paper: Paper, progress: float = 1.0) -> None:
    """The robot stands for a while."""
    for _ in range(12):
        paper.now += 0.1
        journey.motion(progress, 0.0, 0.0)
        journey.work()


def travel(journey: Journey, paper: Paper, on: Onward = FOUND) -> None:
    """From a goal to a robot under way."""
    journey.go([GOAL])
    stand(journey, paper)
    paper.searches[-1].end(on)
    for _ in range(3):
        journey.work()
    assert journey.state is State.TRAVELLING
    journey.event(new_path_event(on.new))


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


def test_a_lost_robot_is_left_alone(journey, paper):
    travel(journey, paper)
    journey.event(supervised("lost", "1 of 5 planned posts measured"))
    assert journey.state is State.IDLE
    assert "free the robot" in paper.lines[-1]


def test_a_reset_leads_back_to_the_first_path_and_the_map_as_given(journey, paper):
    travel(journey, paper)
    journey.event(absent(3))
    journey.restarted()
    assert journey.state is State.IDLE
    assert journey.world.obstacles == EXPERIMENT.obstacles


def test_a_path_of_another_kind_is_refused(paper):
    with pytest.raises(BoaError, match="kind segments"):
        Journey(prepare(load_scenario("boa_circle")), paper)


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


def test_the_path_on_which_it_lies_is_followed_to_its_end_without_a_search(journey, paper):
    journey.visit(Tour())
    stand(journey, paper)
    assert journey.state is State.TRAVELLING
    assert not paper.searches
    (sent,) = paper.published
    assert (sent.path, sent.leaves, sent.progress) == (PATH, 1.0, 1.0)
    assert sent.speed == EXPERIMENT.scenario.controller.parameters["speed"]


def test_where_the_map_is_wrong_another_way_to_the_same_place_is_searched(journey, paper):
    journey.visit(Tour())
    stand(journey, paper)
    journey.event(new_path_event(paper.published[0]))
    journey.event(absent(3))
    stand(journey, paper, 1.5)
    assert len(paper.searches) == 1


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


def test_a_cancelled_goal_stops_the_robot_that_then_holds(journey, paper):
    travel(journey, paper)
    stops = paper.stops
    pursuit = journey.pursuit
    assert "stops" in journey.cancel()
    assert (journey.state, paper.stops) == (State.STOPPING, stops + 1)
    journey.motion(1.5, 0.0, 0.05)
    journey.work()
    assert pursuit.standing is Standing.CANCELLING, "it still moves"
    stand(journey, paper, 1.6)
    assert (journey.state, pursuit.standing) == (State.IDLE, Standing.CANCELLED)
    assert len(paper.searches) == 1
    with pytest.raises(BoaError, match="nothing to cancel"):
        journey.cancel()


def test_a_search_is_cancelled_with_its_goal(journey, paper):
    pursuit = journey.go([GOAL])
    stand(journey, paper)
    journey.cancel()
    assert paper.searches[0].cancelled
    stand(journey, paper)
    assert pursuit.standing is Standing.CANCELLED


def test_a_departure_that_is_granted_late_does_not_outlive_a_cancel(journey, paper):
    """The controller may have gone over to the path after it was told to stop."""
    journey.go([GOAL])
    stand(journey, paper)
    paper.searches[0].end(FOUND)
    paper.follow_answer = None
    journey.work()
    journey.work()
    departure = paper.requests[-1]
    stops = paper.stops
    journey.cancel()
    stand(journey, paper)
    assert (journey.state, paper.stops) == (State.STOPPING, stops + 1)
    departure.answer = Answer(Outcome.DONE, "on the new path")
    stand(journey, paper)
    assert (journey.state, paper.stops) == (State.IDLE, stops + 2)


def test_who_set_a_goal_is_told_how_it_ended(journey, paper):
    first = journey.go([GOAL])
    second = journey.go([GOAL])
    assert (first.standing, first.reason) == (Standing.FAILED, "another goal has come")
    stand(journey, paper)
    paper.searches[-1].end(None, "walled in")
    journey.work()
    assert (second.standing, second.reason) == (
        Standing.FAILED,
        "walled in; the robot holds where it is",
    )
    travel(journey, paper)
    third = journey.pursuit
    stand(journey, paper, END)
    assert third.standing is Standing.ARRIVED
    travel(journey, paper)
    fourth = journey.pursuit
    journey.restarted()
    assert fourth.standing is Standing.FAILED


def test_a_goal_at_once_needs_no_follow_and_fails_where_it_is_refused(journey, paper):
    paper.settings = replace(paper.settings, follow=False)
    pursuit = journey.go([GOAL], at_once=True)
    stand(journey, paper)
    paper.searches[0].end(FOUND)
    paper.follow_answer = Answer(Outcome.REFUSED, "it does not hold the robot")
    for _ in range(3):
        journey.work()
    assert not any("~/follow" in line for line in paper.lines)
    assert pursuit.standing is Standing.FAILED
    assert "does not hold" in pursuit.reason


def test_the_planned_path_and_the_present_one_can_be_travelled_by_their_points(journey, paper):
    paper.settings = replace(paper.settings, follow=False)
    curve = segment_curve(PATH)
    points = curve.position(np.linspace(0.0, curve.length, 50))
    with pytest.raises(BoaError, match="neither the planned one"):
        journey.travel(points + 0.05)
    with pytest.raises(BoaError, match="neither the planned one"):
        journey.travel(points[:-5])
    on = journey.travel(points)
    stand(journey, paper)
    assert not paper.searches
    assert journey.state is State.TRAVELLING
    found = journey.go([GOAL])
    assert on.standing is Standing.FAILED
    stand(journey, paper)
    paper.searches[0].end(FOUND)
    journey.work()
    assert journey.state is State.PLANNED
    assert journey.travel(points) is found
    journey.work()
    journey.work()
    assert journey.state is State.TRAVELLING


def test_the_way_to_go_is_straight_first_then_along_the_path(journey, paper):
    assert math.isnan(journey.to_go)
    journey.go([GOAL])
    assert math.isnan(journey.to_go), "the robot has not told yet where it is"
    stand(journey, paper)
    x, y = segment_curve(PATH).position(np.array(1.0))
    assert journey.to_go == pytest.approx(math.hypot(GOAL.x - x, GOAL.y - y))
    paper.searches[0].end(FOUND)
    journey.work()
    assert journey.to_go == pytest.approx(END - 1.0)
    journey.work()
    journey.work()
    journey.event(new_path_event(FOUND.new))
    journey.motion(2.5, 0.1, 0.09)
    assert journey.to_go == pytest.approx(END - 2.5)


def test_a_search_never_counts_up(journey, paper):
    """It tries ways that end farther away, too."""
    journey.go([GOAL])
    stand(journey, paper)
    for to_go in (1.5, 0.9, 1.4, 0.2, 0.8, 0.2, 0.0, 0.3):
        paper.searches[0].to_go = to_go
        paper.now += 2.0
        journey.work()
    told = [line for line in paper.lines if line.startswith("searches, ")]
    assert [line.split()[1] for line in told] == ["1.50", "0.90", "0.20", "0.00"]
