# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Paths to new ground: known posts hold the body all along, and where they end it has not been."""

from __future__ import annotations

import time

import numpy as np
import pytest

from boa_control.controllers.new_path import NewPath
from boa_control.experiments.library import load_scenario
from boa_control.paths.named import segment_curve
from boa_control.planning.explore import Frontier, explore_route
from boa_control.planning.lying import LyingBody
from boa_control.planning.route import RouteSettings
from boa_control.planning.search.region import Beyond
from boa_description.load import load_robot

ROBOT = load_robot("boa13")
BODY = ROBOT.links * ROBOT.link.pitch
# the first path of the tour, and of its field only the six posts that it touches
TOUR = load_scenario("boa_tour").path
PATH = NewPath(path=TOUR, leaves=0.0, progress=0.0).with_contacts_only().path
CURVE = segment_curve(PATH)
LYING = LyingBody(PATH, CURVE.length - 0.02, BODY + 0.02)
TRACKS = CURVE.position(np.arange(0.0, LYING.head, 0.02))
AHEAD = Beyond((1.0, 0.0), 9.0)
SETTINGS = RouteSettings(seconds=100.0, clock=time.process_time)


@pytest.fixture(scope="module")
def route():
    route = explore_route(PATH.posts, ROBOT, LYING, Frontier(AHEAD, TRACKS, 0.1), SETTINGS)
    assert route is not None
    return route


def test_the_head_ends_where_it_has_not_been(route):
    curve = segment_curve(route.settings)
    end = curve.position(np.array(curve.length))
    assert np.hypot(*(TRACKS - end).T).min() >= 0.1


def test_the_path_begins_as_the_robot_lies(route):
    curve = segment_curve(route.settings)
    s = np.linspace(0.3, route.branch, 20)
    before = CURVE.position(s + route.leaves - route.branch)
    assert curve.position(s) == pytest.approx(before, abs=1e-6)
    assert BODY <= route.leaves <= LYING.head


def test_known_posts_close_the_body_up_to_the_end(route):
    assert route.report.closure.margin.min() >= 0.05
    assert len({contact.post for contact in route.settings.contacts}) <= len(PATH.posts)


def test_where_all_ground_is_known_there_is_no_path():
    x, y = np.meshgrid(np.arange(-1.0, 6.0, 0.05), np.arange(-1.0, 4.0, 0.05))
    everywhere = np.column_stack([x.ravel(), y.ravel()])
    known = Frontier(AHEAD, everywhere, 0.1)
    assert explore_route(PATH.posts, ROBOT, LYING, known, SETTINGS) is None
