# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Posts are searched as far as the body comes, and given up where it has swept their region."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.post_map.search import PostSearch
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.model.contact_set import ContactSet
from boa_description.arrays import Array
from test.boa_control.controllers.hoal.offset_circle import MODEL, PATH, SCHEDULE

APPROACH = SHIPPED.contacts.approach
BESIDE = SHIPPED.post_map.beside
MARGIN = SHIPPED.post_map.margin
MOST_LAG = SHIPPED.post_map.search_way
SEARCH_LIMIT = SHIPPED.post_map.search_limit
SEARCH_SPEED = SHIPPED.post_map.search_speed

INTERVAL = 0.02  # s
STD = 0.007  # m
STEP = SEARCH_SPEED * INTERVAL
FIRST = SCHEDULE.at(MODEL.at(0.25))
ALL = FIRST.contact
COUNT = ALL.size
NONE = np.zeros(COUNT, bool)


def search() -> PostSearch:
    return PostSearch(len(PATH.contacts), STD, INTERVAL)


def beside(inside: float = 0.1) -> ContactSet:
    return FIRST._replace(inside=np.full(COUNT, inside))


def advance(
    searching: PostSearch, seconds: float, lag: Array | float = 0.0, inside: float = 0.1
) -> None:
    undetected, std = np.full(COUNT, APPROACH), np.full(COUNT, STD)
    for _ in range(round(seconds / INTERVAL)):
        searching.advance(beside(inside), undetected, np.broadcast_to(lag, COUNT), std)


def view(searching: PostSearch, ahead: bool, direction: int = 1) -> None:
    view_of(searching, FIRST, ahead, direction)


def view_of(searching: PostSearch, contacts: ContactSet, ahead: bool, direction: int = 1) -> None:
    searching.update(contacts, np.full(COUNT, ahead), np.full(COUNT, 0.001), direction)


def test_a_post_that_comes_into_view_is_kept_clear_of_by_a_standard_deviation() -> None:
    searching = search()
    view(searching, ahead=True)
    np.testing.assert_array_equal(searching.place[ALL], STD)
    advance(searching, 10 * INTERVAL)
    view(searching, ahead=True)
    np.testing.assert_allclose(searching.place[ALL], STD - 10 * STEP)
    view(searching, ahead=True, direction=-1)
    np.testing.assert_array_equal(searching.place[ALL], 0.001)


def test_a_post_is_not_there_once_the_body_has_swept_where_it_could_stand() -> None:
    """Then the body is led back to its path."""
    searching = search()
    needed = (SEARCH_LIMIT * STD + MARGIN) / SEARCH_SPEED
    advance(searching, 0.9 * needed)
    assert not searching.absent(ALL).any()
    assert not searching.across(ALL).any()
    advance(searching, 0.2 * needed)
    assert searching.absent(ALL).all()
    assert searching.across(ALL).all()
    advance(searching, 2 * needed)
    np.testing.assert_array_equal(searching.place, 0.0)
    assert searching.absent(ALL).all()


def test_what_the_end_of_the_body_has_not_passed_may_still_be_there() -> None:
    """It may stand before the tip: from here no more can be found out."""
    searching = search()
    advance(searching, 10.0, inside=0.9 * BESIDE * STD)
    assert not searching.absent(ALL).any()
    assert searching.across(ALL).all()
    np.testing.assert_allclose(searching.place[ALL], -SEARCH_LIMIT * STD - MARGIN, atol=STEP)
    advance(searching, INTERVAL, inside=1.1 * BESIDE * STD)
    assert searching.absent(ALL).all()


def test_the_search_waits_for_a_body_that_does_not_follow() -> None:
    """Counted by the bent chain, a post was given up 10 mm before it was touched (10 mm, data
    sheets, seed 0).
    """
    searching = search()
    for _ in range(1000):
        advance(searching, INTERVAL, lag=-searching.place[ALL])
    np.testing.assert_allclose(searching.place[ALL], -MOST_LAG, atol=1.001 * STEP)
    assert not searching.absent(ALL).any()
    assert searching.across(ALL).all()


def test_a_post_that_is_felt_stands_where_the_body_is() -> None:
    """Planned where it was searched, 25 mm further, it drew the body on: 36 N."""
    searching = search()
    advance(searching, 1.0, lag=0.012)
    before = searching.place[ALL].copy()
    level = np.where(np.arange(COUNT) == 0, 0.3, APPROACH)
    for _ in range(3):
        searching.advance(beside(), level, np.full(COUNT, 0.012), np.full(COUNT, STD))
    assert searching.place[ALL[0]] == pytest.approx(before[0] + 0.012)
    np.testing.assert_allclose(searching.place[ALL[1:]], before[1:] - 3 * STEP)


def test_a_post_that_is_felt_or_comes_into_view_again_may_be_there() -> None:
    searching = search()
    advance(searching, 5.0)
    searching.advance(beside(), np.ones(COUNT), np.zeros(COUNT), np.full(COUNT, STD))
    assert not searching.absent(ALL).any()
    advance(searching, 5.0)
    assert searching.absent(ALL).all()
    view(searching, ahead=True)
    assert not searching.absent(ALL).any()


def test_what_lies_well_before_the_body_is_not_searched() -> None:
    searching = search()
    advance(searching, 1.0, inside=-0.03)
    np.testing.assert_array_equal(searching.place, 0.0)


def test_further_contacts_and_those_of_another_path() -> None:
    searching = search()
    advance(searching, 0.5)
    contacts = searching.place.size
    searching.grow(contacts + 2)
    assert searching.place.size == contacts + 2
    after = search()
    after.go_on_from(searching, ALL, ALL[::-1])
    np.testing.assert_array_equal(after.place[ALL[::-1]], searching.place[ALL])
    some = ALL[:2]
    searching.found(some)
    np.testing.assert_array_equal(searching.place[some], 0.0)
    searching.reset()
    np.testing.assert_array_equal(searching.place, np.zeros(contacts))


def test_a_post_that_is_added_anew_is_known_as_the_first_time() -> None:
    """After a reset, too, the nose need not keep clear of it: its place was read by touch."""
    searching = search()
    number = searching.place.size
    added = FIRST._replace(post=np.append(ALL[:-1], number))
    for _ in range(2):
        searching.grow(number + 1)
        view_of(searching, added, ahead=True)
        assert searching.place[number] == 0.0
        searching.reset()


def test_a_post_that_was_located_is_searched_as_far_as_any() -> None:
    """Known to a millimetre, it was given up as soon as forces were let go (30 mm, seed 0)."""
    searching = search()
    for _ in range(round(0.02 / STEP)):
        searching.advance(beside(), np.full(COUNT, APPROACH), np.zeros(COUNT), np.full(COUNT, 1e-3))
    assert not searching.absent(ALL).any()


def test_no_post_is_searched_further_away_than_the_body_reaches() -> None:
    """Searched 153 mm away, a post was met by the nose in front of it (40 mm, seed 81: 72 N)."""
    searching = search()
    wide = np.full(COUNT, 0.037)
    for _ in range(1000):
        searching.advance(beside(), np.full(COUNT, APPROACH), np.zeros(COUNT), wide)
        deepest = searching.place[ALL].min()
        if searching.absent(ALL).any():
            break
    assert searching.absent(ALL).all()
    assert deepest == pytest.approx(-FIRST.reach.max(), abs=2 * STEP)
