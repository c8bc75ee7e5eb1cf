# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact lines touch their posts, on the right side, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boa_control.planning.search.field import PostField
from boa_control.planning.search.lines import (
    NO_POST,
    ContactLines,
    LineSettings,
    contact_lines,
    turned,
)
from boa_description.arrays import Flags
from boa_description.scene import Box, Circle, Wall

BODY = 0.04
SETTINGS = LineSettings(headings=24)


def random_field(seed: int = 3, posts: int = 25) -> PostField:
    rng = np.random.default_rng(seed)
    places, radii = rng.uniform(0, 1.5, (posts, 2)), rng.uniform(0.03, 0.07, posts)
    return PostField(places, radii, np.zeros(posts))


FIELD = random_field()
LINES = contact_lines(FIELD, BODY, SETTINGS)


@pytest.mark.parametrize("k", [0, 1])
def test_every_contact_is_at_the_flank_of_the_body_on_its_side(k):
    chosen = LINES.post[:, k] != NO_POST
    along = LINES.tangent[chosen]
    left = np.column_stack([-along[:, 1], along[:, 0]])
    foot = LINES.foot[chosen] + (k * LINES.length[chosen])[:, None] * along
    post = LINES.post[chosen, k]
    reach = (FIELD.radii[post] + BODY) * LINES.side[chosen, k]
    assert foot + reach[:, None] * left == pytest.approx(FIELD.centres[post], abs=1e-9)


def test_there_are_lines_with_one_and_with_two_contacts_on_both_sides():
    two = LINES.post[:, 1] != NO_POST
    assert two.any() and (~two).any()
    assert {tuple(side) for side in LINES.side[two]} == {(1, 1), (1, -1), (-1, 1), (-1, -1)}


def test_no_line_comes_near_another_post():
    for k in range(LINES.heading.size):
        others = np.setdiff1d(np.arange(FIELD.radii.size), LINES.post[k])
        gap = FIELD.gaps(LINES.start[k : k + 1], LINES.end[k : k + 1], others).min()
        assert gap >= BODY + SETTINGS.clearance


def test_each_post_has_room_by_what_is_known_of_it_and_of_those_that_carry():
    """Lines keep clear of a badly known post by twice its std, and a line that touches it keeps
    as clear of the others; lines that have nothing to do with it are those of an exact map.
    """
    std = np.zeros(FIELD.radii.size)
    std[4] = 0.02
    field = replace(FIELD, std=std)
    lines = contact_lines(field, BODY, SETTINGS)
    for k in range(lines.heading.size):
        own = lines.post[k][lines.post[k] != NO_POST]
        others = np.setdiff1d(np.arange(std.size), own)
        gap = field.gaps(lines.start[k : k + 1], lines.end[k : k + 1], others)
        room = 2 * np.maximum(std[others], std[own].max())
        assert (gap >= BODY + SETTINGS.clearance + room - 1e-12).all()

    def names(some: ContactLines, far: Flags) -> set[tuple[float, ...]]:
        chosen = some.select(far)
        return {*map(tuple, np.column_stack([chosen.foot, chosen.heading]).round(9).tolist())}

    def apart(some: ContactLines) -> Flags:
        return np.hypot(*(some.foot - FIELD.centres[4]).T) > 0.6

    assert names(lines, apart(lines)) == names(LINES, apart(LINES))
    assert lines.heading.size < LINES.heading.size


def test_gaps_of_segments_against_dense_points():
    start, end = np.array([[0.1, 0.2]]), np.array([[0.9, 0.7]])
    points = start + np.linspace(0, 1, 20001)[:, None] * (end - start)
    posts = np.arange(FIELD.radii.size)
    dense = np.hypot(*(FIELD.centres[:, None] - points).transpose(2, 0, 1)).min(axis=1)
    assert FIELD.gaps(start, end, posts) == pytest.approx(dense - FIELD.radii, abs=1e-4)


def test_turned_lines_still_touch_their_post():
    reach = FIELD.radii[LINES.post[:, 0]] + BODY
    again = turned(LINES, np.arange(0, LINES.heading.size, 50), np.radians([-8.0, 8.0]), reach)
    single = again.post[:, 1] == NO_POST
    centre = FIELD.centres[again.post[single, 0]]
    distance = np.hypot(*(again.foot[single] - centre).T)
    assert distance == pytest.approx(FIELD.radii[again.post[single, 0]] + BODY)


def test_walls_and_boxes_are_kept_clear_of():
    posts = [Circle(x=0.0, y=0.0, radius=0.05)]
    free = contact_lines(PostField.of(posts), BODY, SETTINGS)
    wall = Wall(x1=-1.0, y1=0.15, x2=1.0, y2=0.15, thickness=0.02)
    box = Box(x=0.0, y=-0.4, length=0.4, width=0.2)
    walled = PostField.of([*posts, wall, box])
    assert walled.radii.size == 1
    some = contact_lines(walled, BODY, SETTINGS)
    assert 0 < some.heading.size < free.heading.size
    share = np.linspace(0, 1, 50)[:, None]
    for start, end in zip(some.start, some.end, strict=True):
        points = start + share * (end - start)
        assert points[:, 1].max() <= 0.14 - BODY - SETTINGS.clearance + 1e-9
