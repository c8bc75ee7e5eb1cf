# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whose a force on an end link is: two posts that press on one side of it, told by the moment."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.estimation.end_forces import apportioned, rivals
from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array

LINKS, PITCH = 13, 0.13


def contacts(
    link: list[int], offset: list[float], side: list[int], inside: list[float]
) -> ContactSet:
    count = len(link)
    zero, none = np.zeros(count), np.zeros(count, bool)
    return ContactSet(
        contact=np.arange(count),
        post=np.arange(count),
        link=np.array(link),
        offset=np.array(offset),
        side=np.array(side, float),
        normal=np.column_stack([zero, -np.array(side, float)]),
        distance=zero,
        reach=zero + 0.09,
        inside=np.array(inside),
        activation=np.clip(np.array(inside) / 0.03, 0.0, 1.0),
        redundant=none,
        two_sided=False,
    )


def pressed(places: list[tuple[int, float, int, float]]) -> tuple[Array, Array]:
    """Forces across the links and moments about their middles, by forces (link, place, side, N)."""
    across, moment = np.zeros(LINKS), np.zeros(LINKS)
    for link, place, side, force in places:
        across[link] -= side * force
        moment[link] -= side * force * (place - PITCH / 2)
    return across, moment


NOSE = contacts([9, 12, 12], [0.05, 0.02, PITCH], [-1, 1, 1], [0.4, 0.11, -0.05])


def test_a_post_before_the_nose_has_no_part_in_the_force_of_one_that_it_has_passed() -> None:
    """So it was in runs with posts 40 mm off: post 4 took over the force, and the place, of post 3,
    146 mm away.
    """
    across, moment = pressed([(12, 0.02, 1, 6.0), (9, 0.05, -1, 5.0)])
    both_credited = np.array([5.0, 6.0, 6.0])
    force = apportioned(both_credited, NOSE, rivals(NOSE, PITCH), across, moment, PITCH)
    np.testing.assert_allclose(force, [5.0, 6.0, 0.0], atol=1e-12)


def test_the_tip_bears_what_presses_on_the_tip() -> None:
    across, moment = pressed([(12, PITCH, 1, 6.0)])
    force = apportioned(np.full(3, 6.0), NOSE, rivals(NOSE, PITCH), across, moment, PITCH)
    np.testing.assert_allclose(force, [6.0, 0.0, 6.0], atol=1e-12)


@given(one=st.floats(0.0, 20.0), other=st.floats(0.1, 20.0), side=st.sampled_from([-1, 1]))
def test_nothing_is_lost_and_both_get_about_their_own(one: float, other: float, side: int) -> None:
    """To a quarter of the whole: that is how far the shares are rounded towards one of the two."""
    planned = NOSE._replace(side=side * NOSE.side)
    across, moment = pressed([(12, 0.02, side, one), (12, PITCH, side, other)])
    whole = one + other
    credited = np.array([0.0, whole, whole])
    force = apportioned(credited, planned, rivals(planned, PITCH), across, moment, PITCH)
    assert force[1] + force[2] == pytest.approx(whole)
    assert force[1] == pytest.approx(one, abs=0.25 * whole + 1e-9)
    assert (force >= -1e-9).all()


def test_behind_the_tail_it_is_the_same() -> None:
    tail = contacts([0, 1], [0.0, 0.01], [1, 1], [-0.14, 0.14])
    (pair,) = rivals(tail, PITCH)
    assert (pair.outside, pair.inside, pair.link) == (0, 1, 0)
    assert (pair.near, pair.far) == pytest.approx((0.14, 0.0))
    across, moment = pressed([(0, 0.12, 1, 4.0)])  # the next post, still on the first link
    force = apportioned(np.full(2, 4.0), tail, [pair], across, moment, PITCH)
    np.testing.assert_allclose(force, [0.0, 4.0], atol=1e-12)


def test_a_post_on_the_neighbour_may_press_on_the_end_link_before_it_is_planned_there() -> None:
    """Its own force does not contain that on the end link yet; it does afterwards."""
    tail = contacts([0, 1], [0.0, 0.04], [1, 1], [-0.14, 0.17])
    across, moment = pressed([(0, PITCH, 1, 4.0)])
    force = apportioned(np.array([4.0, 0.0]), tail, rivals(tail, PITCH), across, moment, PITCH)
    np.testing.assert_allclose(force, [0.0, 4.0], atol=1e-12)


@pytest.mark.parametrize("near", [PITCH - 0.01, PITCH, PITCH + 0.01])
def test_where_a_post_is_at_the_tip_none_before_it_presses(near: float) -> None:
    """Two places that a moment does not tell apart; at the tip itself they are the same."""
    at_tip = contacts([12, 12], [near, PITCH], [1, 1], [0.0, -0.05])
    across, moment = pressed([(12, PITCH, 1, 6.0)])
    force = apportioned(np.full(2, 6.0), at_tip, rivals(at_tip, PITCH), across, moment, PITCH)
    np.testing.assert_array_equal(force, [6.0, 0.0])


@pytest.mark.parametrize(
    "planned",
    [
        contacts([9, 12], [0.05, 0.06], [1, 1], [0.4, 0.05]),
        contacts([12, 12], [0.02, PITCH], [-1, 1], [0.11, -0.05]),
        contacts([9, 12], [0.05, PITCH], [1, 1], [0.4, -0.05]),
    ],
    ids=["all inside", "on the other side", "far behind"],
)
def test_where_nobody_rivals_nothing_is_shared(planned: ContactSet) -> None:
    assert rivals(planned, PITCH) == []


def test_a_silent_sensor_and_a_pull_share_nothing() -> None:
    for force in (np.nan, -3.0):
        across, moment = pressed([(12, 0.02, 1, force)])
        credited = np.array([0.0, force, force])
        shared = apportioned(credited, NOSE, rivals(NOSE, PITCH), across, moment, PITCH)
        np.testing.assert_array_equal(shared, credited)
