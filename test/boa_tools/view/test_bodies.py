# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots of the 3-D scene: links where the robot's description has them, arrows at their points."""

from __future__ import annotations

import json

import numpy as np
import pytest

from boa_description.link_frames import link_frames
from boa_description.load import load_robot
from boa_description.quaternion import rotated
from boa_description.scene import GRAVITY
from boa_tools.report.interactive.scene import robot_data
from boa_tools.view.bodies import METRES_PER_WEIGHT, body_of


def told(name: str):
    """A robot as a viewer is told of it, through JSON."""
    robot = load_robot(name)
    return robot, json.loads(json.dumps(robot_data(robot)))


@pytest.mark.parametrize("name", ["boa13", "cobra12"])
def test_links_are_where_the_description_has_them(name: str) -> None:
    robot, data = told(name)
    rng = np.random.default_rng(2)
    turn = rng.normal(size=4)
    base = (
        rng.normal(size=3)
        if robot.planar
        else np.append(rng.normal(size=3), turn / (turn @ turn) ** 0.5)
    )
    joints = rng.uniform(-1.0, 1.0, robot.joints)
    frames = body_of(data, 0.0).frames(np.concatenate((base, joints)))
    np.testing.assert_allclose(frames, link_frames(robot, base, joints), atol=1e-12)


@pytest.mark.parametrize("name", ["boa13", "cobra12"])
def test_every_link_has_its_shape_from_one_end_of_its_spine_to_the_other(name: str) -> None:
    robot, data = told(name)
    shapes = body_of(data, 0.0).shapes()
    radius, track = 0.94 * robot.link.radius, robot.link.track
    assert sorted(link for shape in shapes for link in shape.links) == list(range(robot.links))
    for shape in shapes:
        low, high = shape.mesh.bounds
        for link in shape.links:
            begin, end = robot.spine(link)
            np.testing.assert_allclose(low[0], begin - radius, atol=0.02 * radius)
            np.testing.assert_allclose(high[0], end + radius, atol=0.02 * radius)
            np.testing.assert_allclose(
                (high - low)[1:], 2 * radius + np.array([2 * track, 0.0]), rtol=0.02
            )


def test_an_arrow_of_the_floor_ends_where_it_pushes_and_shows_the_whole_weight() -> None:
    robot, data = told("cobra12")
    weight = GRAVITY * robot.mass
    arrow = body_of(data, 0.0).forces([[3, -2, 0.5, 0.1, 0.0, 0.0, 0.0, weight]])
    np.testing.assert_allclose(
        arrow, [[[0.5, 0.1, -METRES_PER_WEIGHT], [0.5, 0.1, 0.0]]], atol=1e-6
    )


def test_in_space_the_view_begins_at_the_right_of_the_robot() -> None:
    _, data = told("cobra12")
    camera = np.array(body_of(data, 1.2).camera)
    half = 0.6
    right = rotated(np.array([0, 0, np.sin(half), np.cos(half)]), np.array([0.0, -1.0, 0.0]))
    across = camera[:2] / np.linalg.norm(camera[:2])
    np.testing.assert_allclose(across, right[:2], atol=1e-9)
    assert 0 < camera[2] < np.linalg.norm(camera[:2])
