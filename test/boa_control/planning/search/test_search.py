# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The search in fields that people can look at, and in random ones: what it promises holds."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.paths.segments import SegmentRun, Segments
from boa_control.planning.fields import random_field
from boa_control.planning.quest import roots_in
from boa_control.planning.search.body import Body
from boa_control.planning.search.field import PostField
from boa_control.planning.search.found import FoundPath, merged, open_path
from boa_control.planning.search.goals import RegionGoal
from boa_control.planning.search.graph import LineGraph
from boa_control.planning.search.joins import JoinSettings
from boa_control.planning.search.lines import LineSettings, contact_lines
from boa_control.planning.search.region import Around, Beyond
from boa_control.planning.search.search import START, Demands, PathSearch
from boa_control.planning.search.track import Track, pinch, previous_joints
from boa_control.planning.search.tree import Reached
from boa_control.planning.search.way import chords, sample
from boa_control.planning.search.windows import contact_wrenches, margin
from boa_description.load import load_robot
from test.boa_control.planning.hexagonal import hexagonal

ROBOT = load_robot("boa13")
SETTINGS = LineSettings()
RADIUS = 0.05
STRAIGHT = 0.3  # m
LEFT, RIGHT = Beyond((-1.0, 0.0), -0.45), Beyond((1.0, 0.0), 2.75)


class Quest:
    """A search from one region to another, and its paths."""

    def __init__(self, field: PostField, start=LEFT, goal=RIGHT, demands=None) -> None:
        lines = contact_lines(field, ROBOT.link.radius, SETTINGS)
        self.graph = LineGraph(lines, field, ROBOT, JoinSettings(), SETTINGS.clearance)
        self.goal = RegionGoal(self.graph, goal)
        self.roots = roots_in(self.graph, start)
        body = Body.of(ROBOT)
        self.search = PathSearch(self.graph, body, self.roots, self.goal, demands or Demands())

    def first(self, **limits) -> FoundPath | None:
        nodes = self.search.run(**limits)
        node = next((node for node in nodes if node is not None), None)
        return None if node is None else self.path(node)

    def path(self, node: Reached) -> FoundPath:
        to_go = float(self.goal.to_go[node.line])
        return open_path(self.graph, node, self.goal.lead(node.line), to_go)


POSTS = np.array(hexagonal(0.32, 3.2, 1.6, np.radians(15)))
FIELD = PostField(POSTS, np.full(len(POSTS), RADIUS), np.zeros(len(POSTS)))


@pytest.fixture(scope="module")
def path() -> FoundPath:
    found = Quest(FIELD).first()
    assert found is not None
    return found


def test_the_path_begins_and_ends_where_it_should(path):
    way = sample(path.start, path.heading, path.segments)
    assert way.points[0, 0] <= 0.45
    assert way.points[-1, 0] >= 2.75
    assert path.to_go == 0.0
    assert path.length == pytest.approx(way.s[-1])


def contact_frames(path: FoundPath) -> tuple[np.ndarray, np.ndarray]:
    """Points of the path at its contacts and normals to its left there, shape (n, 2) each."""
    lengths, bends = np.array(path.segments).T
    curve = SegmentRun(Segments(path.start, path.heading, lengths, bends))
    at = np.array([contact.s for contact in path.contacts])
    heading = curve.heading(at)
    return curve.position(at), np.column_stack([-np.sin(heading), np.cos(heading)])


def sides(path: FoundPath) -> np.ndarray:
    return np.array([[contact.side] for contact in path.contacts])


def test_every_contact_is_where_its_post_touches_the_body(path):
    points, left = contact_frames(path)
    centres = points + sides(path) * (RADIUS + ROBOT.link.radius) * left
    posts = [contact.post for contact in path.contacts]
    assert centres == pytest.approx(FIELD.centres[posts], abs=1e-9)


def test_links_on_the_path_keep_clear_of_all_other_posts(path):
    starts, ends = chords(sample(path.start, path.heading, path.segments), ROBOT.link.pitch)
    touched = [contact.post for contact in path.contacts]
    others = np.setdiff1d(np.arange(FIELD.radii.size), touched)
    gaps = FIELD.gaps(starts, ends, others) - ROBOT.link.radius
    assert gaps.min() >= SETTINGS.clearance - 2e-4
    own = FIELD.gaps(starts, ends, np.array(touched)) - ROBOT.link.radius
    assert own.min() >= -1.2e-3


def window_margins(path: FoundPath) -> tuple[np.ndarray, np.ndarray]:
    """Arc lengths of the head, every millimetre, and margins there, from the contacts alone, the
    less of those with and without the contacts at the ends of the body.
    """
    at = np.array([contact.s for contact in path.contacts])
    points, left = contact_frames(path)
    normals = -sides(path) * left
    wrenches = contact_wrenches(points - ROBOT.link.radius * normals, normals)
    body = ROBOT.links * ROBOT.link.pitch
    heads = np.arange(body, path.length, 1e-3)
    margins = [
        min(
            margin(wrenches[(at > head - body + zone) & (at <= head - zone)])
            for zone in (0.0, 0.03)
        )
        for head in heads
    ]
    return heads, np.array(margins)


def test_every_window_of_a_body_has_the_margin(path):
    _, margins = window_margins(path)
    assert margins.min() >= path.margin - 1e-6
    assert path.margin >= Demands().margin


def test_more_margin_can_be_asked_for():
    found = Quest(FIELD, demands=Demands(margin=0.3)).first()
    assert found.margin >= 0.3


def test_more_margin_can_be_asked_for_at_the_start_alone():
    posts = PostField.of(random_field(0.24, seed=7, width=3.5, height=1.8).circles)
    goal = Beyond((1.0, 0.0), 3.0)
    for asked in (0.0, 0.45):
        demands = Demands(start_margin=asked)
        heads, margins = window_margins(Quest(posts, goal=goal, demands=demands).first())
        beginning = heads <= heads[0] + START
        assert (margins[beginning].min() >= 0.45 - 1e-6) == (asked > 0.0)
        assert margins[~beginning].min() < 0.45


def test_the_same_question_has_the_same_answer(path):
    again = Quest(FIELD).first()
    assert again.segments == path.segments and again.contacts == path.contacts


def test_a_field_with_a_gap_is_not_crossed_and_says_how_far_it_came():
    x = FIELD.centres[:, 0]
    clear = (x < 2.0) | (x > 2.7)
    quest = Quest(PostField(FIELD.centres[clear], FIELD.radii[clear], FIELD.std[clear]))
    assert quest.first(steps=600) is None
    assert quest.search.nearest is not None
    assert 0.0 < quest.path(quest.search.nearest).to_go < 1.5


class TriedAnyway(PathSearch):
    """Works out the way to dead ends, too, and whether anything could follow there."""

    refused, followed = 0, 0

    def _may_go_on(self, node: Reached) -> bool:
        if super()._may_go_on(node):
            return True
        again = Reached(node.line, node.parent, node.s, node.price)
        if node.parent is not None and self.verify(again):
            self.refused += 1
            self.followed += self._leads_on(again)
        return False


def test_a_node_is_refused_before_its_way_is_known_only_where_none_could_follow():
    field = random_field(0.30, seed=5, width=3.5, height=1.8)
    quest = Quest(PostField.of(field.circles), goal=Beyond((1.0, 0.0), 3.0))
    search = TriedAnyway(quest.graph, Body.of(ROBOT), quest.roots, quest.goal, Demands())
    for _ in search.run(steps=200):
        pass
    assert search.refused > 50
    assert search.followed == 0


def pinch_of(path: FoundPath) -> float:
    """Of all contacts of a path, on the path alone with straight pieces before and behind it."""
    along = np.array([np.cos(path.heading), np.sin(path.heading)])
    begin = path.start - STRAIGHT * along
    pieces = ((STRAIGHT, 0.0), *path.segments, (STRAIGHT, 0.0))
    way = sample(begin, path.heading, pieces, 2e-3)
    first = int(np.searchsorted(way.s, ROBOT.link.pitch)) + 1
    behind = previous_joints(way.s, way.points, first, ROBOT.link.pitch)
    previous = np.concatenate([way.s[:first] - ROBOT.link.pitch, behind])
    at = np.array([contact.s for contact in path.contacts]) + STRAIGHT
    return pinch(Track(way.s, way.points, way.heading, previous), at, sides(path)[:, 0])


def test_with_a_price_joints_pass_their_posts_less_bent():
    posts = PostField.of(random_field(0.24, seed=7, width=3.5, height=1.8).circles)
    goal = Beyond((1.0, 0.0), 3.0)
    free, priced = (
        Quest(posts, goal=goal, demands=Demands(pinch_price=price)).first() for price in (0.0, 8.0)
    )
    assert 0.0 < pinch_of(priced) < 0.75 * pinch_of(free)


def test_no_start_among_no_posts():
    nothing = PostField(np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    quest = Quest(nothing)
    assert not quest.roots
    assert quest.first() is None


def test_a_wanted_heading_at_the_goal_is_kept():
    goal = Around(2.6, 0.8, 0.35, heading=0.3)
    found = Quest(FIELD, goal=goal).first()
    way = sample(found.start, found.heading, found.segments)
    assert np.hypot(*(way.points[-1] - [2.6, 0.8])) <= 0.35 + 1e-9
    assert abs(way.heading[-1] - 0.3) <= goal.heading_tolerance + 1e-9


def test_merged_joins_straight_pieces_only():
    assert merged(((0.1, 0.0), (0.2, 0.0), (0.1, 2.0), (0.1, 2.0))) == (
        (pytest.approx(0.3), 0.0),
        (0.1, 2.0),
        (0.1, 2.0),
    )
