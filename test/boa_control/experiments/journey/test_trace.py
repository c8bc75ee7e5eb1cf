# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The way that a robot has come, pieced together from the paths that it was on."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.new_path import NewPath
from boa_control.experiments.journey.trace import Trace
from boa_control.model.reference import ReferenceTable
from boa_control.paths.named import segment_curve
from boa_control.paths.settings import NamedContact, SegmentPath
from boa_description.load import load_robot
from boa_description.scene import Circle

ROBOT = load_robot("boa13")
POSTS = tuple(Circle(x=x, y=0.09, radius=0.05) for x in (0.5, 1.9, 2.4))


def path(start: float, *segments: tuple[float, float], contacts: dict[int, float]) -> SegmentPath:
    """Straight at first, from (`start`, 0) along x."""
    named = tuple(NamedContact(post=post, side="L", s=s) for post, s in contacts.items())
    return SegmentPath(
        kind="segments",
        start=(start, 0.0),
        heading=0.0,
        segments=segments,
        posts=POSTS,
        contacts=named,
    )


FIRST = path(0.0, (2.6, 0.0), contacts={0: 0.5, 1: 1.9, 2: 2.4})
# begins 0.3 m further on, and leaves the first one with the head at x = 2
SECOND = path(0.3, (1.7, 0.0), (0.49, 2.0), (0.01, 0.0), contacts={0: 0.2, 1: 1.6})


@pytest.fixture
def trace() -> Trace:
    table = ReferenceTable(segment_curve(SECOND), ROBOT.links, ROBOT.link.pitch)
    progress = table.end - 0.5  # with the head at 1.7 m
    new = NewPath(path=SECOND, leaves=progress + 0.3, progress=progress)
    return Trace(FIRST).onto(new, ROBOT)


def test_it_is_the_first_path_up_to_where_the_second_leaves_it(trace):
    assert trace.path.contacts == FIRST.contacts[:2], "what came after is gone"
    curve, second = segment_curve(trace.path), segment_curve(SECOND)
    assert curve.length == pytest.approx(2.5, abs=1e-3)
    s = np.linspace(0.3, 2.5, 30)
    assert curve.position(s) == pytest.approx(second.position(s - 0.3), abs=1e-3)
    assert trace.shift == pytest.approx(0.3)


def test_it_ends_where_the_robot_has_come_to(trace):
    found = trace.among(POSTS, end=1.5)  # of the second path
    assert found.length == pytest.approx(1.81)
    assert [(at.post, at.s) for at in found.contacts] == [(0, 0.5)]


def test_contacts_are_with_the_posts_of_the_last_map(trace):
    moved = Circle(x=1.91, y=0.09, radius=0.05)
    found = trace.among((moved, POSTS[2]), end=2.0)
    assert [(at.post, at.side) for at in found.contacts] == [(0, 1)], "one post is not on that map"
