# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gaps of a body that posts hold: as joints show them, and how surely they are known."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.estimation.gaps import gap_rates, gap_std
from test.boa_control.controllers.hoal.offset_circle import (
    BOA,
    CHAIN,
    MODEL,
    PATH,
    SCHEDULE,
    moving,
    with_one_unfelt,
)

STATE = MODEL.at(0.25)
CONTACTS = SCHEDULE.at(STATE)
BASE = CONTACTS.rows(CHAIN, STATE, 0.0)[0][:, :3]
NORMAL = STATE.along[CONTACTS.link] * (CONTACTS.normal @ np.array([1.0, 1j]))
COUNT = CONTACTS.contact.size
POSTS = len(PATH.posts)
LAST_FREE = np.where(np.arange(COUNT) < COUNT - 1, 1.0, 0.0)


def test_it_is_the_scatter_of_the_gaps_that_are_left_when_the_pose_fits_the_posts() -> None:
    rng = np.random.default_rng(3)
    factor = 0.004 * rng.normal(size=(2 * POSTS, 2 * POSTS)) / np.sqrt(POSTS)
    std = gap_std(factor @ factor.T, CONTACTS.post, NORMAL, BASE, LAST_FREE)
    off = (factor @ rng.normal(size=(2 * POSTS, 20_000))).T
    places = (off[:, 0::2] + 1j * off[:, 1::2])[:, CONTACTS.post]
    gaps = -(NORMAL.conj() * places).real  # a post that moves along its normal closes its gap
    pose = np.linalg.lstsq(BASE[:-1], -gaps[:, :-1].T, rcond=None)[0]
    left = gaps + (BASE @ pose).T
    np.testing.assert_allclose(left.std(axis=0), std, rtol=0.03)


def test_a_post_beyond_those_that_hold_the_body_is_known_less_than_its_place() -> None:
    std = gap_std(0.007**2 * np.eye(2 * POSTS), CONTACTS.post, NORMAL, BASE, LAST_FREE)
    assert std[-1] > 1.1 * 0.007
    assert np.all(std[:-1] < 0.007)


def test_what_moves_all_posts_and_the_body_alike_does_not_matter() -> None:
    places = np.array([complex(post.x, post.y) for post in PATH.posts])
    modes = np.zeros((2 * POSTS, 3))
    modes[0::2, 0] = modes[1::2, 1] = 1.0
    base = complex(*STATE.q[:2])
    modes[0::2, 2], modes[1::2, 2] = -(places - base).imag, (places - base).real
    std = gap_std(1e-4 * modes @ modes.T, CONTACTS.post, NORMAL, BASE, LAST_FREE)
    assert std.max() < 1e-4  # m, where each place is known to 10 mm


@pytest.mark.parametrize("seed", range(3))
def test_the_gap_of_a_post_that_is_not_felt_is_seen_while_the_others_stay_closed(seed: int) -> None:
    gap, activation = with_one_unfelt()
    rates = np.where(activation > 0, 0.0, 0.1)
    found = gap_rates(gap, activation, moving(gap, rates, seed)[3:])
    np.testing.assert_allclose(found, rates, atol=2e-3)


def test_a_motion_of_the_base_alone_opens_no_gaps_that_joints_could_show() -> None:
    gap, activation = with_one_unfelt()
    np.testing.assert_array_equal(gap_rates(gap, activation, np.zeros(BOA.joints)), 0.0)
    # any base explains it
    np.testing.assert_array_equal(gap_rates(gap[:3], activation[:3], np.ones(BOA.joints)), 0.0)
