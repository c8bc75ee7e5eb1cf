# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Floor, light and cameras of the simulation. Nothing here changes the physics but the floor."""

import math
from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from boa_description import frames
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.scene import Circle, Obstacle, Wall
from boa_description.terrain import Slab, Terrain, slabs

IMAGE_WIDTH, IMAGE_HEIGHT = 1920, 1080
OVERHEAD_HEIGHT = 5.0  # m
CHASE_FOVY = 40.0  # deg
CHASE_TILT = 50.0  # deg below the horizon
SIDE_TILT = 10.0  # deg below the horizon
FLOOR_MARGIN = 5.0  # m around everything
SHADOWED = 3.0  # body lengths around the robot that cast shadows, at most; further they get coarse
TILE = 0.5  # m, side of a floor tile: a scale in every picture


def add_staging(
    spec: mujoco.MjSpec,
    robot: Robot,
    obstacles: Sequence[Obstacle],
    solid_floor: dict[str, Any] | None,
    terrain: Terrain = (),
) -> None:
    """Add floor, lights and the cameras `overhead` (everything), `chase` and `side` (follow the
    robot).

    Args:
        solid_floor: contact settings of the floor as MjSpec calls them; None: it touches nothing.
        terrain: steps and gaps of the floor.
    """
    low, high = scene_bounds(robot, obstacles)
    centre, size = (low + high) / 2, high - low
    _set_visuals(spec, robot, centre, size)
    _add_floor(spec, centre, size, solid_floor, slabs(terrain))
    _add_lights(spec)
    _add_overhead(spec, centre, size)
    _add_chase(spec, robot)
    _add_side(spec, robot)


def scene_bounds(robot: Robot, obstacles: Sequence[Obstacle]) -> tuple[Array, Array]:
    """Lower and upper corner of what there is to see, each shape (2,), m; without obstacles, room
    to move.
    """
    if not obstacles:
        reach = robot.links * robot.link.pitch
        return np.array([-0.6 * reach, -0.8 * reach]), np.array([1.6 * reach, 0.8 * reach])
    corners = np.concatenate([_corners(obstacle) for obstacle in obstacles])
    room = 4 * robot.link.radius + robot.link.pitch
    return corners.min(axis=0) - room, corners.max(axis=0) + room


def _corners(obstacle: Obstacle) -> Array:
    if isinstance(obstacle, Wall):
        return np.array([[obstacle.x1, obstacle.y1], [obstacle.x2, obstacle.y2]])
    reach = (
        obstacle.radius
        if isinstance(obstacle, Circle)
        else math.hypot(obstacle.length, obstacle.width) / 2
    )
    centre = np.array([obstacle.x, obstacle.y])
    return np.stack([centre - reach, centre + reach])


def _set_visuals(spec: mujoco.MjSpec, robot: Robot, centre: Array, size: Array) -> None:
    spec.stat.center = [centre[0], centre[1], robot.link.radius]
    spec.stat.extent = max(float(np.hypot(*size)) / 2, robot.length)
    spec.visual.global_.offwidth = IMAGE_WIDTH
    spec.visual.global_.offheight = IMAGE_HEIGHT
    spec.visual.headlight.ambient = [0.35, 0.35, 0.35]
    spec.visual.headlight.diffuse = [0.35, 0.35, 0.35]
    spec.visual.headlight.specular = [0.1, 0.1, 0.1]
    spec.visual.quality.shadowsize = 4096
    spec.visual.map.shadowclip = min(2.0, SHADOWED * robot.length / spec.stat.extent)
    spec.visual.map.znear = 0.01 / spec.stat.extent
    spec.visual.map.zfar = 200.0
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.85, 0.90, 0.95],
        rgb2=[0.55, 0.63, 0.72],
        width=64,
        height=64,
    )


def _add_floor(
    spec: mujoco.MjSpec,
    centre: Array,
    size: Array,
    solid: dict[str, Any] | None,
    pieces: tuple[Slab, ...],
) -> None:
    """A floor below everything, in tiles that mark world coordinates, and the slabs that stand on
    it.
    """
    _add_tiles(spec)
    half = TILE * np.ceil((size / 2 + FLOOR_MARGIN) / TILE)
    corner = TILE * np.round(centre / TILE)
    away = max((abs(piece.start - corner[0]) for piece in pieces[1:]), default=0.0)
    half[0] = max(half[0], TILE * np.ceil((away + FLOOR_MARGIN) / TILE))
    lowest = min(piece.top for piece in pieces)
    settings = {
        "material": "floor",
        "contype": 0,
        "conaffinity": int(solid is not None),
        **(solid or {}),
    }
    spec.worldbody.add_geom(
        name=frames.FLOOR_GEOM,
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        pos=[corner[0], corner[1], lowest],
        size=[half[0], half[1], TILE],
        **settings,
    )
    left, right = corner[0] - half[0], corner[0] + half[0]
    for index, piece in enumerate(pieces):
        if piece.top == lowest:
            continue
        start, end = max(piece.start, left), min(piece.end, right)
        spec.worldbody.add_geom(
            name=frames.slab_geom(index),
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=[(start + end) / 2, corner[1], (piece.top + lowest) / 2],
            size=[(end - start) / 2, half[1], (piece.top - lowest) / 2],
            **settings,
        )


def _add_tiles(spec: mujoco.MjSpec) -> None:
    """The material of the floor."""
    spec.add_texture(
        name="tiles",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_FLAT,
        rgb1=[0.66, 0.68, 0.70],
        mark=mujoco.mjtMark.mjMARK_EDGE,
        markrgb=[0.50, 0.52, 0.55],
        width=512,
        height=512,
    )
    material = spec.add_material(name="floor", texrepeat=[1 / TILE, 1 / TILE], texuniform=True)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "tiles"


def _add_lights(spec: mujoco.MjSpec) -> None:
    """A sun with shadows that keeps its distance to the robot, however far it travels."""
    spec.body("link_01").add_light(
        name="sun",
        mode=mujoco.mjtCamLight.mjCAMLIGHT_TRACKCOM,
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        pos=[-1, 1.5, 4],
        dir=[0.25, -0.4, -1],
        diffuse=[0.55, 0.55, 0.53],
        specular=[0.15, 0.15, 0.15],
        castshadow=True,
    )


def _add_overhead(spec: mujoco.MjSpec, centre: Array, size: Array) -> None:
    """Straight down, x to the right, to scale (orthographic), all in a picture of IMAGE_WIDTH by
    IMAGE_HEIGHT.
    """
    shown = max(size[1], size[0] * IMAGE_HEIGHT / IMAGE_WIDTH)
    spec.worldbody.add_camera(
        name=frames.OVERHEAD_CAMERA,
        proj=mujoco.mjtProjection.mjPROJ_ORTHOGRAPHIC,
        pos=[centre[0], centre[1], OVERHEAD_HEIGHT],
        fovy=shown,  # of an orthographic camera: what it shows vertically, m
    )


def _add_chase(spec: mujoco.MjSpec, robot: Robot) -> None:
    """Aside and above, following the robot's centre of mass without turning."""
    tilt = math.radians(CHASE_TILT)
    half_picture = math.tan(math.radians(CHASE_FOVY) / 2) * IMAGE_WIDTH / IMAGE_HEIGHT
    distance = 0.75 * robot.length / half_picture + 0.5
    roll = math.pi / 2 - tilt
    spec.body("link_01").add_camera(
        name=frames.CHASE_CAMERA,
        mode=mujoco.mjtCamLight.mjCAMLIGHT_TRACKCOM,
        pos=[
            robot.links * robot.link.pitch / 2,
            -distance * math.cos(tilt),
            distance * math.sin(tilt),
        ],
        quat=[math.cos(roll / 2), math.sin(roll / 2), 0, 0],
        fovy=CHASE_FOVY,
    )


def _add_side(spec: mujoco.MjSpec, robot: Robot) -> None:
    """From the right and a little above, to scale (orthographic), following the robot's centre of
    mass: what leaves the plane shows here.
    """
    roll = math.pi / 2 - math.radians(SIDE_TILT)
    away = 2.0 * robot.length
    spec.body("link_01").add_camera(
        name=frames.SIDE_CAMERA,
        mode=mujoco.mjtCamLight.mjCAMLIGHT_TRACKCOM,
        proj=mujoco.mjtProjection.mjPROJ_ORTHOGRAPHIC,
        pos=[
            robot.links * robot.link.pitch / 2,
            -away,
            away * math.tan(math.radians(SIDE_TILT)) + 0.05 * robot.length,
        ],
        quat=[math.cos(roll / 2), math.sin(roll / 2), 0, 0],
        fovy=1.2 * robot.length * IMAGE_HEIGHT / IMAGE_WIDTH,
    )
