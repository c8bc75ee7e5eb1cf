# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a body can bend past a post in its way is known before it is tried."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.post_map.deformation import ends_std
from boa_control.controllers.hoal.post_map.discovery import Passage, free_width
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.paths.path import PathContact
from test.boa_control.controllers.hoal.offset_circle import (
    BENT_SCHEDULE,
    BOA,
    MODEL,
    PATH,
    contact_at,
    off_path,
)

STEP = SHIPPED.post_map.passage_step

MAP_ERROR = 0.0105
AHEAD = 0.9  # m from the middle of the body to a post that its nose reaches


def tried(s: float, side: int, into: float, direction: int = 1) -> tuple[bool, int]:
    """Whether the body passes a post at `s` that stands `into` its way, and after how many steps
    that is known.
    """
    contact = contact_at(s, side)
    shift = np.zeros(len(PATH.posts) + 1, complex)
    shift[-1] = off_path(s, side, into)
    passage = Passage(MODEL, ends_std(MAP_ERROR, SHIPPED))
    schedule = BENT_SCHEDULE.with_contact(contact, len(PATH.posts))
    passage.begin(schedule, shift, s - direction * AHEAD, direction)
    steps = 0
    while passage.trying:
        steps += 1
        result = passage.step()
    assert result is not None
    return result, steps


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize(
    ("s", "side", "into", "passes"),
    [
        (2.365, 1, 0.02, True),  # 187 mm behind one on the other side
        (1.291, -1, 0.0389, True),  # 157 mm before one
        (2.935, -1, 0.0256, False),  # 75 mm behind one
        (2.734, 1, 0.03, False),  # between two of its own side: no body is straight enough
    ],
)
def test_places_decide_rather_than_how_far_it_is_in_the_way(
    s: float, side: int, into: float, passes: bool, direction: int
) -> None:
    result, steps = tried(s, side, into, direction)
    assert result == passes
    all_places = BOA.links * BOA.link.pitch / STEP
    assert (steps > all_places) == passes  # the first place where it does not pass is enough


def test_the_body_on_its_path_passes_its_own_posts() -> None:
    post = PATH.contacts[5]
    assert tried(post.s, post.side, 0.0)[0]


def test_nothing_is_tried_at_first() -> None:
    assert not Passage(MODEL, 0.002).trying


def test_way_between_posts() -> None:
    """Only those on the other side of the body leave a way between them."""
    contact = PathContact(0.0, 0.09, 0.05, 1.0, 1)
    others = np.array([0.03 - 0.08j, 0.2 + 0.09j])
    radii, sides = np.array([0.06, 0.05]), np.array([-1, 1])
    expected = abs(others[0] - 0.08j) - 0.11
    assert free_width(contact, 0.08j, others, radii, sides) == pytest.approx(expected)
    assert free_width(contact, 0.08j, others[1:], radii[1:], sides[1:]) == np.inf
