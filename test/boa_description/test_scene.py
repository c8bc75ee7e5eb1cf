# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scenes from YAML-like data, and what they refuse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from boa_description.scene import Box, Circle, Duct, Scene, Wall
from boa_description.validation import explain


def test_obstacles_are_told_apart_by_kind() -> None:
    scene = Scene.model_validate(
        {
            "obstacles": [
                {"kind": "circle", "x": 0, "y": 1, "radius": 0.05},
                {"kind": "box", "x": 0, "y": 1, "length": 1, "width": 0.1},
                {"kind": "wall", "x1": 0, "y1": 0, "x2": 1, "y2": 0},
            ],
            "ground": {"model": "coulomb", "mu": 0.1},
        }
    )
    assert [type(obstacle) for obstacle in scene.obstacles] == [Circle, Box, Wall]
    assert scene.ground.mu == 0.1


@given(
    heading=st.floats(-math.pi, math.pi),
    length=st.floats(0.1, 10),
    width=st.floats(0.05, 1),
    thickness=st.floats(0.005, 0.1),
)
def test_a_duct_is_two_walls_with_its_width_clear(
    heading: float, length: float, width: float, thickness: float
) -> None:
    end = np.array([1.0, -2.0]) + length * np.array([math.cos(heading), math.sin(heading)])
    duct = Duct(x1=1.0, y1=-2.0, x2=end[0], y2=end[1], width=width, thickness=thickness)
    left, right = Scene(obstacles=(duct,)).bodies
    assert isinstance(left, Wall) and isinstance(right, Wall)
    normal = np.array([-math.sin(heading), math.cos(heading)])
    for wall, side in ((left, 1), (right, -1)):
        for x, y in ((wall.x1, wall.y1), (wall.x2, wall.y2)):
            inner = normal @ (np.array([x, y]) - [1.0, -2.0]) - side * wall.thickness / 2
            assert inner == pytest.approx(side * width / 2, abs=1e-9)
        assert math.hypot(wall.x2 - wall.x1, wall.y2 - wall.y1) == pytest.approx(length)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"obstacles": [{"kind": "cone"}]}, ["obstacles.0", "circle"]),
        (
            {"obstacles": [{"kind": "duct", "x1": 1, "y1": 2, "x2": 1, "y2": 2, "width": 0.2}]},
            ["a duct needs two different ends"],
        ),
        (
            {"obstacles": [{"kind": "circle", "x": 0, "y": 0, "radius": 0}]},
            ["obstacles.0.radius", "greater than 0"],
        ),
        (
            {"obstacles": [{"kind": "circle", "x": 0, "y": 0, "radus": 1}]},
            ["radus", "did you mean 'radius'"],
        ),
        (
            {"obstacles": [{"kind": "wall", "x1": 1, "y1": 2, "x2": 1, "y2": 2}]},
            ["two different ends", "(1, 2)"],
        ),
        ({"ground": {"model": "sticky"}}, ["ground.model", "coulomb", "sticky"]),
        ({"ground": {"mu": -0.1}}, ["ground.mu", "greater than or equal to 0", "-0.1"]),
        ({"contact": {"solref": [0.01, -1.0]}}, ["contact.solref", "both > 0", "both <= 0"]),
        (
            {"contact": {"solimp": [0.2, 1.0, 0.001]}},
            ["contact.solimp", "0.0001 to 0.9999", "width > 0"],
        ),
        ({"contact": {"solimp": [0.2, 0.8]}}, ["contact.solimp"]),
    ],
)
def test_wrong_scenes_get_one_clear_line(data: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ValidationError) as caught:
        Scene.model_validate(data)
    message = str(explain(caught.value, Scene, "scene"))
    assert "\n" not in message
    assert all(word in message for word in words), message
