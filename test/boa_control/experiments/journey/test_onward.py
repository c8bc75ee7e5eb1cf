# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A way on from where the robot lies, and round a post that is not there."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.experiments.journey.onward import plan_onward
from boa_control.experiments.planned import TravelSettings
from boa_control.model.reference import ReferenceTable
from boa_control.paths.named import segment_curve
from boa_control.planning.find import find_route
from boa_control.planning.route import RouteSettings
from boa_control.planning.search.region import Around
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.scene import Box, Circle
from test.boa_control.planning.hexagonal import hexagonal

ROBOT = load_robot("boa13")
POSTS = tuple(Circle(x=x, y=y, radius=0.05) for x, y in hexagonal(0.32, 4.2, 2.8, 0.26))
SEARCH = RouteSettings(seconds=600.0, refine=0.0)
GOAL = Around(3.4, 0.6, 0.3)
TRAVEL = TravelSettings(speed=0.07)


@pytest.fixture(scope="module")
def first():
    route = find_route(POSTS, ROBOT, Around(0.3, 0.5, 0.3), [GOAL], SEARCH).route
    assert route is not None
    return route


def table(path):
    return ReferenceTable(segment_curve(path), ROBOT.links, ROBOT.link.pitch)


def axes(path, progress):
    return segment_curve(path).position(table(path).at(progress).sigma)


def test_round_a_post_that_is_not_there(first):
    """Half-way, the next post after the head is missing: the new path does without it."""
    path = first.settings
    progress = 0.5 * (table(path).start + table(path).end)
    head = float(table(path).at(progress).sigma[-1])
    ahead = min((at for at in path.contacts if at.s > head), key=lambda at: at.s)
    gone = path.posts[ahead.post]
    others = [post for post in POSTS if np.hypot(post.x - gone.x, post.y - gone.y) > 0.01]
    assert len(others) == len(POSTS) - 1
    onward = plan_onward(path, progress, others, ROBOT, GOAL, TRAVEL, SEARCH)
    new = onward.new
    touched = [new.path.posts[at.post] for at in new.path.contacts]
    assert all((post.x, post.y) != (gone.x, gone.y) for post in touched)
    assert axes(new.path, new.progress) == pytest.approx(axes(path, new.leaves), abs=1e-3)
    assert new.leaves <= progress + 1e-9
    assert onward.back == pytest.approx(progress - new.leaves, abs=0.02)
    end = segment_curve(new.path).position(np.array(sum(length for length, _ in new.path.segments)))
    assert np.hypot(*(end - [GOAL.x, GOAL.y])) <= GOAL.radius + 1e-9
    assert new.speed == pytest.approx(0.07)
    assert onward.end == pytest.approx(table(new.path).end)


def test_no_way_has_a_reason(first):
    path = first.settings
    progress = table(path).end - 0.1
    fence = Box(x=2.1, y=1.4, length=0.05, width=2.7, heading=0.0)
    search = RouteSettings(seconds=0.5, refine=0.0, helping=0.0)
    with pytest.raises(BoaError, match="no path to the goal: "):
        plan_onward(
            path, progress, (*POSTS, fence), ROBOT, Around(0.4, 2.4, 0.2), TRAVEL, search, back=0.2
        )
