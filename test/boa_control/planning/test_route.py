# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a field to a checked path: the project's own check agrees with what the search promises."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from boa_control.paths.construct import build_path
from boa_control.planning.checks.along_path import PathScan
from boa_control.planning.checks.friction import Rubbing
from boa_control.planning.checks.limits import Load, feasible
from boa_control.planning.find import STAGES, find_route
from boa_control.planning.quest import Quest, too_little_closure
from boa_control.planning.route import RouteSettings
from boa_control.planning.search.region import Around
from boa_control.planning.search.search import Demands
from boa_description.load import load_robot
from boa_description.scene import Circle
from test.boa_control.planning.hexagonal import hexagonal

ROBOT = load_robot("boa13")
START, GOAL = Around(0.3, 0.5, 0.3), Around(3.0, 0.6, 0.35)


POSTS = tuple(Circle(x=x, y=y, radius=0.05) for x, y in hexagonal(0.32, 3.2, 1.3, 0.26))


@pytest.fixture(scope="module")
def found():
    settings = RouteSettings(seconds=600.0, refine=0.0, demands=Demands(margin=0.35))
    return find_route(POSTS, ROBOT, START, [GOAL], settings)


def test_the_check_of_paths_agrees(found):
    assert found.route is not None and found.reason == ""
    report = found.route.report
    assert report.ok
    assert (report.closure.order == 1).all()
    assert report.closure.margin.min() >= found.route.found.margin - 0.1
    assert report.limits.preload.min() > 0.0


def test_the_path_is_one_that_a_scenario_can_have(found):
    path = build_path(found.route.settings, ROBOT)
    assert len(path.contacts) == len(found.route.found.contacts)
    assert len(path.contacts) + len(path.bystanders) == len(POSTS)
    scan = PathScan(path, ROBOT)
    assert scan.reference.extent[0] < scan.reference.extent[1]


def test_a_path_is_searched_on_which_posts_and_floor_may_rub(found):
    """The check agrees; without that wish none is searched."""
    rough = RouteSettings(
        seconds=600.0, refine=0.0, friction_seconds=300.0, most=Rubbing(0.2, 0.02)
    )
    better = find_route(POSTS, ROBOT, START, [GOAL], rough).route
    assert found.route is not None and better is not None
    assert found.route.share == 0.0 and better.share >= 0.5
    assert better.report.withstood.min() >= 0.9 * better.share
    scan = PathScan(build_path(better.settings, ROBOT), ROBOT, spacing=0.1)
    bearable = better.report.bearable
    load = Load(friction=0.9 * bearable.floor, least=0.5, posts=0.9 * bearable.posts)
    assert all(feasible(scan, sample, load) for sample in scan.samples)
    assert bearable.posts >= 0.09


def test_where_there_is_room_contacts_are_far_from_bends(found):
    assert found.route is not None
    lengths, curvatures = np.array(found.route.found.segments).T
    ends = np.cumsum(lengths)
    for contact in found.route.found.contacts:
        piece = int(np.searchsorted(ends, contact.s))
        assert curvatures[piece] == 0.0
        before = contact.s - (ends[piece] - lengths[piece])
        assert min(before, ends[piece] - contact.s) >= STAGES[0].half - 1e-9


def test_where_no_way_is_the_reason_is_told():
    few = POSTS[:3]
    nothing = find_route(few, ROBOT, START, [GOAL], RouteSettings(seconds=5.0))
    assert nothing.route is None
    assert "begin among more posts" in nothing.reason or "no post" in nothing.reason


def test_a_search_that_time_has_ended_says_so():
    readings = count().__next__
    nothing = find_route(POSTS, ROBOT, START, [GOAL], RouteSettings(seconds=0.5, clock=readings))
    assert nothing.route is None
    assert nothing.reason.endswith(("search longer", "a longer search may come nearer"))


def test_a_search_ended_from_the_keyboard_says_so(found):
    def stop(_: float) -> None:
        raise KeyboardInterrupt

    ended = find_route(POSTS, ROBOT, START, [GOAL], RouteSettings(seconds=600.0), stop)
    assert ended.interrupted and ended.route is None
    assert ended.reason == "interrupted"
    assert not found.interrupted


def test_a_first_margin_is_demanded_first_and_given_up_where_there_is_none(found):
    assert found.route is not None
    readings = count(0.0, 0.1).__next__  # s; read twice each 100 steps: a head start has 15 times
    settings = RouteSettings(seconds=50.0, clock=readings, refine=0.0, first_margin=0.2)
    good = find_route(POSTS, ROBOT, START, [GOAL], settings).route
    assert good is not None and good.found.margin >= 0.2
    less = find_route(POSTS, ROBOT, START, [GOAL], replace(settings, first_margin=0.99)).route
    assert less is not None and settings.demands.margin <= less.found.margin < 0.99


def test_a_start_with_less_margin_than_demanded_is_taken_where_there_is_no_other():
    readings = count().__next__  # of them 8 pass in vain
    demands = Demands(start_margin=0.99)
    settings = RouteSettings(seconds=100.0, clock=readings, refine=0.0, demands=demands)
    assert find_route(POSTS, ROBOT, START, [GOAL], settings).route is not None


def test_a_path_with_less_margin_than_demanded_is_refused(found):
    report = found.route.report
    least = report.closure.margin.min()
    assert too_little_closure(report.closure, least) == ""
    why = too_little_closure(report.closure, least + 0.01)
    assert f"margin of closure of {least:.2f}" in why and f"{least + 0.01:.2f} is demanded" in why


def test_a_search_that_has_tried_everything_is_not_repeated(monkeypatch):
    """With one line, the last stage would be the third one again."""
    halves = []
    routes = Quest.routes

    def recorded(self, attempt):
        halves.append((attempt.graph.lines.half, attempt.demands.margin))
        return routes(self, attempt)

    monkeypatch.setattr(Quest, "routes", recorded)
    settings = RouteSettings(seconds=1e6, refine=0.0, helping=0.0)
    assert find_route(POSTS[:3], ROBOT, START, [GOAL], settings).route is None
    assert len(halves) == len(set(halves)) == len(STAGES) - 1


def post(std: float | None) -> Circle:
    return Circle(x=0.0, y=0.0, radius=0.05, std=std)


def test_where_posts_may_stand_elsewhere_more_margin_and_brakes_are_demanded():
    usual = RouteSettings()
    assert usual.on_map((post(None), post(0.0))) == usual
    unsure = usual.on_map((post(0.004), post(0.004)))
    assert unsure.unsure and unsure.first_margin > usual.first_margin
    assert unsure.demands.effective_mass < usual.demands.effective_mass
    assert unsure.demands.start_margin > usual.demands.margin
    one = usual.on_map((post(0.004), post(0.0)))
    assert usual.first_margin < one.first_margin < unsure.first_margin
    told = replace(usual, map_error=0.004)
    assert told.on_map((post(None), post(None))).first_margin == unsure.first_margin
    assert told.on_map((post(0.0), post(0.0))) == told
    worst = [usual.on_map((post(std),)).first_margin for std in (0.02, 0.05)]
    assert worst[0] == worst[1] < 0.5
