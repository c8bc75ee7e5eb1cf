# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One meaning per colour, wherever a person looks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from boa_control.messages.cdr import deserialize
from boa_control.messages.markers import encode_obstacles
from boa_control.messages.topics import OBSTACLES
from boa_description import colours
from boa_description.scene import Circle

ROOT = Path(__file__).parents[2]
# names in pages -> what they mean
PAGES = {"limit": colours.TRUE_FORCE, "estimate": colours.ESTIMATED_FORCE, "post": colours.POST}


def test_pages_have_the_colours_of_the_table() -> None:
    """The first value of each name is that of a bright screen."""
    text = (ROOT / "boa_tools" / "report" / "base.html").read_text()
    for name, colour in PAGES.items():
        found = re.search(rf"--{name}: (#[0-9a-f]{{6}});", text)
        assert found is not None and found[1].upper() == colour.upper(), name


def test_rviz_draws_paths_and_plans_in_the_colours_of_the_table() -> None:
    text = (ROOT / "rviz" / "boa.rviz").read_text()
    for colour in (colours.PATH, colours.PLAN):
        assert f"Color: {'; '.join(map(str, colours.bytes_of(colour)))}" in text


def test_a_post_in_a_bag_has_its_colour() -> None:
    (marker,) = deserialize(
        encode_obstacles((Circle(x=0.0, y=0.0, radius=0.05),)), OBSTACLES.msgtype
    ).markers
    assert (marker.color.r, marker.color.g, marker.color.b) == pytest.approx(
        colours.rgb(colours.POST)
    )


def test_what_stands_side_by_side_differs() -> None:
    arrows = {colours.TRUE_FORCE, colours.ESTIMATED_FORCE, colours.JOINT_FORCE}
    posts = {colours.POST, colours.CORRECTED_POST, colours.UNMAPPED_POST}
    assert len(arrows) == len(posts) == 3 and arrows.isdisjoint(posts)
    assert colours.rgb("#FF8000") == pytest.approx((1.0, 128 / 255, 0.0))
