# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The map as given, with what the robot has found."""

from __future__ import annotations

import pytest

from boa_control.experiments.journey.believed_map import BelievedMap, numbered
from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost, Kind
from boa_control.paths.named import segment_curve
from boa_control.paths.path import PathContact, PlannedPath
from boa_control.paths.settings import SegmentPath
from boa_description.scene import Box, Circle

LINE = segment_curve(
    SegmentPath(kind="segments", start=(0.0, 0.0), heading=0.0, segments=((3.0, 0.0),))
)
BLOCK = Box(x=5.0, y=0.0, length=0.1, width=0.1)
FIELD = (*(Circle(x=float(k), y=0.0, radius=0.05) for k in range(4)), BLOCK)


@pytest.fixture
def world() -> BelievedMap:
    """A path knows post 2 of the map as its number 7, some mm beside its place."""
    world = BelievedMap(FIELD, borne=0.01)
    world.on_path({0: FIELD[0], 7: Circle(x=2.004, y=0.0, radius=0.05)})
    return world


def found(number: int, x: float, y: float, kind: Kind = "touched") -> CorrectedMap:
    return CorrectedMap((CorrectedPost(number, x, y, 0.05, 0.002, kind),))


def test_a_number_means_the_post_at_that_place(world):
    assert world.remove(7)
    assert world.obstacles == (*FIELD[:2], *FIELD[3:])
    assert not world.remove(7), "gone already"
    assert not world.remove(3), "no number of this path"
    assert world.version == 1


def test_another_path_has_other_numbers(world):
    world.on_path({7: FIELD[3]})
    assert world.remove(7)
    assert FIELD[2] in world.obstacles
    assert FIELD[3] not in world.obstacles


def test_a_missing_post_of_the_corrected_map_is_gone(world):
    world.correct(CorrectedMap((), missing=(7,)))
    assert FIELD[2] not in world.obstacles


def test_a_post_moves_when_it_stands_elsewhere_by_more_than_the_controller_bears(world):
    world.correct(found(7, 2.005, 0.004))
    assert world.obstacles == FIELD
    assert world.version == 0
    world.correct(found(7, 2.04, 0.03))
    assert world.obstacles[2] == Circle(x=2.04, y=0.03, radius=0.05)
    assert world.version == 1
    world.correct(found(7, 2.042, 0.03))
    assert world.version == 1, "the same news again"


def test_mapped_posts_say_nothing(world):
    world.correct(found(7, 2.04, 0.03, "mapped"))
    assert world.obstacles == FIELD


def test_numbers_of_a_path():
    at = [PathContact(x=float(k), y=0.1, radius=0.05, s=float(k), side=1) for k in range(2)]
    beside = Circle(x=9.0, y=9.0, radius=0.05)
    own = PlannedPath(LINE, tuple(at), (beside,))
    assert list(numbered(own)) == [0, 1, 2]
    given = PlannedPath(LINE, tuple(at), (beside,), numbers=(4, 11, 12))
    assert {number: (post.x, post.y) for number, post in numbered(given).items()} == {
        4: (0.0, 0.1),
        11: (1.0, 0.1),
        12: (9.0, 9.0),
    }


def test_a_post_that_the_robot_ran_into_is_kept_clear_of_and_does_not_carry(world):
    world.correct(found(9, 5.0, 1.0, "unexpected"))
    assert world.obstacles[-1] == Circle(x=5.0, y=1.0, radius=0.05 + 2 * 0.002)
    assert world.doubtful == {4}, "the box before it is not round"
    world.correct(found(9, 5.0, 1.0, "unexpected"))
    assert (len(world.obstacles), world.version) == (len(FIELD) + 1, 1), "added once"


def test_the_number_of_a_post_that_another_one_replaces_means_none(world):
    """Post 7 moved: it is run into at its new place, and then missed at its old one."""
    world.correct(found(8, 2.06, 0.0, "unexpected"))
    assert not world.remove(7)
    assert any(post.x == 2.06 for post in world.obstacles if isinstance(post, Circle))
    assert world.remove(8)


def test_one_that_would_stand_in_another_is_that_one(world):
    world.correct(found(9, 3.03, 0.02, "unexpected"))
    assert len(world.obstacles) == len(FIELD)
    assert (world.obstacles[3].x, world.obstacles[3].y) == (3.03, 0.02)
    assert world.doubtful == {3}
    world.correct(found(9, 3.05, 0.02))
    assert world.doubtful == frozenset(), "touched since: its place is known"
    assert world.obstacles[3].radius == 0.05
