"""Obstacles as markers."""

from __future__ import annotations

import numpy as np

from boa_control.messages.markers import encode_obstacles
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
