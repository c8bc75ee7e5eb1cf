# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What presses on the body although no planned post stands there."""

from __future__ import annotations

import pytest

from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.supervision.detectors import StrangePosts
from boa_control.controllers.hoal.supervision.headway import Way
from boa_control.controllers.hoal.supervision.reasons import Finding, Reason
from boa_control.controllers.hoal.supervision.thresholds import Bands
from boa_control.controllers.hoal.tuning import SHIPPED
from test.boa_control.controllers.hoal.supervision.watched import TRAVEL, good, on_link

FREE_WAY = 0.13  # m, a link

PRESSED = good(stray=on_link(4, -9.0))
FOUND = Finding(Reason.UNEXPECTED_CONTACT, link=5, side="left")


@pytest.fixture
def strange() -> StrangePosts:
    return StrangePosts(Bands.of(SHIPPED).slow, FREE_WAY)


def test_a_link_is_told_once_unless_its_post_is_to_be_located(strange: StrangePosts) -> None:
    assert strange.tell(4, again=False)
    assert not strange.tell(4, again=False)
    assert strange.pop() == (4,)
    assert not strange.tell(4, again=True)
    assert strange.pop() == (4,)
    assert strange.pop() == ()
    assert strange.any


def test_on_its_way_back_the_robot_may_be_pressed_by_what_it_leaves(strange: StrangePosts) -> None:
    back = Travel(-1, 0.05, -1)
    assert strange.update(PRESSED, 0.0, TRAVEL, standing=True) == FOUND
    strange.leave(1)
    assert strange.update(PRESSED, 0.9 * FREE_WAY, back, standing=False) is None
    assert strange.update(PRESSED, 0.2 * FREE_WAY, back, standing=False) == FOUND


def test_sent_forward_again_what_it_ran_into_counts_at_once(strange: StrangePosts) -> None:
    strange.leave(1)
    assert strange.update(PRESSED, 0.0, Travel(-1, 0.05, 1), standing=False) is None
    assert strange.update(PRESSED, 0.0, TRAVEL, standing=False) == FOUND


def test_beside_a_strange_post_on_an_exact_map_others_may_press(strange: StrangePosts) -> None:
    exact = PRESSED._replace(exact=True)
    assert strange.update(exact, 0.0, TRAVEL, standing=True) is None
    assert strange.update(exact, 0.0, TRAVEL, standing=False) == FOUND


def test_of_a_robot_that_stands_the_least_that_presses_is_why(strange: StrangePosts) -> None:
    """An exact map lacks a post that the nose leans on, with less than good runs press anywhere."""
    leaning = good(stray=on_link(4, -2.0))._replace(exact=True)
    stands = leaning._replace(way=Way(SHIPPED.supervision.slow_time, 0.0))
    assert strange.update(leaning, 0.0, TRAVEL, standing=False) is None
    assert strange.update(stands, 0.0, TRAVEL, standing=False) == FOUND
    assert strange.update(stands._replace(exact=False), 0.0, TRAVEL, standing=False) is None
