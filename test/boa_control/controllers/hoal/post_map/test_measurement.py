# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What sensors tell of posts: of which contacts the places may be read, on which post the leading
end runs.
"""

from __future__ import annotations

import numpy as np

from boa_control.controllers.hoal.post_map.measurement import PostMeasurement
from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED
from test.boa_control.controllers.hoal.offset_circle import (
    BOA,
    CHAIN,
    MODEL,
    PATH,
    SCHEDULE,
    frame,
)
from test.boa_control.controllers.hoal.ticks import engaged

EXPECTED = SHIPPED.post_map.expected

LAST = BOA.links - 1
POST = 9  # of the path
INSIDE = 0.04  # m, that the nose has come past the place of a post
STD = 0.021  # m, of that place; 0.036 m past it the nose of 30 mm, seed 133 ran on post 7


def tick(push: complex) -> tuple[Tick, int]:
    """A body whose nose has passed the place of a post, pushed at its tip; and that contact."""
    nose = MODEL.at(1.0).sigma[-1] - 1.0  # m, ahead of the middle joint
    state = MODEL.at(PATH.contacts[POST].s + INSIDE - nose)
    contacts = SCHEDULE.at(state)
    (k,) = np.flatnonzero(contacts.post == POST).tolist()
    force = np.zeros((BOA.joints, 2))
    force[-1] = push.real, push.imag  # of the last link on the one before, which stands still
    level, none = np.zeros(contacts.contact.size), np.zeros(contacts.contact.size, bool)
    still = frame(state.q[3:], force, np.zeros((BOA.links, 2)))
    now = engaged(state, still, contacts=contacts, level=level, force=level, silent=none)
    return now, k


def met(
    push: complex, std: float = STD, located: bool = False, lacking: bool = False
) -> int | None:
    now, k = tick(push)
    assert 0.0 < now.contacts.inside[k] < EXPECTED * STD
    detected = PostMeasurement(CHAIN, lacking)
    size = now.contacts.contact.size
    found = detected.met(now, np.full(size, EXPECTED * std), np.full(size, located))
    assert found in (None, k)
    return found


def test_a_post_that_stands_further_on_than_planned_is_met_by_the_tip() -> None:
    """Swung in front of it by the search, the nose pushed on it with 20 N, of which 4 N acted
    across the link; taken for one beside the link it was lost (30 mm, seed 133; 40 mm, seed 144).
    """
    ahead = -20.0 + 0.0j
    assert met(ahead) is not None
    assert met(ahead, std=0.5 * INSIDE / EXPECTED) is None, "it stands nearer than that"
    assert met(ahead, located=True) is None, "it is known to stand beside the end"
    assert met(ahead, lacking=True) is None, "it may be one that the map has not"


def test_a_push_to_its_side_of_the_body_is_that_of_a_post_beside_the_end() -> None:
    now, k = tick(0.0j)
    assert met(-4.0 - now.contacts.side[k] * 20.0j) is None
    assert met(-1.0 + 0.0j) is None, "nor is a light touch"
