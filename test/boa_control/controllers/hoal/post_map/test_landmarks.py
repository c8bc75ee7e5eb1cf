# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where posts are planned while touch tells where they stand."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.post_map.landmarks import Landmarks
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.estimation.touched_posts import Sighting
from test.boa_control.controllers.hoal.offset_circle import BOA, MODEL, PATH, SCHEDULE

FOLLOW_SPEED = SHIPPED.post_map.follow_speed
SEARCH_LIMIT = SHIPPED.post_map.search_limit
UPDATE_TIME = SHIPPED.steering.update_time

MAP_ERROR = 0.007


NONE = np.zeros(0, dtype=np.intp)


def planned() -> Landmarks:
    return Landmarks(PATH, SCHEDULE, BOA.link.pitch, MAP_ERROR)


def test_posts_move_in_the_plan_no_faster_than_the_reference_follows() -> None:
    """One post that is found far off its place moves the bent body as a whole."""
    posts = planned()
    before = posts.shift.copy()
    posts.belief.mean[3] += 0.004j
    posts.belief.mean[4] += 0.03
    posts.follow()
    step = np.abs(posts.shift - before)
    assert step[3:5] == pytest.approx(FOLLOW_SPEED * UPDATE_TIME)
    assert np.count_nonzero(step) == 2
    for _ in range(4):
        posts.follow()
    assert posts.shift[3] == pytest.approx(before[3] + 0.004j)
    assert abs(posts.shift[4] - before[4]) == pytest.approx(5 * FOLLOW_SPEED * UPDATE_TIME)


def test_a_post_that_is_found_stays_in_the_plan_where_it_was_searched() -> None:
    """From there it goes to where its touch has told, at the speed of the reference: a plan that
    went back to the map first was 42 mm off when a nose had yielded so far (40 mm, seed 76).
    """
    posts, state, searched = planned(), MODEL.at(0.25), np.zeros(len(PATH.contacts))
    contacts = posts.at(state, 0.0, searched)
    found = contacts.inside > 0.2
    searched[contacts.contact[found]] = -0.02
    before = posts.at(state, 0.0, searched)
    posts.assume(before, found, searched)
    after = posts.at(state, 0.0, np.zeros(searched.size))
    np.testing.assert_allclose(after.distance, before.distance, atol=1e-12)
    np.testing.assert_allclose(after.normal, before.normal, atol=1e-12)
    assert np.abs(before.clearance[found]).max() > 0.01


def test_a_post_met_ahead_of_the_body_is_planned_there_at_once() -> None:
    """The place beside the body where it was searched is free."""
    posts = planned()
    before = posts.shift
    posts.belief.mean[3] += 0.06
    posts.belief.mean[4] += 0.06
    posts.plan_located(3)
    assert posts.shift[3] == pytest.approx(0.06)
    assert posts.shift[4] == 0.0 and before[3] == 0.0


def seen(posts: Landmarks, numbers: list[int]) -> Sighting:
    """A sighting of posts where the map has them, from a body turned and moved."""
    turn, base = np.exp(0.4j), 0.3 - 0.2j
    post = np.array(numbers, dtype=np.intp)
    centre = (posts.belief.mean[post] - base) / turn
    std = np.full(post.size, 2e-3)
    return Sighting(post, centre, np.ones(post.size, complex), std, std)


def test_a_post_too_far_off_its_place_is_another_one() -> None:
    posts = planned()
    sighting = seen(posts, [3, 4, 5])
    far = SEARCH_LIMIT * MAP_ERROR + 4e-3
    sighting.centre[2] += far * np.exp(-0.4j)
    assert posts.own(sighting, NONE)[0].post.tolist() == [3, 4, 5], "none is known yet"
    posts.belief.sightings[3:5] = 1
    own, others = posts.own(sighting, NONE)
    assert own.post.tolist() == [3, 4]
    (other,) = others
    assert other.place == pytest.approx(posts.belief.mean[5] + far, abs=1e-6)
    assert other.std == 2e-3


@pytest.mark.parametrize(("off", "own"), [(0.005, [3, 4, 5, 6, 7]), (0.025, [3, 4, 5, 7])])
def test_one_on_the_leading_link_that_touch_has_located_does_not_move(
    off: float, own: list[int]
) -> None:
    """Nearer than others may stand off the map: two posts on one link seem to be one between."""
    posts = planned()
    sighting = seen(posts, [3, 4, 5, 6, 7])
    for _ in range(5):
        posts.belief.update(sighting)
    assert off < SEARCH_LIMIT * MAP_ERROR
    sighting.centre[3] += off * np.exp(-0.4j)
    told, others = posts.own(sighting, np.array([6]))
    assert told.post.tolist() == own
    assert len(others) == 5 - len(own)
    assert posts.own(sighting, NONE)[0].post.size == 5, "others are on one link alone"


def test_the_pose_of_the_body_takes_two_posts() -> None:
    posts = planned()
    assert posts.pose(seen(posts, [3])) is None
    pose = posts.pose(seen(posts, [3, 7]))
    assert pose is not None
    assert pose[0] == pytest.approx(np.exp(0.4j))
    assert pose[1] == pytest.approx(0.3 - 0.2j)


def test_posts_are_astray_only_where_none_of_the_map_could_stand() -> None:
    posts = planned()
    posts.belief.mean[3] += 0.9 * SEARCH_LIMIT * MAP_ERROR
    assert not posts.astray
    posts.belief.mean[3] += 0.2 * SEARCH_LIMIT * MAP_ERROR
    assert posts.astray
    posts.reset()
    assert not posts.astray
