# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How slowly posts are met whose places are uncertain."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.post_map.approach_speed import SpeedLimit
from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.model.contact_set import ContactSet
from test.boa_control.controllers.hoal.offset_circle import (
    BOA,
    MODEL,
    PATH,
    PERIOD,
    SCHEDULE,
)

REACH = SHIPPED.post_map.reach
SEARCH_SPEED = SHIPPED.post_map.search_speed

AHEAD = Travel(1, 0.1)
NOT_YET = np.zeros(1)  # searched
FAST = Travel(1, 0.2)


def nose(inside: float) -> ContactSet:
    contacts = SCHEDULE.at(MODEL.at(0.25))
    last = contacts.select(np.arange(contacts.contact.size) == contacts.contact.size - 1)._replace(
        inside=np.array([inside])
    )
    return last._replace(link=np.array([BOA.links - 1]))


def test_the_nose_meets_an_unknown_post_slowly_and_leaves_it_gently() -> None:
    parameters = Parameters(speed=0.1, entry_speed=0.03, acceleration=0.1)
    limit, seen = SpeedLimit(parameters, BOA, PERIOD), []
    undetected, detected, doubt = np.array([0.2]), np.array([1.0]), np.array([0.01])
    for inside in np.arange(-0.3, 0.05, 0.1 * PERIOD):
        limit.update(nose(inside), undetected, doubt, NOT_YET, AHEAD)
        seen.append(limit.speed)
    assert seen[0] == 0.1
    assert seen[-1] == pytest.approx(0.03)
    assert (
        max(
            s for s, x in zip(seen, np.arange(-0.3, 0.05, 0.1 * PERIOD), strict=True) if x >= -REACH
        )
        <= 0.0301
    )
    before = limit.speed
    limit.update(nose(0.05), detected, doubt, NOT_YET, AHEAD)
    assert limit.speed == pytest.approx(before + 0.1 * PERIOD)
    for _ in range(1000):
        limit.update(nose(0.05), detected, doubt, NOT_YET, AHEAD)
    assert limit.speed == 0.1


def settled(
    contacts: ContactSet,
    level: float,
    doubt: float,
    searched: float = 0.0,
    travel: Travel = AHEAD,
    leading: complex = 1.0,
) -> float:
    """The limit after 2 s of it."""
    limit = SpeedLimit(Parameters(speed=0.2, map_error=0.02), BOA, PERIOD)
    shape = contacts.contact.shape
    for _ in range(1000):
        limit.update(
            contacts,
            np.full(shape, level),
            np.full(shape, doubt),
            np.full(shape, searched),
            travel,
            leading,
        )
    return limit.speed


def entry_speed(doubt: float) -> float:
    """17 N in a joint: a table in docs/first_touch.md has them for the offset of a post beside the
    axis of the head, at 0.1 m/s, where both radii are 90 mm.
    """
    offset = 0.09 * (1 - doubt / (BOA.link.radius + PATH.posts[0].radius))
    at_speed = np.interp(offset, [0.045, 0.06, 0.07, 0.08, 0.085], [75.6, 51.9, 35.1, 18.3, 11.1])
    return float(0.1 * 17.0 / at_speed)


def test_a_post_may_stand_nearer_along_the_path_by_three_deviations() -> None:
    """One 30 mm off was struck 129 mm before its contact point, at 0.084 m/s with 88 N, one 40 mm
    off 155 mm before it.
    """
    doubt = 0.021
    assert settled(nose(-0.15), 0.2, doubt, travel=FAST) == pytest.approx(entry_speed(doubt))
    assert settled(nose(-0.2), 0.2, doubt, travel=FAST) > entry_speed(doubt)
    assert settled(nose(-0.129), 0.2, 0.001, travel=FAST) == 0.2


@pytest.mark.parametrize(("doubt", "speed"), [(0.007, 0.121), (0.0105, 0.089), (0.028, 0.035)])
def test_the_less_is_known_of_a_post_the_more_slowly_it_is_met(doubt: float, speed: float) -> None:
    limit = settled(nose(-0.03), 0.2, doubt, travel=FAST)
    assert limit == pytest.approx(entry_speed(doubt)) == pytest.approx(speed, abs=5e-4)


@pytest.mark.parametrize(("leading", "slower"), [(0.8, 1.0), (1.0, 1.0), (1.6, 1.6)])
def test_a_nose_that_goes_faster_than_the_joints_say_meets_a_post_no_faster(
    leading: float, slower: float
) -> None:
    """48 mm/s on a path along which the robot went at 27 mm/s: 54 N on the tip (40 mm, 118)."""
    limit = settled(nose(-0.03), 0.2, 0.028, travel=FAST, leading=leading)
    assert limit == pytest.approx(entry_speed(0.028) / slower)


def test_a_post_that_presses_on_the_tip_is_passed_slowly() -> None:
    """However surely its place seemed to be known."""
    assert settled(nose(-0.03), 0.2, 0.001) == 0.1
    assert settled(nose(-0.03), 1.0, 0.001) == pytest.approx(entry_speed(0.02))
    assert settled(nose(0.01), 1.0, 0.001) == 0.1


def test_beside_a_post_that_it_does_not_feel_the_robot_goes_as_slowly_as_the_search_needs() -> None:
    """Over 90 mm the search goes on from one deviation clear of the post to three on its far side;
    further away it is searched slowly.
    """
    for doubt in (0.007, 0.0105, 0.028):
        time = 4 * doubt / SEARCH_SPEED
        limit = settled(nose(0.04), 0.2, doubt, searched=-doubt, travel=FAST)
        assert limit == pytest.approx(0.09 / time)
    assert settled(nose(0.04), 0.2, 0.002, searched=-0.005) == 0.1
    assert settled(nose(0.04), 0.2, 0.002, searched=-0.007) == pytest.approx(0.03)
    assert settled(nose(0.16), 0.2, 0.028, searched=-0.1) == 0.1, "given up"


def test_the_limit_falls_gradually() -> None:
    limit, doubt = SpeedLimit(Parameters(speed=0.2), BOA, PERIOD), np.array([0.02])
    speeds = [0.2]
    for _ in range(1000):
        limit.update(nose(0.04), np.array([0.2]), doubt, NOT_YET, FAST)
        speeds.append(limit.speed)
    assert -np.diff(speeds).min() == pytest.approx(0.2 * PERIOD)


def test_the_post_that_is_known_least_decides() -> None:
    limit = SpeedLimit(Parameters(speed=0.2), BOA, PERIOD)
    both = nose(-0.03)._replace(
        post=np.array([0, 1]), link=np.full(2, BOA.links - 1), inside=np.array([-0.03, -0.09])
    )
    both = both._replace(reach=np.full(2, both.reach[0]))
    doubt, undetected, searched = np.array([0.001, 0.02]), np.full(2, 0.2), np.zeros(2)
    for _ in range(1000):
        limit.update(both, undetected, doubt, searched, FAST)
    assert limit.speed == pytest.approx(entry_speed(0.02))


def test_backwards_it_is_the_tail_that_meets_unknown_posts_slowly() -> None:
    back = Travel(-1, 0.1)
    assert settled(nose(0.0), 0.2, 0.02, travel=back) == 0.1, "what the nose leaves"
    tail = nose(0.0)._replace(link=np.array([0]))
    assert settled(tail, 0.2, 0.02) == 0.1
    assert settled(tail, 0.2, 0.02, travel=back) == pytest.approx(entry_speed(0.02))
