# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cameras see what they should; floor and lights do not touch the planar robot."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from boa_description import frames
from boa_description.load import load_robot
from boa_description.mjcf import build_spec
from boa_description.scene import Box, Circle, Obstacle, Wall
from boa_description.staging import IMAGE_HEIGHT, IMAGE_WIDTH, scene_bounds

ASPECT = IMAGE_WIDTH / IMAGE_HEIGHT
OBSTACLES = (
    Circle(x=-1.0, y=2.0, radius=0.05),
    Box(x=3.0, y=0.0, length=0.4, width=0.2, heading=0.7),
    Wall(x1=0.0, y1=-1.5, x2=1.0, y2=-1.2),
)
ROW = tuple(Circle(x=float(x), y=0.0, radius=0.05) for x in range(-6, 7))  # much wider than high


@pytest.mark.parametrize("obstacles", [OBSTACLES, OBSTACLES[:1], ROW, ()])
def test_the_overhead_camera_sees_the_whole_scene(
    obstacles: tuple[Obstacle, ...],
) -> None:
    robot = load_robot("boa13")
    model = build_spec(robot, obstacles).compile()
    camera = model.camera(frames.OVERHEAD_CAMERA)
    shown = camera.fovy[0] / 2 * np.array([ASPECT, 1.0]) + 1e-9
    for index in range(len(obstacles)):
        geom = model.geom(frames.obstacle_geom(index))
        assert np.all(np.abs(geom.pos[:2] - camera.pos[:2]) + 0.05 < shown)
    low, high = scene_bounds(robot, obstacles)
    assert np.all(np.abs((low + high) / 2 - camera.pos[:2]) < 1e-9)
    assert np.all((high - low) / 2 <= shown)


@pytest.mark.parametrize("name", ["boa3", "boa13", "boa20"])
@pytest.mark.parametrize("far", [0.0, 40.0])
def test_the_chase_camera_keeps_the_robot_in_its_picture(name: str, far: float) -> None:
    robot = load_robot(name)
    model = build_spec(robot, OBSTACLES).compile()
    data = mujoco.MjData(model)
    data.qpos[0] = far
    mujoco.mj_forward(model, data)
    mujoco.mj_camlight(model, data)
    camera = data.camera(frames.CHASE_CAMERA)
    height = np.tan(np.radians(model.camera(frames.CHASE_CAMERA).fovy[0]) / 2)
    for frame in (robot.link_names[0], robot.link_names[-1]):
        x, y, z = camera.xmat.reshape(3, 3).T @ (data.body(frame).xpos - camera.xpos)
        assert z < 0, "behind the camera"
        assert abs(y) < height * -z
        assert abs(x) < height * ASPECT * -z


def test_the_floor_carries_a_free_robot_only() -> None:
    robot = load_robot("boa3")
    assert build_spec(robot).geom("floor").conaffinity == 0
    assert build_spec(robot, base="free").geom("floor").conaffinity == 1
