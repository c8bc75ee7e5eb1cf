# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Posts located by a body that touches them: bodies of exact geometry in a field of known posts."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.estimation.touched_posts import Sighting, TouchedPosts, aligned

FIELD = np.array([(0.3 * k, 0.25 * (-1) ** (k // 2)) for k in range(12)])
TRUE = FIELD[:, 0] + 1j * FIELD[:, 1]
PRIOR, ALONG, ACROSS = 0.03, 0.008, 0.002


def moved(seed: int, distance: float = 0.03) -> np.ndarray:
    """A map whose posts are `distance` off, each in its own direction."""
    angle = np.random.default_rng(seed).uniform(0, 2 * np.pi, TRUE.size)
    wrong: np.ndarray = TRUE + distance * np.exp(1j * angle)
    return wrong


def sighting(
    posts: np.ndarray, rng: np.random.Generator, true: np.ndarray = TRUE, noise: float = 1.0
) -> Sighting:
    """Posts seen by a body at a random pose."""
    turn = np.exp(1j * rng.uniform(-3, 3))
    along = np.exp(1j * rng.uniform(-0.6, 0.6, posts.size))
    off = rng.normal(scale=noise * ALONG, size=posts.size)
    across = rng.normal(scale=noise * ACROSS, size=posts.size)
    centre = (true[posts] - complex(*rng.normal(size=2))) / turn + along * (off + 1j * across)
    return Sighting(posts, centre, along, np.full(posts.size, ALONG), np.full(posts.size, ACROSS))


def lap(map_: np.ndarray, seed: int, rounds: int = 4, noise: float = 1.0) -> TouchedPosts:
    """The belief of a body that passes five posts at a time, `rounds` sightings for each place."""
    rng = np.random.default_rng(seed)
    believed = TouchedPosts(np.column_stack([map_.real, map_.imag]), PRIOR)
    for first in range(TRUE.size - 4):
        for _ in range(rounds):
            believed.update(sighting(np.arange(first, first + 5), rng, noise=noise))
    return believed


def test_posts_are_located_up_to_a_rigid_motion() -> None:
    given = moved(1)
    assert np.abs(aligned(given, TRUE) - TRUE).max() > 0.02
    believed = lap(given, 2, rounds=30, noise=0.0)
    assert np.abs(aligned(believed.mean, TRUE) - TRUE).max() < 1e-3


def test_standard_deviations_are_honest() -> None:
    """Shares of errors within one and two of them, over 40 laps with noise."""
    every = np.arange(TRUE.size)
    ratio = []
    for seed in range(40):
        believed = lap(moved(seed, 0.0), seed)
        shift = np.random.default_rng(1000 + seed).normal(scale=PRIOR, size=(2, TRUE.size))
        believed = lap(TRUE + shift[0] + 1j * shift[1], seed)
        error = aligned(believed.mean, TRUE) - TRUE
        std = believed.relative_std(every)
        ratio += [*np.abs(error.real / std), *np.abs(error.imag / std)]
    assert 0.55 < np.mean(np.array(ratio) < 1) < 0.85
    assert np.mean(np.array(ratio) < 2) > 0.9


def test_a_rigid_motion_of_all_posts_is_not_seen() -> None:
    turned = TRUE * np.exp(0.02j) + (0.01 - 0.02j)
    believed = TouchedPosts(np.column_stack([turned.real, turned.imag]), PRIOR)
    believed.update(sighting(np.arange(12), np.random.default_rng(3), noise=0.0))
    np.testing.assert_allclose(believed.mean, turned, atol=1e-9)
    # relative places are known then, absolute ones not
    assert (believed.relative_std(np.arange(12)) < 0.5 * PRIOR).all()
    assert (believed.std > 0.3 * PRIOR).all()


def test_one_post_shows_nothing_and_untouched_ones_stay() -> None:
    believed = TouchedPosts(FIELD, PRIOR)
    rng = np.random.default_rng(4)
    believed.update(sighting(np.array([3]), rng))
    believed.update(sighting(np.array([], int), rng))
    np.testing.assert_array_equal(believed.mean, TRUE)
    assert not believed.sightings.any()
    believed.update(sighting(np.arange(4), rng))
    np.testing.assert_array_equal(believed.mean[4:], TRUE[4:])
    np.testing.assert_allclose(believed.std[4:], PRIOR)
    believed.reset()
    np.testing.assert_array_equal(believed.mean, TRUE)
    np.testing.assert_allclose(believed.std, PRIOR)


def test_covariance_shrinks_and_stays_valid() -> None:
    believed, rng = TouchedPosts(FIELD, PRIOR), np.random.default_rng(5)
    for first in range(8):
        before = np.trace(believed.covariance)
        believed.update(sighting(np.arange(first, first + 5), rng))
        assert np.trace(believed.covariance) < before
        assert np.linalg.eigvalsh(believed.covariance).min() > 0


def test_the_body_finds_itself_among_the_posts() -> None:
    believed = TouchedPosts(FIELD, 1e-4)
    turn, place = np.exp(0.7j), 0.4 - 1.1j
    posts = np.array([2, 5, 7])
    exact = Sighting(posts, (TRUE[posts] - place) / turn, np.ones(3, complex), *np.ones((2, 3)))
    found = believed.locate(exact)
    np.testing.assert_allclose(found, (turn, place), atol=1e-9)


def test_two_contacts_with_one_post_alone_move_no_post_far() -> None:
    """Nothing says how the body is turned; the first guess, 0 / 0 before, is no turn."""
    believed = TouchedPosts(FIELD, PRIOR)
    twice = np.array([3, 3])
    centre = np.array([0.1 + 0.02j, 0.1 - 0.02j])
    seen = Sighting(twice, centre, np.ones(2, complex), *np.full((2, 2), ACROSS))
    turn, place = believed.locate(seen)
    assert np.isfinite([turn, place]).all()
    believed.update(seen)
    assert believed.correction.max() < PRIOR


def test_another_map_goes_on_with_the_posts_that_it_shares() -> None:
    before, rng = TouchedPosts(FIELD, PRIOR), np.random.default_rng(6)
    before.update(sighting(np.arange(5), rng))
    after = TouchedPosts(FIELD[::-1], PRIOR)
    after.go_on_from(before, np.array([1, 3]), np.array([10, 8]))
    np.testing.assert_array_equal(after.mean[[10, 8]], before.mean[[1, 3]])
    np.testing.assert_array_equal(after.std[[10, 8]], before.std[[1, 3]])
    np.testing.assert_array_equal(after.sightings[[10, 8]], 1)
    np.testing.assert_allclose(np.delete(after.std, [8, 10]), PRIOR)


def test_a_post_that_is_added_is_located_with_the_others() -> None:
    """One that no map has, 12 mm from where a first reading placed it."""
    others = np.arange(TRUE.size - 1)
    believed = TouchedPosts(FIELD[:-1], 1e-3)
    first = complex(TRUE[-1]) + 0.012j
    believed.add(complex(TRUE[-1]) + 0.03, first, 0.01)
    assert believed.displacement[-1] == pytest.approx(0.012j - 0.03)
    assert believed.std[-1] == pytest.approx(0.01)
    np.testing.assert_allclose(believed.std[others], 1e-3)
    rng = np.random.default_rng(3)
    for _ in range(40):
        believed.update(sighting(np.arange(TRUE.size - 4, TRUE.size), rng))
    assert abs(believed.mean[-1] - TRUE[-1]) < 3e-3
    assert believed.std[-1] < 3e-3


def test_some_posts_of_a_sighting() -> None:
    seen = sighting(np.arange(4), np.random.default_rng(0))
    part = seen.select(np.array([True, False, False, True]))
    assert part.post.tolist() == [0, 3]
    assert part.centre.tolist() == [seen.centre[0], seen.centre[3]]
