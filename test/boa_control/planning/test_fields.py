# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fields of posts: as far apart as they should be, full, and the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from boa_control.planning.fields import grid_field, random_field
from boa_description.errors import BoaError


def points(posts) -> np.ndarray:
    return np.array([[post.x, post.y] for post in posts.posts])


def test_a_random_field_keeps_its_distance_and_is_full():
    """The places are rounded to 0.1 mm. Full: hardly a random place is free."""
    at = points(random_field(0.3, seed=7, width=2.0, height=1.5))
    nearest = cKDTree(at).query(at, k=2)[0][:, 1]
    assert nearest.min() >= 0.3 - 2e-4
    probes = np.random.default_rng(1).uniform([0, 0], [2.0, 1.5], (2000, 2))
    assert (cKDTree(at).query(probes)[0] >= 0.3).mean() < 0.005


def test_a_seed_is_a_field():
    assert random_field(0.4, 3, 2, 2) == random_field(0.4, 3, 2, 2)
    assert random_field(0.4, 3, 2, 2) != random_field(0.4, 4, 2, 2)


@pytest.mark.parametrize(("kind", "neighbours"), [("square", 4), ("hexagonal", 6)])
def test_grids_have_their_pitch_and_neighbours(kind, neighbours):
    at = points(grid_field(kind, 0.3, turn=0.4, width=3.0, height=3.0))
    inner = np.flatnonzero((np.abs(at - 1.5) < 0.9).all(axis=1))
    around = cKDTree(at).query_ball_point(at[inner], 0.301)
    assert {len(posts) - 1 for posts in around} == {neighbours}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"least_distance": 0.08}, "stand in each other"),
        ({"width": 5000.0}, "lengths in m"),
        ({"least_distance": 280.0}, "no room for two; give lengths in m"),
    ],
)
def test_what_makes_no_field_is_refused(change, words):
    with pytest.raises(BoaError, match=words):
        random_field(**({"least_distance": 0.28, "seed": 0} | change))
