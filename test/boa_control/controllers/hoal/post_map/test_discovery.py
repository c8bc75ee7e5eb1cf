# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Posts that the map lacks, from the readings of a place to a contact or to none."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.post_map.candidate import Reading
from boa_control.controllers.hoal.post_map.discovery import PostDiscovery
from boa_control.controllers.hoal.post_map.landmarks import Landmarks
from boa_control.controllers.hoal.post_map.record import MapRecord
from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.events import EventKind
from test.boa_control.controllers.hoal.offset_circle import (
    BOA,
    MODEL,
    PATH,
    PERIOD,
    SCHEDULE,
    contact_at,
    frame,
    off_path,
)
from test.boa_control.controllers.hoal.ticks import engaged

AGREED = SHIPPED.post_map.agreed
TRIES = SHIPPED.steering.tries

MAP_ERROR = 0.0105
AHEAD = 0.9  # m from the middle of the body to a post that its nose reaches


class Learning:
    """The posts of a plan, their record, and those that may be added."""

    def __init__(self) -> None:
        self.posts = Landmarks(PATH, SCHEDULE, BOA.link.pitch, MAP_ERROR)
        self.record = MapRecord(self.posts.radius, PERIOD)
        self.unmapped = PostDiscovery(MODEL, PATH.curve, self.posts, self.record, MAP_ERROR)

    def read(self, s: float, side: int, into: float) -> bool:
        """Let a post at `s` that stands `into` the way be read until its way is known; whether it
        becomes part of the plan.
        """
        contact = contact_at(s, side)
        place = complex(contact.x, contact.y) + off_path(s, side, into)
        state = MODEL.at(s - AHEAD)
        contacts = self.posts.at(state, 0.0, np.zeros(self.posts.schedule.contacts))
        still = frame(state.q[3:], np.zeros((BOA.joints, 2)), np.zeros((BOA.links, 2)))
        level = np.zeros(contacts.contact.size)
        tick = engaged(state, still, contacts=contacts, level=level, travel=Travel(1, 0.03))
        for _ in range(AGREED):
            self.unmapped.consider(Reading(place, 1e-3), tick)
        return any(self.unmapped.try_way(1) for _ in range(50))


def test_a_post_that_leaves_room_is_planned_with() -> None:
    learning = Learning()
    assert learning.read(2.365, 1, 0.02)
    assert learning.posts.schedule.contacts == len(PATH.contacts) + 1
    assert learning.posts.belief.sightings[-1] == 1
    assert learning.unmapped.no_way(1) == ""
    (event,) = learning.record.events.pop()
    assert event.kind is EventKind.UNMAPPED_POST and event.note is None


@pytest.mark.parametrize(
    ("s", "side", "into", "why"),
    [
        (2.935, -1, 0.0256, "mm between it and the next post"),
        (2.734, 1, 0.03, "the body cannot bend so far"),
    ],
)
def test_without_a_way_past_it_the_robot_must_not_go_on(
    s: float, side: int, into: float, why: str
) -> None:
    """Once its place has been read again and again; the way back stays open."""
    learning = Learning()
    for _ in range(TRIES - 1):
        assert not learning.read(s, side, into)
        assert learning.unmapped.no_way(1) == ""
    assert not learning.read(s, side, into)
    assert learning.unmapped.no_way(1).endswith(why)
    assert learning.unmapped.no_way(-1) == ""
    assert learning.posts.schedule.contacts == len(PATH.contacts)
    (event,) = learning.record.events.pop()
    assert event.note.endswith(why)
    learning.unmapped.reset()
    assert learning.unmapped.no_way(1) == ""


def test_where_a_post_of_the_map_stands_is_no_other() -> None:
    post = PATH.contacts[5]
    learning = Learning()
    assert not learning.read(post.s, post.side, 0.0)
    assert learning.record.events.pop() == ()
