# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Markers, and the obstacles as such: visualization_msgs/MarkerArray."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from boa_control.messages.cdr import (
    MessageError,
    deserialize,
    header,
    message,
    pose,
    serialize,
    time,
    vector,
)
from boa_control.messages.topics import OBSTACLES
from boa_control.model.contact_geometry import box_frame
from boa_description.colours import POST, rgb
from boa_description.frames import WORLD
from boa_description.quaternion import yaw_of, yaw_quaternion
from boa_description.scene import Box, Circle, Obstacle

ARROW, CUBE, CYLINDER = 0, 1, 3  # types of visualization_msgs/Marker
ADD, DELETE_ALL = 0, 3  # its actions
Colour = tuple[float, float, float, float]  # red, green, blue, alpha in 0 to 1

OBSTACLE_HEIGHT = 0.15  # m; obstacles are drawn as pillars as high as the robot
OBSTACLE_COLOUR: Colour = (*rgb(POST), 1.0)
TRANSPARENT: Colour = (0.0, 0.0, 0.0, 0.0)


def encode_obstacles(obstacles: Sequence[Obstacle], stamp_ns: int = 0) -> bytes:
    """One marker per obstacle; its id is the index in the map, its text the name of a post."""
    markers = [_obstacle(index, shape, stamp_ns) for index, shape in enumerate(obstacles)]
    return serialize(message(OBSTACLES.msgtype, markers=markers))


def decode_obstacles(raw: bytes) -> tuple[Obstacle, ...]:
    """The obstacles of a map in order of their ids: upright cylinders and boxes in the world.

    Raises:
        MessageError: another frame, another shape, a cylinder that is not round, or a place or
            size that is none.
    """
    shapes: dict[int, Obstacle] = {}
    for item in deserialize(raw, OBSTACLES.msgtype).markers:
        if item.action != ADD:
            continue
        where = f"{OBSTACLES.name}: marker {item.id}"
        if item.header.frame_id != WORLD:
            raise MessageError(f"{where} is in frame '{item.header.frame_id}', expected '{WORLD}'")
        require_place(item, where)
        at, turn, size = item.pose.position, item.pose.orientation, item.scale
        heading = float(yaw_of(np.array([[turn.x, turn.y, turn.z, turn.w]]))[0])
        if item.type == CYLINDER and size.x == size.y:
            shapes[item.id] = Circle(x=at.x, y=at.y, radius=size.x / 2, name=item.text or None)
        elif item.type == CUBE:
            shapes[item.id] = Box(x=at.x, y=at.y, length=size.x, width=size.y, heading=heading)
        else:
            raise MessageError(f"{where} is no round post (cylinder) and no box (cube)")
    return tuple(shapes[number] for number in sorted(shapes))


def require_place(item: Any, where: str) -> None:
    """Refuse a marker, called `where` in errors, without place, heading or size on the floor.

    Raises:
        MessageError: with what is wrong.
    """
    at, turn, size = item.pose.position, item.pose.orientation, item.scale
    if not all(map(math.isfinite, (at.x, at.y, turn.z, turn.w, size.x, size.y))):
        raise MessageError(f"{where} has a place or a size that is no number; give m")
    if size.x <= 0.0 or size.y <= 0.0:
        raise MessageError(f"{where} is {size.x:g} m x {size.y:g} m; give diameters above 0")


def _obstacle(index: int, shape: Obstacle, stamp_ns: int) -> Any:
    if isinstance(shape, Circle):
        kind, heading = CYLINDER, 0.0
        centre, size = (shape.x, shape.y), (2 * shape.radius, 2 * shape.radius)
    else:
        kind = CUBE
        at, half, heading = box_frame(shape)
        centre, size = (float(at[0]), float(at[1])), (2 * float(half[0]), 2 * float(half[1]))
    return marker(
        stamp_ns,
        WORLD,
        "obstacles",
        index,
        type=kind,
        position=(*centre, OBSTACLE_HEIGHT / 2),
        heading=heading,
        scale=(*size, OBSTACLE_HEIGHT),
        colour=OBSTACLE_COLOUR,
        text=(shape.name or "") if isinstance(shape, Circle) else "",
    )


def marker(
    stamp_ns: int,
    frame: str,
    namespace: str,
    number: int = 0,
    *,
    type: int = ARROW,
    action: int = ADD,
    position: tuple[float, float, float] = (0.0, 0.0, 0.0),
    heading: float = 0.0,
    scale: tuple[float, float, float] = (0.0, 0.0, 0.0),
    colour: Colour = TRANSPARENT,
    points: Sequence[Any] = (),
    text: str = "",
) -> Any:
    """visualization_msgs/Marker, without the fields for meshes, texts and textures."""
    nothing = np.zeros(0, dtype=np.uint8)
    red, green, blue, alpha = colour
    return message(
        "visualization_msgs/msg/Marker",
        header=header(stamp_ns, frame),
        ns=namespace,
        id=number,
        type=type,
        action=action,
        pose=pose(np.array([*position, *yaw_quaternion(heading)])),
        scale=vector(np.array(scale)),
        color=message("std_msgs/msg/ColorRGBA", r=red, g=green, b=blue, a=alpha),
        lifetime=message("builtin_interfaces/msg/Duration", sec=0, nanosec=0),
        frame_locked=False,
        points=list(points),
        colors=[],
        texture_resource="",
        texture=message(
            "sensor_msgs/msg/CompressedImage",
            header=message("std_msgs/msg/Header", stamp=time(0), frame_id=""),
            format="",
            data=nothing,
        ),
        uv_coordinates=[],
        text=text,
        mesh_resource="",
        mesh_file=message("visualization_msgs/msg/MeshFile", filename="", data=nothing),
        mesh_use_embedded_materials=False,
    )
