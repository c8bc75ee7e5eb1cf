# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Posts off their places: their record, gaps that joints show, how a post is approached."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.contacts.detection import Engagement
from boa_control.controllers.hoal.contacts.plan import ContactPlan, SameContacts
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.post_map.displaced_map import DisplacedMap
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.paths.path import PlannedPath
from boa_description.scene import Circle
from boa_tools.evaluation.contact_metrics import chatter, contact_history
from boa_tools.runs.drive import run_experiment
from test.boa_control.controllers.hoal.offset_circle import (
    BOA,
    MODEL,
    PATH,
    PERIOD,
    SCHEDULE,
    frame,
    moving,
    with_one_unfelt,
)
from test.boa_control.controllers.hoal.robot_rate import at_robot_rate
from test.boa_control.controllers.hoal.ticks import engaged
from test.boa_control.estimation.test_touch_points import balanced, frame_of

APPROACH = SHIPPED.contacts.approach
GAP_LIMIT = SHIPPED.law.acceleration
LEAD = SHIPPED.post_map.lead
SEARCH_SPEED = SHIPPED.post_map.search_speed


def test_what_was_found_on_one_path_is_known_on_the_next() -> None:
    """The next path has every other post, one of them moved, and one that was unexpected before."""
    parameters = Parameters(map_error=0.007)
    before = DisplacedMap(BOA, MODEL, SCHEDULE, PATH, PERIOD, parameters)
    posts = before._posts.belief
    posts.mean = posts.mean + 0.01
    posts.sightings[np.arange(24) != 5] = 20
    posts.covariance = 0.04 * posts.covariance
    before._record.miss([5])
    before._record.add(0.0 + 0.0j, 0.004, posts)
    before._record.add(3.0 + 0.0j, 0.004, posts)
    news = before.news()
    assert news is not None and [post.number for post in news.posts[-2:]] == [24, 25]

    kept = [post for k, post in enumerate(PATH.posts) if k % 2 == 0]
    moved = kept[0].model_copy(update={"y": kept[0].y + 0.06})
    bystanders = (moved, *kept[1:], Circle(x=0.0, y=0.01, radius=0.05))
    numbers = (*range(0, len(PATH.posts), 2), 24)
    after_path = PlannedPath(PATH.curve, (), bystanders, numbers)
    after = DisplacedMap(BOA, MODEL, SCHEDULE, after_path, PERIOD, parameters)
    none = np.zeros(0, dtype=np.intp)
    after.go_on_from(before, SameContacts(none, none))
    news = after.news()
    assert news is not None and news.missing == (5,)
    found = {post.number: post for post in news.posts}
    assert sorted(found) == sorted({*range(26)} - {5})
    for number, post in enumerate(PATH.posts):
        if number not in (0, 5):
            assert found[number].x == pytest.approx(post.x + 0.01)
            assert found[number].kind == "touched"
    assert found[0].kind == found[24].kind == "mapped", "moved, and unexpected before"
    assert found[0].y == moved.y
    assert (found[25].kind, found[25].x) == ("unexpected", 3.0)


def test_a_place_without_posts_teaches_nothing() -> None:
    learning = DisplacedMap(BOA, MODEL, SCHEDULE, PATH, PERIOD, Parameters(map_error=0.007))
    state, _ = learning.fit(MODEL.at(1.0), np.zeros(BOA.joints))
    contacts = learning.plan(state)
    contacts = contacts.select(np.zeros(contacts.contact.size, bool))
    nothing, none = np.zeros(0), np.zeros(0, bool)
    still = frame(state.q[3:], np.zeros((BOA.joints, 2)), np.zeros((BOA.links, 2)))
    detected = learning.update(
        engaged(state, still, contacts=contacts, level=nothing, force=nothing, silent=none)
    )
    learning.unexpected(3)
    assert detected.size == 0 and learning.news() is None


def test_posts_that_are_seen_again_from_the_same_place_tell_nothing_new() -> None:
    """Who touches may change from tick to tick; what is wrong with the torques stays."""
    learning = DisplacedMap(BOA, MODEL, SCHEDULE, PATH, PERIOD, Parameters(map_error=0.007))
    interval = round(SHIPPED.steering.update_time / PERIOD)

    def seen(s: float, intervals: int) -> int:
        """How often the post that was seen most often has been, after standing there."""
        state, _ = learning.fit(MODEL.at(s), np.zeros(BOA.joints))
        contacts = learning.plan(state)
        touched, passed_on = frame_of(contacts, state, balanced(contacts, state))
        inside = contacts.inside > 0.03
        for tick in range(intervals * interval):
            touching = inside & (np.arange(inside.size) != tick // interval % 2)
            rest = {"level": touching.astype(float), "passed_on": lambda: passed_on}
            learning.update(engaged(state, touched, contacts=contacts, **rest))
        return int(learning._posts.belief.sightings.max())

    assert seen(0.2, 1) == 1
    assert seen(0.2, 10) == 2, "another post, once"
    assert seen(0.2 + 1.5 * SHIPPED.post_map.sighting_way, 10) == 4


def test_a_post_that_is_not_felt_is_approached_at_the_search_speed() -> None:
    """Its gap is pulled shut from rest and left alone at that speed, up to where the post is
    searched; opening gaps of the others are braked.
    """
    gap, activation = with_one_unfelt()
    posts = DisplacedMap(
        BOA, MODEL, SCHEDULE, PATH, PERIOD, Parameters(map_error=0.007, contact_damping=50.0)
    )

    def slip(detected: np.ndarray, joint_rate: np.ndarray, away: float = LEAD) -> np.ndarray:
        contacts = SCHEDULE.at(MODEL.at(0.25))
        distance = contacts.side * (contacts.reach + away)
        contacts = contacts._replace(activation=np.ones(detected.size), distance=distance)
        plan, state = ContactPlan(contacts, detected, 0.5), MODEL.at(0.25)
        zero = np.zeros(BOA.joints)
        now = frame(zero, zero, np.zeros((BOA.links, 2)))._replace(velocity=joint_rate, imu=None)
        result = posts.slip(gap, engaged(state, now, plan=plan))
        assert result is not None
        return result

    at_rest = slip(activation, np.zeros(BOA.joints))
    np.testing.assert_allclose(at_rest, np.where(activation > 0, 0.0, -50.0 * SEARCH_SPEED))
    there = slip(activation, np.zeros(BOA.joints), away=0.0)
    np.testing.assert_allclose(there, 0.0, atol=1e-12)
    closing = moving(gap, np.where(activation > 0, 0.0, -SEARCH_SPEED), 0)
    np.testing.assert_allclose(slip(activation, closing[3:]), 0.0, atol=50.0 * 0.02 * SEARCH_SPEED)
    all_detected = np.ones_like(activation)
    opening = moving(gap, np.array([0.05, -0.05, *np.zeros(len(gap) - 2)]), 0)
    braking = slip(all_detected, opening[3:])
    assert braking @ (gap @ opening) < 0.0
    assert np.abs(slip(activation, 100.0 * opening[3:])).max() == GAP_LIMIT


def test_a_post_that_was_left_behind_is_approached_anew() -> None:
    engagement, contacts = Engagement(len(PATH.contacts), PERIOD), SCHEDULE.at(MODEL.at(0.25))
    pressed = np.full(contacts.contact.size, 5.0)
    for _ in range(200):
        level = engagement.update(contacts, pressed)
    np.testing.assert_array_equal(level, 1.0)
    others = contacts.select(np.arange(contacts.contact.size) > 0)
    engagement.update(others, pressed[1:])
    level = engagement.update(contacts, np.zeros(contacts.contact.size))
    assert level[0] == APPROACH
    assert engagement.force(contacts)[0] == 0.0
    assert (level[1:] > 0.9).all()


@pytest.mark.closed_loop
def test_posts_10_mm_off_the_map_are_met_gently_and_held() -> None:
    """The start from the first touch on, and a post under the nose that stands further away than
    the map says.
    """
    scenario = load_scenario("boa_offset_10mm").model_dump()
    scenario["duration"], scenario["distance"], scenario["initial"]["progress"] = 6.0, None, 0.1
    experiment = prepare(at_robot_rate(Scenario.model_validate(scenario)))
    result = run_experiment(experiment, seed=0)
    assert result.ended.reason == "duration", result.ended
    history = contact_history(result.log, experiment.obstacles)
    assert history.force is not None
    assert history.force.max() < 50.0
    held = chatter(history.force, history.established, experiment.control_period)
    assert held.lost == 0.0
    assert result.log.debug["progress_m"][-1] > 0.11
