# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What those learn who set a goal, cancel it, or ask how far it is."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from boa_control.controllers.new_path import new_path_event
from boa_control.experiments.journey.parts import State
from boa_control.experiments.journey.pursuit import Standing
from boa_control.messages.answers import Answer, Outcome
from boa_control.paths.named import segment_curve
from boa_description.errors import BoaError
from test.boa_control.experiments.journey.paper import END, FOUND, GOAL, PATH, stand, travel


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
