# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures and videos of the scene: the robot in a pose, its obstacles, its path and the contact
forces as arrows.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

import imageio_ffmpeg
import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from boa_control.plant import ContactTruth
from boa_description import frames
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.scene import Obstacle
from boa_description.terrain import Terrain
from boa_sim.posing import drawn_spec, set_pose
from boa_sim.rendering.gl import open_context
from boa_sim.rendering.overlay import Overlay

Picture = NDArray[np.uint8]

HAIR = 0.012  # of the radius; below that the facets still cross
MAX_GEOMS = 20_000
# of MuJoCo's visual quality: pixels of the shadow map, facets around and along
QUICK = {"shadowsize": 1024, "numslices": 16, "numstacks": 8}


class SceneRenderer:
    """Draws a robot among obstacles.

    Holds an OpenGL context: use it as a context manager, in one thread.
    """

    def __init__(
        self,
        robot: Robot,
        obstacles: Sequence[Obstacle] = (),
        *,
        width: int = 1280,
        height: int = 720,
        camera: str = frames.OVERHEAD_CAMERA,
        path: Array | None = None,
        metres_per_newton: float = 0.03,
        quick: bool = False,
        terrain: Terrain = (),
    ) -> None:
        """Set up the scene.

        Args:
            width, height: of the pictures, pixels; at most 1920 by 1080.
            camera: "overhead" shows everything, "chase" and "side" follow the robot.
            path: points of a curve to draw on the floor, shape (m, 2), m.
            metres_per_newton: length of the force arrows.
            quick: half of the time without a GPU: shadows and round shapes are coarser, the floor
                does not reflect.
            terrain: steps and gaps of the floor.

        Raises:
            BoaError: this machine cannot draw; says what to install.
        """
        self._gl = open_context(width, height)
        spec = drawn_spec(robot, obstacles, terrain)
        if quick:
            for setting, value in QUICK.items():
                setattr(spec.visual.quality, setting, value)
        self._model = spec.compile()
        for link in robot.link_names[1::2]:  # where links overlap, one of them lies outside
            for geom in frames.link_geoms(link, robot.link.track):
                self._model.geom(geom).size[0] *= 1 + HAIR
        self._data = mujoco.MjData(self._model)
        self._scene = mujoco.MjvScene(self._model, maxgeom=MAX_GEOMS)
        if quick:
            self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = 0
        self._context = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_150)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._camera.fixedcamid = self._model.camera(camera).id
        self._view = mujoco.MjrRect(0, 0, width, height)
        self._path = path
        self._scale = metres_per_newton
        self._link = robot.link

    def picture(
        self,
        base: Array,
        joints: Array,
        contacts: Iterable[ContactTruth] = (),
        caption: str | None = None,
    ) -> Picture:
        """Draw one pose, base and joints as of `boa_sim.posing.set_pose`. Shape (height, width,
        3).
        """
        self._gl.make_current()
        set_pose(self._model, self._data, base, joints)
        mujoco.mj_fwdPosition(self._model, self._data)
        everything = mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mjv_updateScene(
            self._model, self._data, mujoco.MjvOption(), None, self._camera, everything, self._scene
        )
        overlay = Overlay(self._scene, self._link, self._scale)
        if self._path is not None:
            overlay.draw_path(self._path)
        overlay.draw_forces(contacts)
        mujoco.mjr_render(self._view, self._scene, self._context)
        pixels: Picture = np.empty((self._view.height, self._view.width, 3), np.uint8)
        mujoco.mjr_readPixels(pixels, None, self._view, self._context)
        upright: Picture = np.flipud(pixels).copy()
        return with_caption(upright, caption) if caption else upright

    def close(self) -> None:
        """Give the OpenGL context back."""
        self._gl.make_current()
        self._context.free()
        self._gl.free()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def with_caption(picture: Picture, text: str) -> Picture:
    """The picture with a line of text at its lower left."""
    image = Image.fromarray(picture)
    size = max(picture.shape[0] // 36, 12)
    place = (size, picture.shape[0] - 2 * size)
    draw = ImageDraw.Draw(image)
    draw.text(place, text, fill=(20, 22, 26), font=ImageFont.load_default(size))
    return np.asarray(image)


def write_video(file: Path, pictures: Iterable[Picture], fps: float) -> int:
    """Write an H.264 video that every browser plays; returns the number of pictures.

    Pictures are taken one by one and may come from a generator. Width and height must be even.
    """
    count, writer = 0, None
    try:
        for picture in pictures:
            if writer is None:
                size = (picture.shape[1], picture.shape[0])
                writer = imageio_ffmpeg.write_frames(
                    str(file),
                    size,
                    fps=fps,
                    codec="libx264",
                    quality=7,
                    macro_block_size=2,
                    ffmpeg_log_level="error",
                )
                writer.send(None)
            writer.send(np.ascontiguousarray(picture))
            count += 1
    finally:
        if writer is not None:
            writer.close()
    return count
