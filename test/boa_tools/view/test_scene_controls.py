# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cameras and the values of a link in the 3-D scene."""

from __future__ import annotations

import numpy as np
import pytest
import viser

from boa_tools.view.scene3d import free_port
from boa_tools.view.scene_controls import INVITATION, VIEWS, SceneControls, link_values

SNAPSHOT = {
    "pose": [0.0, 0.0, 0.0, 0.5, None],
    "torque": [1.25, -0.5],
    "joint_force": [],
    "contacts": [[1, 4, 0.0, 0.0, 3.0, 4.0], [1, 5, 0.0, 0.0, 0.0, -4.0], [0, 2, 0.0, 0.0, 9.0, 0]],
}


def test_a_link_says_its_joints_and_the_sum_of_the_forces_on_it():
    told = link_values(SNAPSHOT, 1, 2)
    assert "**Link 2**" in told
    assert "| 1 | 28.6 | 1.25 | – |" in told  # 0.5 rad
    assert "| 2 | – | -0.50 | – |" in told
    assert "3.0 N" in told  # 3 along x, 4 - 4 along y


def test_the_ends_have_one_joint():
    assert (
        link_values(SNAPSHOT, 0, 2).count("\n| ") == link_values(SNAPSHOT, 2, 2).count("\n| ") == 2
    )


def test_in_space_too_whether_anything_touches_the_robot_or_not():
    space = SNAPSHOT | {"pose": [0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 0.5, 0.2], "contacts": []}
    assert "| 1 | 28.6 |" in link_values(space, 1, 2) and "0.0 N" in link_values(space, 1, 2)
    lies = space | {"contacts": [[1, -1, 0.0, 0.0, 0.0, 2.0, 1.0, 2.0]]}
    assert "3.0 N" in link_values(lies, 1, 2)


@pytest.fixture
def server():
    made = viser.ViserServer(host="127.0.0.1", port=free_port(), verbose=False)
    yield made
    made.stop()


def test_views_turn_with_the_robot(server):
    controls = SceneControls(server, reach=2.0, joints=2)
    before = controls.camera("ahead")
    assert np.allclose(before, (2.0, 0.0, 1.0))
    controls.heading = np.pi / 2
    assert np.allclose(controls.camera("ahead"), (0.0, 2.0, 1.0))
    assert np.allclose(controls.camera("side"), (1.8, 0.0, 0.7))
    assert {view for view in VIEWS if controls.camera(view)[2] < 0.3} == set()


def test_a_second_click_takes_the_values_away(server):
    controls = SceneControls(server, reach=2.0, joints=2)
    shown = []
    for click in (None, 1, 0, 0):
        if click is not None:
            controls.pick(click)
        controls.show(SNAPSHOT)
        shown.append(controls._values.content.split("\n")[0])
    assert shown == [INVITATION, "**Link 2**", "**Link 1**", INVITATION]
