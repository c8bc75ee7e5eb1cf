# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Posts that would help are free places, and with them the search comes nearer."""

from __future__ import annotations

import itertools
import math

import pytest

from boa_control.planning.fields import random_field
from boa_control.planning.find import find_route
from boa_control.planning.route import RouteSettings, Search
from boa_control.planning.search.region import Around
from boa_description.load import load_robot

ROBOT = load_robot("boa13")
POSTS = tuple(
    post for post in random_field(0.28, seed=3).circles if post.x < 2.1 or 2.55 < post.x < 3.6
)
START, GOAL = Around(0.3, 1.5, 0.3), Around(3.2, 1.5, 0.3)


@pytest.fixture(scope="module")
def search() -> Search:
    """The clock counts its readings, so that the machine does not matter."""
    ticks = itertools.count()
    settings = RouteSettings(seconds=25.0, helping=200.0, clock=lambda: float(next(ticks)))
    return find_route(POSTS, ROBOT, START, [GOAL], settings)


def test_a_gap_is_told_with_posts_that_would_help(search):
    assert search.route is None and search.nearest is not None
    assert 1 <= len(search.helpful) <= 3
    for one in search.helpful:
        assert one.to_go <= search.nearest.to_go - min(0.25, 0.5 * search.nearest.to_go)
        assert 2.0 < one.post.x < 2.9


def test_they_stand_where_nothing_else_does(search):
    for one in search.helpful:
        gaps = [math.hypot(one.post.x - post.x, one.post.y - post.y) for post in POSTS]
        assert min(gaps) > 0.1
    for one, other in itertools.combinations(search.helpful, 2):
        assert math.hypot(one.post.x - other.post.x, one.post.y - other.post.y) >= 0.14
