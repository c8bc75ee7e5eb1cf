# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The picture and the video of a run: rendered with OpenGL; the picture else drawn from above."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image
from tqdm import tqdm

from boa_control.plant import FLOOR, ContactTruth
from boa_description.errors import BoaError
from boa_description.frames import CHASE_CAMERA, OVERHEAD_CAMERA, SIDE_CAMERA
from boa_description.scene import GRAVITY, Obstacle
from boa_description.staging import TILE, scene_bounds
from boa_sim.rendering.renderer import SceneRenderer, write_video
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.floor_load import floor_load
from boa_tools.report.style import png
from boa_tools.report.top_view import (
    force_scale,
    off_the_map,
    path_line,
    round_up,
    whole_scene,
)
from boa_tools.runs.console import refresh_interval
from boa_tools.runs.results import replacing
from boa_tools.runs.runlog import FloorForces

Picture = NDArray[np.uint8]

FRAME_RATE = 20  # of the video, 1/s
VIDEO_TIME = 20.0  # longest video, s; longer runs are shown faster
PATH_SPACING = 0.02  # m, of the drawn path
WIDE_SCENE = 5.0  # body lengths; a wider one shows nothing of the robot from above


def picture(analysis: Analysis) -> bytes | None:
    """The robot at the end of the run as a PNG; None where its pose is not known."""
    log = analysis.log
    if log.truth is None or not log.ticks:
        return None
    try:
        with renderer(analysis, best_camera(analysis)) as scene:
            caption = f"{log.time[-1]:.1f} s   {_scales(analysis)}"
            pixels = draw_tick(scene, analysis, log.ticks - 1, caption)
    except BoaError:  # no OpenGL here
        figure: Figure = whole_scene(analysis)
        return png(figure)
    buffer = BytesIO()
    Image.fromarray(pixels).save(buffer, format="png", optimize=True)
    return buffer.getvalue()


def write_run_video(analysis: Analysis, path: Path) -> None:
    """Write the run as a video that follows the robot, with contact forces.

    Raises:
        BoaError: no ground truth in this run, or no OpenGL on this machine.
    """
    log = analysis.log
    if log.truth is None or log.ticks < 2:
        raise BoaError(
            "no video: the true pose of the robot is not in this run (only simulations have it)"
        )
    pace = max(1.0, float(log.time[-1]) / VIDEO_TIME)
    times = np.arange(0.0, log.time[-1], pace / FRAME_RATE)
    ticks = np.minimum(np.searchsorted(log.time, times), log.ticks - 1)
    scales = _scales(analysis) + (f"   ({pace:.1f} x)" if pace > 1 else "")

    def frames(scene: SceneRenderer) -> Iterator[Picture]:
        for tick in tqdm(ticks, desc="video", unit="frame", mininterval=refresh_interval()):
            yield draw_tick(scene, analysis, int(tick), f"{log.time[tick]:.1f} s   {scales}")

    with (
        replacing(path) as scratch,
        renderer(analysis, moving_camera(analysis), quick=True) as scene,
    ):
        write_video(scratch, frames(scene), FRAME_RATE)


def renderer(
    analysis: Analysis,
    camera: str,
    *,
    size: tuple[int, int] = (1280, 720),
    quick: bool = False,
) -> SceneRenderer:
    """The scene of the run with its posts and path; width and height in pixels, `quick` as of the
    renderer.

    Raises BoaError where this machine cannot draw.
    """
    experiment = analysis.experiment
    line = path_line(analysis, PATH_SPACING)
    scale = TILE / _force_of_tile(analysis)
    return SceneRenderer(
        experiment.robot,
        _posts(analysis),
        width=size[0],
        height=size[1],
        camera=camera,
        path=line,
        metres_per_newton=scale,
        quick=quick,
        terrain=experiment.scenario.scene.terrain,
    )


def _force_of_tile(analysis: Analysis) -> float:
    """The round force whose arrow is as long as a floor tile, N."""
    robot = analysis.experiment.robot
    if not robot.planar:
        return round_up(GRAVITY * robot.mass)
    return round_up(TILE / force_scale(analysis, reach=robot.length))


def moving_camera(analysis: Analysis) -> str:
    """The camera that follows the robot."""
    return CHASE_CAMERA if analysis.experiment.robot.planar else SIDE_CAMERA


def best_camera(analysis: Analysis) -> str:
    """From above, where that shows more of the robot than a line of a few pixels, and posts to
    which it keeps.
    """
    experiment = analysis.experiment
    if not experiment.robot.planar:
        return SIDE_CAMERA
    posts = _posts(analysis)
    if not posts:
        return CHASE_CAMERA
    low, high = scene_bounds(experiment.robot, posts)
    wide = float((high - low).max()) > WIDE_SCENE * experiment.robot.length
    return CHASE_CAMERA if wide else OVERHEAD_CAMERA


def _posts(analysis: Analysis) -> tuple[Obstacle, ...]:
    """Those of the map where it has them, and those off the map."""
    return (*analysis.experiment.obstacles, *off_the_map(analysis))


def _scales(analysis: Analysis) -> str:
    """The scales of lengths and forces, for a caption."""
    return (
        f"floor tiles {TILE:g} m   a force arrow as long as a tile is {_force_of_tile(analysis):g} "
        "N"
    )


def draw_tick(
    scene: SceneRenderer, analysis: Analysis, tick: int, caption: str | None = None
) -> Picture:
    """Render the true pose and contacts of one tick."""
    truth = analysis.log.truth
    assert truth is not None
    return scene.picture(
        truth.pose_at(tick), truth.joint_position[tick], contacts_at(analysis, tick), caption
    )


def contacts_at(analysis: Analysis, tick: int) -> list[ContactTruth]:
    """The true contacts of one tick that carry force; of a floor, means over a frame of a video."""
    if analysis.log.floor is not None:
        return _floor_contacts(analysis, analysis.log.floor, tick)
    table = analysis.log.true_contacts
    if table is None:
        return []
    start, stop = np.searchsorted(table.tick, (tick, tick + 1))
    return [
        ContactTruth.planar(
            int(table.link[row]),
            int(table.obstacle[row]),
            table.point[row],
            table.normal[row],
            float(table.normal_force[row]),
            float(table.tangential_force[row]),
        )
        for row in range(start, stop)
        if table.normal_force[row] > 0
    ]


def _floor_contacts(analysis: Analysis, floor: FloorForces, tick: int) -> list[ContactTruth]:
    frame = round(1.0 / (FRAME_RATE * analysis.experiment.control_period))
    ticks = np.array([max(tick - frame, -1), tick])
    load = floor_load(floor, ticks, analysis.experiment.robot.links)
    up = np.array([0.0, 0.0, 1.0])
    return [
        ContactTruth(int(link), FLOOR, point, up, float(force[2]), force * (1.0, 1.0, 0.0))
        for number, link, point, force in zip(*load, strict=True)
        if number == 1
    ]
