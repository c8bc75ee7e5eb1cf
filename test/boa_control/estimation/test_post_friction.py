# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction of posts and floor from forces along the links."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.estimation.post_friction import POSTS_DOUBT, PostFrictionObserver

WEIGHT = 5.8  # N
LINKS = 13


def observed(posts: float, floor: float, samples: int, direction: int) -> PostFrictionObserver:
    """Told nothing, with the noise of a sensor; one link in three has a post, one is silent."""
    rng = np.random.default_rng(2)
    observer = PostFrictionObserver(0.0, 0.0, WEIGHT, memory=200.0)
    for _ in range(samples):
        normal = rng.uniform(2.0, 10.0, LINKS) * (rng.random(LINKS) < 1 / 3)
        along = -direction * (posts * normal + floor * WEIGHT) + rng.normal(0.0, 0.3, LINKS)
        along[rng.integers(LINKS)] = np.nan
        normal[rng.integers(LINKS)] = np.nan
        observer.update(along, normal, direction)
    return observer


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize(("posts", "floor"), [(0.0, 0.0), (0.2, 0.0), (0.1, 0.04), (0.0, 0.05)])
def test_both_are_told_apart(posts: float, floor: float, direction: int) -> None:
    estimate = observed(posts, floor, 200, direction).estimate
    assert estimate.posts == pytest.approx(posts, abs=2 * estimate.posts_std)
    assert estimate.floor == pytest.approx(floor, abs=2 * estimate.floor_std)
    assert estimate.posts_std < 0.03


def test_nothing_is_known_before_the_first_sample_and_after_a_reset() -> None:
    observer = PostFrictionObserver(0.1, 0.02, WEIGHT, memory=200.0)
    before = observer.estimate
    assert before[:2] == pytest.approx((0.1, 0.02)) and before.posts_std == POSTS_DOUBT
    observer.update(np.full(LINKS, -3.0), np.full(LINKS, 5.0), 1)
    assert observer.estimate.posts > 0.1
    observer.reset()
    assert observer.estimate == before
