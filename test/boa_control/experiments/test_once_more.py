# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scenario of a second pass."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.feeling.trail import Trail
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.once_more import once_more
from boa_control.experiments.scenario import Scenario
from boa_control.planning.post_map import MappedPost, PostMap
from boa_description.errors import BoaError
from boa_description.scene import Circle

TRAIL = Trail(0.02 * np.arange(5) + 1.5j, np.zeros(5), np.ones(5))
TRUE = [(0.3, 1.4), (0.6, 1.7), (1.0, 1.2)]
FELT = PostMap(
    posts=tuple(
        MappedPost(x=x, y=y, radius=0.05, std=0.004)
        for x, y in [(0.605, 1.702), (0.64, 1.72), (0.299, 1.4)]
    )
)


def first() -> Scenario:
    posts = [Circle(kind="circle", x=x, y=y, radius=0.05).model_dump() for x, y in TRUE]
    return changed(load_scenario("boa_blind_field"), {"disturbance.unmapped.posts": posts})


def test_the_same_posts_stand_and_those_that_were_felt_are_on_the_map() -> None:
    """A post that was felt twice stands once."""
    again = once_more(first(), TRAIL, FELT, 0.08)
    prepare(again)
    given, told = again.disturbance, again.scene.obstacles
    assert [(post.x, post.y) for post in told if isinstance(post, Circle)] == [
        (post.x, post.y) for post in FELT.posts
    ]
    assert dict(zip(given.moved.posts, given.moved.to, strict=True)) == {0: TRUE[1], 2: TRUE[0]}
    assert given.missing.posts == (1,)
    assert [(post.x, post.y) for post in given.unmapped.posts if isinstance(post, Circle)] == [
        TRUE[2]
    ]
    parameters = again.controller.parameters
    assert parameters["fast"] == 0.08 and len(parameters["trail"]) == 5
    assert parameters["trail"][2] == [0.04, 1.5, 0.0, 1.0]


def test_once_more_and_once_more_again() -> None:
    """What stands is the same each time."""
    once = once_more(first(), TRAIL, FELT, 0.08)
    twice = once_more(once, TRAIL, FELT, 0.08)
    assert twice.disturbance == once.disturbance and twice.scene == once.scene


def test_a_robot_needs_no_posts_that_stand() -> None:
    """The scenario of a robot has none: then it has no disturbance."""
    real = changed(first(), {"disturbance.unmapped.posts": []})
    assert once_more(real, TRAIL, FELT, 0.08).disturbance == real.disturbance


def test_posts_that_were_drawn_cannot_be_set_up_once_more() -> None:
    drawn = changed(first(), {"disturbance.obstacle_offset": 0.02})
    with pytest.raises(BoaError, match="give their places"):
        once_more(drawn, TRAIL, FELT, 0.08)
