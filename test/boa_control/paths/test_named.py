# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Paths of lines and arcs with named contacts: geometry, order, and clear errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boa_control.paths.construct import build_path
from boa_control.paths.settings import NamedContact, SegmentPath
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.scene import Circle

BOA = load_robot("boa13")
REACH = 0.05 + BOA.link.radius
BEND = math.pi / 2 / 5.0  # m of arc with curvature 5 for a quarter turn
POSTS = (
    Circle(x=2.0, y=REACH, radius=0.05),
    Circle(x=0.5, y=-REACH, radius=0.05),
    Circle(x=9.0, y=9.0, radius=0.05),
)


def settings(**changes) -> SegmentPath:
    given = {
        "kind": "segments",
        "start": (0.0, 0.0),
        "heading": 0.0,
        "segments": ((3.0, 0.0), (BEND, 5.0), (1.0, 0.0)),
        "posts": POSTS,
        "contacts": (
            NamedContact(post=0, side="L", s=2.0),
            NamedContact(post=1, side="R", s=0.5),
        ),
    }
    return SegmentPath.model_validate(given | changes)


def test_contacts_come_in_order_of_the_path_and_the_rest_are_bystanders():
    path = build_path(settings(), BOA)
    assert [(post.s, post.side) for post in path.contacts] == [(0.5, -1), (2.0, 1)]
    assert path.bystanders == (POSTS[2],)
    assert path.curve.repeat is None and not path.curve.closed


def test_the_curve_is_that_of_lines_and_arcs():
    curve = build_path(settings(), BOA).curve
    assert curve.length == pytest.approx(4.0 + BEND)
    s = np.array([0.0, 1.5, 3.0 + BEND / 2, 3.0 + BEND, 4.0 + BEND])
    turned = math.pi / 4
    points = [
        (0.0, 0.0),
        (1.5, 0.0),
        (3.0 + 0.2 * math.sin(turned), 0.2 * (1 - math.cos(turned))),
        (3.2, 0.2),
        (3.2, 1.2),
    ]
    assert curve.position(s) == pytest.approx(np.array(points), abs=1e-12)
    assert curve.heading(s) == pytest.approx([0.0, 0.0, turned, math.pi / 2, math.pi / 2])
    assert curve.curvature(s[:3]) == pytest.approx([0.0, 0.0, 5.0])


def test_beyond_its_ends_it_goes_straight_on():
    curve = build_path(settings(), BOA).curve
    beyond = np.array([-0.5, curve.length + 0.5])
    assert curve.position(beyond) == pytest.approx(np.array([(-0.5, 0.0), (3.2, 1.7)]))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"contacts": ({"post": 3, "side": "L", "s": 2.0},)}, ["post 3", "there are 3"]),
        ({"contacts": ({"post": 0, "side": "L", "s": 9.0},)}, ["beyond the end", "4.314"]),
        ({"contacts": ({"post": 0, "side": "R", "s": 2.0},)}, ["does not stand there"]),
        ({"contacts": ({"post": 0, "side": "L", "s": 2.1},)}, ["0.100 m", "plan the path again"]),
        (
            {"contacts": ({"post": 0, "side": "L", "s": 2.0}, {"post": 0, "side": "L", "s": 2.0})},
            ["second time"],
        ),
        ({"segments": ((1.0, 0.0), (-1.0, 0.0)), "contacts": ()}, ["segments[1]", "above 0"]),
        ({"segments": ((1.0, 2.0), (1.0, 0.0)), "contacts": ()}, ["first", "straight"]),
        ({"segments": ((1.0, 0.0), (1.0, 2.0)), "contacts": ()}, ["last", "straight"]),
        ({"segments": ((3000.0, 0.0),), "contacts": ()}, ["3000 m", "lengths in m"]),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(changes, words):
    with pytest.raises(BoaError) as error:
        build_path(settings(**changes), BOA)
    assert "\n" not in str(error.value)
    assert all(word in str(error.value) for word in words), str(error.value)


def test_a_post_that_is_touched_twice_is_one_body():
    """There and back past one post: left of the way there, and left again on the way back."""
    radius = 0.2
    there = ((1.0, 0.0), (math.pi * radius, 1 / radius), (1.0, 0.0))
    post = Circle(x=0.5, y=0.2, radius=0.2 - BOA.link.radius)
    back = 1.0 + math.pi * radius + 0.5
    contacts = (
        NamedContact(post=0, side="L", s=0.5),
        NamedContact(post=0, side="L", s=back),
        NamedContact(post=1, side="R", s=0.2),
    )
    other = Circle(x=0.2, y=-REACH, radius=0.05)
    path = build_path(settings(segments=there, posts=(post, other), contacts=contacts), BOA)
    assert [at.s for at in path.contacts] == pytest.approx([0.2, 0.5, back])
    assert path.posts == (other, post) and path.post_of == (0, 1, 1)


def test_a_closed_path_repeats_after_a_lap():
    quarter = (0.5 * math.pi * 0.3, 1 / 0.3)
    pieces = ((1.0, 0.0), quarter) * 4
    contact = NamedContact(post=1, side="R", s=0.5)
    path = build_path(settings(segments=pieces, contacts=(contact,), closed=True), BOA)
    lap = 4 * (1.0 + quarter[0])
    assert path.curve.closed and path.curve.length == pytest.approx(lap)
    s = np.array([0.3, 1.2, 2.0])
    assert path.curve.position(s + lap) == pytest.approx(path.curve.position(s), abs=1e-9)
    assert path.curve.heading(s + lap) == pytest.approx(path.curve.heading(s) + 2 * math.pi)


def test_a_closed_path_must_meet_its_start():
    with pytest.raises(BoaError, match="lead it back to its start"):
        build_path(settings(contacts=(), closed=True), BOA)
