# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A post that is on no map becomes part of the plan, and the robot goes on past it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from boa_control.controllers.hoal.post_map.candidate import AgreedPlace, Reading, beside
from boa_control.controllers.hoal.post_map.landmarks import NumberedPosts
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.paths.path import PathContact
from boa_sim.wrong_map import unmapped
from boa_tools.runs.drive import run_experiment
from boa_tools.runs.runlog import RunLog, held_force
from test.boa_control.controllers.hoal.offset_circle import BOA, PATH, TABLE
from test.boa_control.controllers.hoal.robot_rate import at_robot_rate

AGREE = SHIPPED.post_map.agree
AGREED = SHIPPED.post_map.agreed


@pytest.mark.parametrize("std", [0.005, 0.015])
def test_readings_must_agree_in_a_row_as_far_as_they_err(std: float) -> None:
    place = AgreedPlace()
    first, blow = Reading(1.0, std), Reading(1.0 + 0.1j, std)
    near = [first, *(Reading(1.0 + 0.9j * AGREE * std, std) for _ in range(AGREED - 2))]
    far = Reading(1.0 + 1.1j * AGREE * std, std)
    for other in (blow, far):
        assert not any(place.confirmed(found) for found in near)
        assert not place.confirmed(other)
    place.reset()
    assert not any(place.confirmed(found) for found in near)
    assert place.confirmed(first)
    place.reset()
    assert not place.confirmed(first)


@pytest.mark.parametrize("post", PATH.contacts[::5])
@pytest.mark.parametrize("laps", [0, 1])
def test_a_post_of_the_map_gives_its_contact_again(post: PathContact, laps: int) -> None:
    """Moved by 30 mm across the path, too; the body is in its second lap."""
    s = post.s + laps * PATH.curve.length
    body = TABLE.at(s).sigma
    heading = PATH.curve.heading(np.array([s]))[0]
    away = -0.03 * post.side * 1j * np.exp(1j * heading)
    for place in (complex(post.x, post.y), complex(post.x, post.y) + complex(away)):
        found = beside(PATH.curve, body, place, post.radius, BOA.link.radius)
        assert found.side == post.side
        assert found.s == pytest.approx(post.s, abs=1e-3)
        assert (found.x, found.y) == pytest.approx((post.x, post.y), abs=2e-3)


def test_it_is_numbered_behind_all_others() -> None:
    posts = NumberedPosts.of(PATH).and_one(0.1 + 0.2j, 0.03)
    assert posts.places[-1].tolist() == [0.1, 0.2]
    assert posts.radius[-1] == 0.03
    assert len(posts.places) == len(PATH.posts) + 1


def met_with_care(post: dict[str, object], progress: float, duration: float) -> Scenario:
    """A run of 0.3 m at the blind speed that begins at `progress`, m, before an unmapped post."""
    return changed(
        at_robot_rate(load_scenario("boa_unmapped_careful")),
        {
            "disturbance": {"unmapped": {"posts": [post]}},
            "initial.progress": progress,
            "distance": 0.3,
            "duration": duration,
        },
    )


def largest_joint_force(log: RunLog) -> float:
    return float(np.nanmax(np.linalg.norm(held_force(log)[..., :2], axis=-1)))


@pytest.mark.closed_loop
def test_closed_loop_the_robot_bends_past_a_post_that_is_on_no_map() -> None:
    """20 mm in the way at the blind speed: without it in the plan the robot stopped there, or was
    lost. By the end the post has come from the nose to link 10, and the corrected map has it to
    5 mm.
    """
    post = {"s": 2.365, "side": "left", "into": 0.02}
    scenario = met_with_care(post, progress=1.375, duration=18.0)
    experiment = prepare(scenario)
    (true,) = unmapped(experiment, experiment.obstacles, 0)
    log = run_experiment(experiment).log
    told = [event.text for event in log.events]
    (where,) = [text for text in told if text.startswith("a post that the map has not there")]
    x, y = map(float, re.findall(r"-?\d+\.\d+", where))
    assert np.hypot(x - true.x, y - true.y) <= 0.01
    assert not any(text.startswith("lost") or text.endswith("not there") for text in told)
    assert log.debug["progress_m"][-1] >= 1.375 + 0.29
    assert largest_joint_force(log) <= 40.0
    last = log.maps[-1].corrected
    (found,) = [seen for seen in last.posts if seen.kind == "unexpected"]
    assert found.number == len(experiment.obstacles)
    assert np.hypot(found.x - true.x, found.y - true.y) <= 0.005


@pytest.mark.closed_loop
def test_closed_loop_the_robot_stops_where_posts_leave_no_way_between_them() -> None:
    """42 mm, the body is 80 mm wide; the corrected map has the post."""
    post = {"s": 1.522, "side": "right", "into": 0.0402}
    scenario = met_with_care(post, progress=0.432, duration=5.3)
    log = run_experiment(prepare(scenario)).log
    told = [event.text for event in log.events]
    assert any(text.startswith("stopped: no way past a post") for text in told), told
    assert largest_joint_force(log) <= 40.0
    last = log.maps[-1].corrected
    assert [seen.number for seen in last.posts if seen.kind == "unexpected"]
