# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures: the robot is where it should be, forces and captions show, videos can be played."""

from __future__ import annotations

from pathlib import Path

import imageio.v3 as iio
import numpy as np
import pytest

from boa_control.plant import ContactTruth
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_description.scene import Circle
from boa_sim.rendering import gl
from boa_sim.rendering.renderer import Picture, SceneRenderer, write_video

POSTS = (Circle(x=0.0, y=0.6, radius=0.05), Circle(x=0.6, y=-0.6, radius=0.05))


@pytest.fixture(scope="module")
def drawing() -> None:
    try:
        gl.open_context(64, 64).free()
    except BoaError as error:
        pytest.skip(str(error))


def reddish(picture: Picture) -> Picture:
    """Mask of pixels in the colour of force arrows."""
    red, green, blue = (picture[..., k].astype(int) for k in range(3))
    mask: Picture = ((red > green + 90) & (red > blue + 60) & (green < 80)).astype(np.uint8)
    return mask


@pytest.mark.usefixtures("drawing")
def test_the_robot_is_drawn_where_it_is_and_forces_as_arrows(boa3: Robot) -> None:
    still = np.zeros(2)
    force = ContactTruth.planar(1, 0, np.array([0.3, -0.05]), np.array([0.0, 1.0]), 10.0)
    with SceneRenderer(
        boa3, POSTS, width=320, height=180, path=np.array([[0, 0], [0.6, 0.0]])
    ) as renderer:
        here = renderer.picture(np.zeros(3), still)
        there = renderer.picture(np.array([0.0, 0.3, 0.0]), still)
        pushed = renderer.picture(np.zeros(3), still, [force])
        named = renderer.picture(np.zeros(3), still, caption="t = 1.00 s")
    assert here.shape == (180, 320, 3)
    moved = np.abs(here.astype(int) - there).sum(axis=2) > 60
    rows = np.flatnonzero(moved.any(axis=1))
    assert rows.min() < 90 - 20  # higher up in the picture: y is up
    assert not reddish(here).any()
    arrow = np.argwhere(reddish(pushed))
    assert len(arrow) > 10
    assert np.ptp(arrow[:, 0]) > 2 * np.ptp(arrow[:, 1])  # upright
    lower_left = np.s_[140:, :100]
    assert np.abs(named.astype(int) - here)[lower_left].sum() > 1000


@pytest.mark.usefixtures("drawing")
def test_a_video_can_be_read_back(boa3: Robot, tmp_path: Path) -> None:
    with SceneRenderer(boa3, POSTS, width=160, height=90) as renderer:
        pictures = [renderer.picture(np.array([0.02 * k, 0, 0]), np.zeros(2)) for k in range(6)]
    assert write_video(tmp_path / "scene.mp4", iter(pictures), fps=10) == 6
    read = iio.imread(tmp_path / "scene.mp4", plugin="FFMPEG")
    assert read.shape == (6, 90, 160, 3)
    assert np.abs(read[0].astype(int) - pictures[0]).mean() < 10


def test_a_machine_that_cannot_draw_says_what_to_install(
    boa3: Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUJOCO_GL", "nonsense")
    with pytest.raises(BoaError, match=r"nonsense.*apt install"):
        SceneRenderer(boa3)


def test_a_video_without_pictures_writes_nothing(tmp_path: Path) -> None:
    assert write_video(tmp_path / "empty.mp4", [], fps=10) == 0
    assert not (tmp_path / "empty.mp4").exists()
