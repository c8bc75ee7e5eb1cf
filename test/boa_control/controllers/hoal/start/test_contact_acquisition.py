# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""When the robot that takes hold of the posts may move."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.start.contact_acquisition import ContactAcquisition
from boa_control.controllers.hoal.tuning import SHIPPED

FIRMER = SHIPPED.start.firmer
FIRMING_TIME = SHIPPED.start.settling_time
HELD_TIME = SHIPPED.start.held_time
LONGEST_ABSENCE = SHIPPED.start.held_time
LONGEST_SEARCH = SHIPPED.steering.longest_closing
LONGEST_TIME = SHIPPED.steering.long_patience
LONGEST_WAY = SHIPPED.contacts.same_place
SETTLING_TIME = SHIPPED.start.settling_time

PERIOD = 0.01


def closing_time(
    on_trial: bool, felt_after: float, most: float = 4 * LONGEST_TIME, held: bool = True
) -> float:
    """How long the robot takes hold, s."""
    startup = ContactAcquisition(PERIOD)
    for tick in range(round(most / PERIOD)):
        if not startup.closing:
            return tick * PERIOD
        startup.update(0 if tick * PERIOD >= felt_after else 2, on_trial, held)
    return most


def test_it_moves_when_all_contacts_are_felt_or_after_its_longest_time() -> None:
    assert closing_time(False, 1.5) == pytest.approx(1.5, abs=2 * PERIOD)
    assert closing_time(False, 100.0) == pytest.approx(LONGEST_TIME, abs=2 * PERIOD)


def test_posts_that_do_not_hold_the_robot_are_closed_on_for_longer() -> None:
    """A robot that stands loses nothing (40 mm, seeds 177 and 192: found after 5 s)."""
    long = 2 * LONGEST_SEARCH
    assert closing_time(False, 7.0, long, held=False) == pytest.approx(7.0, abs=2 * PERIOD)
    over = closing_time(False, long, long, held=False)
    assert over == pytest.approx(LONGEST_SEARCH, abs=2 * PERIOD)


def test_posts_that_balance_in_passing_do_not_set_off() -> None:
    """Four did for some ticks while one was handed over: lost at once, 30.9 N (40 mm, 136)."""
    startup = ContactAcquisition(PERIOD)
    for tick in range(round(8.0 / PERIOD)):
        startup.update(2, held=tick % round(HELD_TIME / PERIOD) > 0)
    assert startup.closing
    for _ in range(round(1.1 * HELD_TIME / PERIOD)):
        startup.update(2, held=True)
    assert not startup.closing


def test_while_others_are_searched_forces_rise_no_more_and_springs_grow() -> None:
    """At 80 % of the forces three of five posts bent a body by 8 degrees (40 mm, seed 125)."""
    startup, bent, rest = ContactAcquisition(PERIOD), np.array([0.1, -0.2]), np.zeros(2)
    weak = startup.pull(bent, rest, rest)
    for _ in range(round((LONGEST_TIME - 0.1) / PERIOD)):
        assert not startup.searching
        startup.update(2, held=False)
    np.testing.assert_array_equal(startup.pull(bent, rest, rest), weak)
    for _ in range(round((0.2 + FIRMING_TIME) / PERIOD)):
        startup.update(2, held=False)
    assert startup.searching
    share = startup.share
    startup.update(2, held=False)
    assert startup.share == share < 0.5
    np.testing.assert_allclose(startup.pull(bent, rest, rest), (1.0 + FIRMER) * weak)
    for _ in range(round(1.0 / PERIOD)):
        startup.update(0)
    assert not startup.searching and startup.share == 1.0


@pytest.mark.parametrize("felt_after", [1.5, 100.0])
def test_it_never_moves_while_the_place_is_on_trial(felt_after: float) -> None:
    assert closing_time(True, felt_after) == 4 * LONGEST_TIME


def test_springs_let_go_where_forces_must() -> None:
    """Springs alone pushed a body with three posts on one side to 45 mm/s: 67 N at the fourth."""
    startup, bent, rest = ContactAcquisition(PERIOD), np.array([0.1, -0.2]), np.zeros(2)
    drawn = startup.pull(bent, rest, rest)
    assert (drawn * bent < 0.0).all()
    np.testing.assert_array_equal(startup.pull(bent, rest, rest, 0.0), 0.0)
    np.testing.assert_allclose(startup.pull(bent, rest, rest, 0.5), drawn / 2)
    np.testing.assert_array_equal(
        startup.pull(rest, bent, rest, 0.0), startup.pull(rest, bent, rest)
    )


def held() -> ContactAcquisition:
    """A robot that holds its posts."""
    startup = ContactAcquisition(PERIOD)
    while not startup.complete:
        startup.update(missing=0)
    return startup


def test_after_a_short_absence_of_the_torque_it_is_held_at_once_and_settles() -> None:
    startup = held()
    assert startup.interrupt(speed=0.1, away=0.1)
    assert startup.share == 1.0 and not startup.closing and not startup.complete
    ticks = 0
    while not startup.complete:
        startup.update(missing=3)
        ticks += 1
    assert ticks * PERIOD == pytest.approx(SETTLING_TIME, abs=2 * PERIOD)


@pytest.mark.parametrize(
    ("speed", "away"),
    [(0.0, LONGEST_ABSENCE + PERIOD), (1.1 * LONGEST_WAY / 0.2, 0.2), (0.1, 0.6)],
)
def test_after_a_long_absence_or_way_it_takes_hold_anew(speed: float, away: float) -> None:
    startup = held()
    assert not startup.interrupt(speed, away)
    assert startup.closing and startup.share < 0.1


def test_a_robot_that_has_no_hold_yet_begins_anew() -> None:
    startup = ContactAcquisition(PERIOD)
    startup.update(missing=2)
    assert not startup.interrupt(speed=0.0, away=0.05)


def test_the_way_counts_from_the_speed_before_the_absence() -> None:
    """While it lasts, the reference follows joints that have stopped; the body has not."""
    startup = held()
    assert startup.interrupt(speed=0.3, away=0.05)
    assert not startup.interrupt(speed=0.0, away=0.2)


def test_it_says_how_many_contacts_it_went_without() -> None:
    startup = ContactAcquisition(PERIOD)
    while startup.closing:
        startup.update(missing=2)
    assert startup.missing == 2
