# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whose a force on a link is: two posts on opposite sides of it, told by the moment."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from boa_control.estimation.opposite_forces import opposed, told_apart
from boa_control.estimation.sideways_balance import contact_forces
from boa_control.estimation.touch_points import APART
from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array
from test.boa_control.estimation.test_end_forces import PITCH, contacts, pressed


def told(planned: ContactSet, places: list[tuple[int, float, int, float]]) -> Array:
    """Forces of the planned contacts where these (link, place, side, N) press."""
    across, moment = pressed(places)
    by_balance = contact_forces(across, planned, PITCH)
    return told_apart(by_balance, planned, across, lambda: moment, PITCH)


@given(one=st.floats(0.0, 20.0), other=st.floats(0.0, 20.0), side=st.sampled_from([-1, 1]))
def test_both_get_their_own(one: float, other: float, side: int) -> None:
    planned = contacts([5, 8, 8], [0.06, 0.03, 0.1], [1, side, -side], [0.3, 0.2, 0.1])
    places = [(5, 0.06, 1, 4.0), (8, 0.03, side, one), (8, 0.1, -side, other)]
    np.testing.assert_allclose(told(planned, places), [4.0, one, other], atol=1e-9)


def test_a_post_at_a_joint_has_no_part_in_the_force_of_one_opposite_on_the_link_beyond() -> None:
    """Both links at a joint count for a post there; but what presses on the next one, from the
    other side, is another's: it had made 5 N into -1 N.
    """
    planned = contacts([7, 8], [PITCH - 0.01, 0.06], [1, -1], [0.3, 0.2])
    places = [(7, PITCH - 0.01, 1, 5.0), (8, 0.06, -1, 6.0)]
    np.testing.assert_allclose(told(planned, places), [5.0, 6.0], atol=1e-12)


@given(one=st.floats(0.0, 20.0), beyond=st.floats(0.0, 20.0), other=st.floats(0.0, 20.0))
def test_a_post_at_a_joint_presses_on_both_links(one: float, beyond: float, other: float) -> None:
    """Of the link that it shares with a post on the other side, the moment tells its part."""
    planned = contacts([7, 8], [0.03, 0.008], [-1, 1], [0.3, 0.2])
    places = [(7, 0.03, -1, other), (7, PITCH, 1, beyond), (8, 0.0, 1, one)]
    np.testing.assert_allclose(told(planned, places), [other, one + beyond], atol=1e-9)


def test_posts_on_one_side_or_too_near_stay_with_the_balance() -> None:
    across, moment = pressed([(8, 0.06, 1, 5.0)])
    for planned in (
        contacts([8, 8], [0.03, 0.1], [1, 1], [0.2, 0.1]),
        contacts([8, 8], [0.06, 0.06 + APART / 2], [1, -1], [0.2, 0.2]),
    ):
        by_balance = contact_forces(across, planned, PITCH)
        assert told_apart(by_balance, planned, across, lambda: moment, PITCH) is by_balance


def test_a_link_between_two_posts() -> None:
    """The one before the nose counts where its tip may touch it."""
    planned = contacts([5, 12, 12], [0.06, 0.03, PITCH], [1, 1, -1], [0.3, 0.1, -0.05])
    assert opposed(planned, -0.09, PITCH).tolist() == [False, True, True]
    assert opposed(planned, -0.03, PITCH).tolist() == [False, False, True]


def test_links_at_a_joint_between_two_posts() -> None:
    """A post at a joint presses on both links; of the one behind, another post hides its share."""
    at_joint, inside = contacts([10, 11], [0.03, 0.005], [1, -1], [0.4, 0.3]), -0.09
    assert opposed(at_joint, inside, PITCH).tolist() == [False, True]
    beside = contacts([10, 11], [0.03, 0.06], [1, -1], [0.4, 0.3])
    assert not opposed(beside, inside, PITCH).any()
