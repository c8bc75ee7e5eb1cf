# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""New paths as data: checked, numbered like the map of the run, and recorded with every digit."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.controllers.new_path import (
    PathChange,
    new_path_event,
    read_new_path,
    recorded_new_path,
)
from boa_control.controllers.set_points import SetPoint
from boa_control.event_text import brief_of, text_of
from boa_control.events import Event, EventKind
from boa_description.errors import BoaError
from boa_description.scene import Circle, Wall
from test.boa_control.controllers.short_path import PATH, new_path

RADIUS = 0.04


def test_posts_keep_the_numbers_of_the_map():
    known = [
        Circle(x=2.0, y=-0.09, radius=0.05),
        Wall(x1=0.0, y1=5.0, x2=5.0, y2=5.0),
        Circle(x=1.06, y=0.09, radius=0.05),  # moved by 60 mm since
        Circle(x=0.0, y=3.0, radius=0.05),
    ]
    path = new_path().planned(RADIUS, known)
    assert [(at.x, at.s) for at in path.contacts] == [(1.0, 1.0), (2.0, 2.0)]
    assert path.post_of == (2, 0)
    assert path.numbers == (2, 0, 4), "the one that is new comes after all others"


def test_posts_that_nobody_knows_are_counted_from_the_end_of_the_map():
    assert new_path().planned(RADIUS, ()).numbers == (0, 1, 2)


finite = st.floats(-900, 900, allow_nan=False)


@given(leaves=finite, progress=finite, x=finite, y=finite, speed=st.floats(1e-6, 2.0))
def test_the_record_has_every_digit(leaves, progress, x, y, speed):
    path = {**PATH, "start": [x, y]}
    new = new_path(path=path, leaves=leaves, progress=progress, speed=speed)
    again = recorded_new_path(new_path_event(new))
    assert again == new.with_contacts_only()
    assert again.path.start == (x, y) and again.leaves == leaves


def test_the_record_has_the_posts_that_are_touched_only():
    short = new_path().with_contacts_only()
    assert [post.x for post in short.path.posts] == [1.0, 2.0]
    assert [at.post for at in short.path.contacts] == [1, 0]
    whole, brief = (new.planned(RADIUS, ()).contacts for new in (new_path(), short))
    assert whole == brief


def test_a_change_of_a_scenario_is_recorded_without_its_time():
    change = PathChange.model_validate({**new_path().model_dump(), "time": 3.0, "pause": 1.0})
    assert recorded_new_path(new_path_event(change)) == new_path().with_contacts_only()


def test_people_read_it_without_the_numbers():
    event = new_path_event(new_path())
    assert brief_of(event) == "new path of 4.000 m from 1.500 m on"
    assert text_of(event) == f"{brief_of(event)}: {event.record}"
    assert recorded_new_path(Event(kind=EventKind.WALL_LOST)) is None


def test_the_set_point_of_before_where_it_names_none():
    before = SetPoint(0.1, 5.0, 2.0)
    assert new_path().set_point(before) == before
    assert new_path(speed=0.05, force_floor=1.0).set_point(before) == SetPoint(0.05, 5.0, 1.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"speed": 0.0}, "speed"),
        ({"progress": None}, "progress"),
        ({"path": {**PATH, "kind": "circle"}}, "path"),
        ({"path": {**PATH, "heading": "north"}}, "heading"),
        ({"typo": 1}, "typo"),
    ],
)
def test_what_is_no_new_path_is_named(change, words):
    raw = {**json.loads(new_path().model_dump_json()), **change}
    with pytest.raises(BoaError, match=words):
        read_new_path(json.dumps(raw))


def test_what_is_no_json_is_named():
    with pytest.raises(BoaError, match="new path: "):
        read_new_path("{")
