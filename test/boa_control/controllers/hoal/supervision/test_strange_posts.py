"""What presses on the body although no planned post stands there."""

from __future__ import annotations

import pytest

from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.supervision.detectors import FREE_WAY, StrangePosts
from test.boa_control.controllers.hoal.supervision.watched import PERIOD, TRAVEL, good, on_link

PRESSED = good(stray=on_link(4, -9.0))


@pytest.fixture
def strange() -> StrangePosts:
    return StrangePosts(PERIOD)


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
    assert strange.link(PRESSED, 0.0, TRAVEL, standing=True) == (4, "left")
    strange.leave(1)
    assert strange.link(PRESSED, 0.9 * FREE_WAY, back, standing=False) is None
    assert strange.link(PRESSED, 0.2 * FREE_WAY, back, standing=False) == (4, "left")


def test_sent_forward_again_what_it_ran_into_counts_at_once(strange: StrangePosts) -> None:
    strange.leave(1)
    assert strange.link(PRESSED, 0.0, Travel(-1, 0.05, 1), standing=False) is None
    assert strange.link(PRESSED, 0.0, TRAVEL, standing=False) == (4, "left")


def test_beside_a_strange_post_on_an_exact_map_others_may_press(strange: StrangePosts) -> None:
    exact = PRESSED._replace(exact=True)
    assert strange.link(exact, 0.0, TRAVEL, standing=True) is None
    assert strange.link(exact, 0.0, TRAVEL, standing=False) == (4, "left")


def test_the_time_counts_as_long_as_it_presses(strange: StrangePosts) -> None:
    for _ in range(5):
        strange.count(True)
    assert strange.pressing == pytest.approx(5 * PERIOD)
    strange.count(False)
    assert strange.pressing == 0.0
