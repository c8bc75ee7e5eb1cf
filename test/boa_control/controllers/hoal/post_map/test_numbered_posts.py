# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Posts by the numbers of the map on which a run began."""

from __future__ import annotations

import numpy as np

from boa_control.controllers.hoal.post_map.landmarks import NOWHERE, NumberedPosts
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.paths.path import PlannedPath

GIVEN = prepare(load_scenario("boa_offset_10mm")).path
assert GIVEN is not None
PATH = GIVEN
COUNT = len(PATH.posts)
ODD = tuple(2 * k + 1 for k in reversed(range(COUNT)))
RENUMBERED = PlannedPath(PATH.curve, PATH.contacts, PATH.bystanders, ODD)


def test_places_have_the_numbers_of_the_contacts() -> None:
    """On a path that the robot went over to they are those of the first map, with gaps."""
    for path in (PATH, RENUMBERED):
        posts, of = NumberedPosts.of(path), list(path.post_of)
        assert np.array_equal(posts.places[of], [[at.x, at.y] for at in path.contacts])
        assert np.array_equal(posts.radius[of], [at.radius for at in path.contacts])
    assert len(posts.places) == 2 * COUNT
    assert (posts.places[::2] == NOWHERE).all() and (posts.radius[::2] == 0).all()


def test_a_later_map_keeps_the_posts_that_it_lacks() -> None:
    first, second = NumberedPosts.of(PATH), NumberedPosts.of(RENUMBERED)
    for one, other in ((first, second), (second, first)):
        both = one.and_those_of(other)
        own, only = np.flatnonzero(one.radius), np.flatnonzero(other.radius)
        only = np.setdiff1d(only, own)
        assert np.array_equal(both.places[own], one.places[own])
        assert np.array_equal(both.places[only], other.places[only])
        assert both.radius.size == 2 * COUNT
        assert np.count_nonzero(both.radius) == own.size + only.size
