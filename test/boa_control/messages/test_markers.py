# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Obstacles as markers."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.messages.cdr import MessageError, deserialize, serialize
from boa_control.messages.markers import decode_obstacles, encode_obstacles
from boa_control.messages.topics import OBSTACLES
from boa_description.scene import Box, Circle, Wall


def test_obstacles_have_their_place_and_size(same_bytes) -> None:
    shapes = (
        Circle(x=1.0, y=2.0, radius=0.05),
        Box(x=0.0, y=1.0, length=0.4, width=0.2, heading=0.5),
        Wall(x1=0.0, y1=0.0, x2=0.0, y2=3.0, thickness=0.1),
    )
    circle, box, wall = same_bytes(encode_obstacles(shapes), OBSTACLES.msgtype).markers
    assert [m.id for m in (circle, box, wall)] == [0, 1, 2]
    assert (circle.type, box.type, wall.type) == (3, 1, 1)  # cylinder, cubes
    assert (circle.pose.position.x, circle.pose.position.y, circle.scale.x) == (1.0, 2.0, 0.1)
    assert (box.scale.x, box.scale.y) == (0.4, 0.2) and np.isclose(
        box.pose.orientation.z, np.sin(0.25)
    )
    np.testing.assert_allclose([wall.scale.x, wall.scale.y, wall.pose.position.y], [3.0, 0.1, 1.5])


def test_a_map_comes_back_as_it_was_sent() -> None:
    shapes = (Circle(x=1.0, y=2.0, radius=0.05), Box(x=0.0, y=1.0, length=0.4, width=0.2))
    assert decode_obstacles(encode_obstacles(shapes)) == shapes


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda it: setattr(it.header, "frame_id", "map"), "in frame 'map', expected 'world'"),
        (lambda it: setattr(it.pose.position, "x", float("nan")), "place or a size that is no"),
        (lambda it: setattr(it.pose.orientation, "z", float("nan")), "place or a size that is no"),
        (lambda it: setattr(it.scale, "x", 0.0), "is 0 m x 0.1 m; give diameters above 0"),
        (lambda it: setattr(it.scale, "y", 0.2), "is no round post"),
        (lambda it: setattr(it, "type", 2), "is no round post"),
    ],
)
def test_a_bad_map_is_one_clear_error(change, message) -> None:
    content = deserialize(encode_obstacles((Circle(x=1.0, y=2.0, radius=0.05),)), OBSTACLES.msgtype)
    change(content.markers[0])
    with pytest.raises(MessageError, match=message):
        decode_obstacles(serialize(content))
