# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Planning on from where the robot lies: the path up to its head stays, what follows holds."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from boa_control.model.reference import ReferenceTable
from boa_control.paths.construct import build_path
from boa_control.paths.named import segment_curve
from boa_control.planning.find import find_route
from boa_control.planning.lying import LyingBody, OldPath, progress_of
from boa_control.planning.quest import Quest
from boa_control.planning.route import Route, RouteSettings
from boa_control.planning.search.field import PostField
from boa_control.planning.search.region import Around
from boa_control.planning.search.search import Demands
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.scene import Circle
from test.boa_control.planning.hexagonal import hexagonal

ROBOT = load_robot("boa13")
BODY = ROBOT.links * ROBOT.link.pitch
POSTS = tuple(Circle(x=x, y=y, radius=0.05) for x, y in hexagonal(0.32, 4.2, 2.8, 0.26))
SETTINGS = RouteSettings(seconds=100.0, clock=time.process_time, refine=0.0, first_margin=0.0)
UP = Around(3.2, 2.4, 0.3)


@pytest.fixture(scope="module")
def first() -> Route:
    search = find_route(POSTS, ROBOT, Around(0.3, 0.5, 0.3), [Around(3.4, 0.6, 0.3)], SETTINGS)
    assert search.route is not None, search.reason
    return search.route


@pytest.fixture(scope="module")
def second(first) -> Route:
    lying = LyingBody(first.settings, first.found.length - 0.05)
    search = find_route(POSTS, ROBOT, lying, [UP], SETTINGS)
    assert search.route is not None, search.reason
    return search.route


def body_on(route: Route, head: float) -> np.ndarray:
    """Joint axes of a robot whose head lies at `head`, m."""
    curve = segment_curve(route.settings)
    reference = ReferenceTable(curve, ROBOT.links, ROBOT.link.pitch)
    point = reference.at(progress_of(route.settings, ROBOT, head))
    return curve.position(point.sigma)


def test_the_robot_lies_on_the_new_path_as_on_the_old_one(first, second):
    assert second.leaves == pytest.approx(first.found.length - 0.05)
    before = body_on(first, second.leaves)
    assert body_on(second, second.branch) == pytest.approx(before, abs=2e-4)


def test_contacts_behind_the_head_are_the_old_ones(first, second):
    head = first.found.length - 0.05
    shift = head - second.branch
    old = [at for at in first.found.contacts if shift < at.s <= head]
    kept = [at for at in second.found.contacts if at.s <= second.branch + 1e-9]
    assert [(at.post, at.side) for at in kept] == [(at.post, at.side) for at in old]
    assert [at.s + shift for at in kept] == pytest.approx([at.s for at in old])


def test_from_the_head_on_it_is_held(second):
    report = second.report
    assert report.ok and (report.closure.order == 1).all()
    assert report.closure.s[0] >= progress_of(second.settings, ROBOT, second.branch) - 1e-6
    end = segment_curve(second.settings).position(np.array(second.found.length))
    assert np.hypot(*(end - [UP.x, UP.y])) <= UP.radius + 1e-9


def test_a_robot_that_may_go_back_leaves_the_old_path_earlier(first):
    """The goal lies behind the robot: from its head it would have to turn round."""
    head = first.found.length - 0.05
    goal = [Around(0.8, 2.0, 0.3)]
    turning = find_route(POSTS, ROBOT, LyingBody(first.settings, head), goal, SETTINGS).route
    lying = LyingBody(first.settings, head, back_to=BODY + 0.1)
    backing = find_route(POSTS, ROBOT, lying, goal, SETTINGS).route
    assert backing is not None and turning is not None
    assert backing.leaves < head - 0.05
    forward = backing.found.length - backing.branch
    assert forward < turning.found.length - turning.branch
    assert body_on(backing, backing.branch) == pytest.approx(
        body_on(first, backing.leaves), abs=2e-4
    )


def test_posts_that_hold_the_robot_already_need_no_more_margin(first, monkeypatch):
    demanded = []
    routes = Quest.routes

    def recorded(self, attempt):
        demanded.append(attempt.demands.start_margin)
        return routes(self, attempt)

    monkeypatch.setattr(Quest, "routes", recorded)
    sure = replace(SETTINGS, demands=Demands(start_margin=0.4))
    lying = LyingBody(first.settings, BODY + 0.05)
    assert find_route(POSTS, ROBOT, lying, [UP], sure).route is not None
    assert demanded == [0.0]


def test_a_post_that_is_gone_carries_no_more(first):
    head = first.found.length - 0.05
    gone = [at for at in first.found.contacts if at.s < head - 0.3][-1].post
    left = POSTS[:gone] + POSTS[gone + 1 :]
    # without this post nothing holds the robot where it lies; it must go back
    lying = LyingBody(first.settings, head, back_to=head - 0.4)
    route = find_route(left, ROBOT, lying, [UP], SETTINGS).route
    assert route is not None
    places = {(post.x, post.y) for post in build_path(route.settings, ROBOT).posts}
    assert (POSTS[gone].x, POSTS[gone].y) not in places


def test_progress_and_head_belong_together(first):
    lying = LyingBody.at_progress(first.settings, ROBOT, 1.5, back=0.4)
    assert progress_of(first.settings, ROBOT, lying.head) == pytest.approx(1.5, abs=1e-6)
    assert lying.back_to == pytest.approx(lying.head - 0.4)


def test_a_head_that_is_not_on_the_path_is_refused(first):
    with pytest.raises(BoaError, match="1\\.690 m at least"):
        find_route(POSTS, ROBOT, LyingBody(first.settings, 1.2), [UP], SETTINGS)


def test_a_robot_that_has_come_to_rest_a_little_past_the_end_goes_on_from_the_end(first):
    """With an emulated robot, arrived at its first goal, the second was refused for less than 1 mm:
    "head lies at 3.084 m of its path, which is 3.084 m long".
    """
    length = first.found.length
    field = PostField.of(POSTS)
    at_end, past = (
        OldPath(LyingBody(first.settings, length + more), field, ROBOT) for more in (0.0, 0.002)
    )
    assert past.branches == pytest.approx(at_end.branches, abs=1e-9)
    assert past.on_old_path(past.branches[0]) == pytest.approx(length + 0.002, abs=1e-9)
    with pytest.raises(BoaError, match="of its path, which is"):
        OldPath(LyingBody(first.settings, length + 0.01), field, ROBOT)


def test_several_goals_are_visited_in_turn():
    goals = [Around(3.4, 0.6, 0.3), UP]
    search = find_route(POSTS, ROBOT, Around(0.3, 0.5, 0.3), goals, SETTINGS)
    assert search.route is not None, search.reason
    curve = segment_curve(search.route.settings)
    points = curve.position(np.linspace(0.0, curve.length, 2000))
    near = [np.hypot(*(points - [goal.x, goal.y]).T) <= goal.radius + 5e-3 for goal in goals]
    arrivals = [int(np.argmax(hits)) for hits in near]
    assert all(hits.any() for hits in near) and arrivals == sorted(arrivals)


def test_a_lap_leads_back_into_itself():
    goals = [Around(3.4, 0.6, 0.3), Around(3.2, 2.2, 0.3), Around(0.7, 2.2, 0.3)]
    search = find_route(POSTS, ROBOT, Around(0.6, 0.5, 0.3), goals, SETTINGS, closed=True)
    assert search.route is not None, search.reason
    path = build_path(search.route.settings, ROBOT)
    assert path.curve.closed
    ends = path.curve.position(np.array([0.0, path.curve.length - 1e-9]))
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)
    report = search.route.report
    assert report.ok and (report.closure.order == 1).all()
    assert len(path.posts) == len(POSTS)
