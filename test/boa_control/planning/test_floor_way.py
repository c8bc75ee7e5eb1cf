# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ways between posts where posts need not hold the body."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.planning.floor_way import FloorSearch
from boa_control.planning.search.field import PostField
from boa_control.planning.search.joins import Pieces, Pose
from boa_control.planning.search.way import Way, sample
from boa_description.scene import Box, Circle, Obstacle

RADIUS = 0.04
HERE = Pose(np.zeros(2), np.array(0.0))
STRAIGHT_ON = Pose(np.array([2.0, 0.0]), np.array(0.0))
IN_THE_WAY = [Circle(x=1.0, y=y, radius=0.05) for y in (-0.2, 0.0, 0.2)]


def search(obstacles: list[Obstacle]) -> FloorSearch:
    return FloorSearch(PostField.of(obstacles), RADIUS)


def along(pieces: Pieces | None) -> Way:
    assert pieces is not None
    return sample(HERE.point, 0.0, pieces, 0.01)


def test_a_way_round_posts_leads_to_a_place_with_its_heading():
    there = Pose(np.array([2.0, 0.3]), np.array(-0.5))
    way = along(search(IN_THE_WAY).way(HERE, there))
    assert way.points[-1] == pytest.approx(there.point, abs=1e-6)
    assert way.heading[-1] == pytest.approx(-0.5, abs=1e-6)
    centres = np.array([[post.x, post.y] for post in IN_THE_WAY])
    apart = np.linalg.norm(way.points[:, None] - centres, axis=2).min()
    assert apart > 0.05 + RADIUS - 2e-3, "it was looked at every 4 cm, on arcs of 0.15 m and more"


def test_a_wide_way_is_worth_a_detour():
    """Between the two posts the body has 10 mm on either side; round them it has all it likes. The
    last 1.5 m are one piece, whatever room it has.
    """
    gate = [Circle(x=1.0, y=y, radius=0.05) for y in (-0.1, 0.1)]
    way = along(search([*gate]).way(HERE, Pose(np.array([3.5, 0.0]), np.array(0.0))))
    assert np.abs(way.points[:, 1]).max() > 0.15


@pytest.mark.parametrize(
    "ring",
    [
        [
            Circle(x=0.45 * np.cos(a), y=0.45 * np.sin(a), radius=0.05)
            for a in np.arange(0, 6.3, 0.3)
        ],
        [
            Box(x=x, y=y, length=lx, width=ly)
            for x, y, lx, ly in ((0.45, 0, 0.1, 1.1), (-0.45, 0, 0.1, 1.1), (0, 0.45, 1.1, 0.1))
        ]
        + [Box(x=0, y=-0.45, length=1.1, width=0.1)],
    ],
    ids=["posts", "blocks"],
)
def test_there_is_no_way_through_what_stands_too_close(ring):
    assert search(ring).way(HERE, STRAIGHT_ON) is None


def test_a_wall_beside_one_step_does_not_stand_in_the_way_of_the_others():
    walls = [Box(x=1.0, y=y, length=2.4, width=0.02) for y in (-0.06, 0.06)]  # 10 mm beside it
    way = along(search(walls).way(HERE, Pose(np.array([2.5, 0.5]), np.array(0.0))))
    inside = way.points[:, 0] < 2.0
    assert np.abs(way.points[inside, 1]).max() < 0.0101
