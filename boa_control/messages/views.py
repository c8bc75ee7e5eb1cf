"""What is drawn: planned path, obstacles, link poses, robot description."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from boa_control.messages.cdr import (
    Mark,
    Template,
    header,
    message,
    point,
    quaternion,
    serialize,
    time,
    vector,
)
from boa_control.model.contact_geometry import box_frame
from boa_control.paths.path import Curve
from boa_description.arrays import Array
from boa_description.chain import joint_axes, link_headings
from boa_description.frames import WORLD
from boa_description.quaternion import yaw_quaternion
from boa_description.robot import Robot
from boa_description.scene import Box, Circle, Wall

PATH_SPACING = 0.02  # m
MARKER_HEIGHT = 0.15  # m; obstacles are drawn as pillars as high as the robot
MARKER_COLOUR = (0.45, 0.47, 0.50, 1.0)


def encode_path(curve: Curve, stamp_ns: int = 0) -> bytes:
    """nav_msgs/Path along the curve, closed curves once around."""
    count = max(2, round(curve.length / PATH_SPACING) + 1)
    s = np.linspace(0.0, curve.length, count)
    poses = [
        message(
            "geometry_msgs/msg/PoseStamped",
            header=header(stamp_ns, WORLD),
            pose=_pose([*xy, 0.0], yaw),
        )
        for xy, yaw in zip(curve.position(s), curve.heading(s), strict=True)
    ]
    return serialize(message("nav_msgs/msg/Path", header=header(stamp_ns, WORLD), poses=poses))


def encode_obstacles(obstacles: Sequence[Circle | Box | Wall], stamp_ns: int = 0) -> bytes:
    """visualization_msgs/MarkerArray, one marker per obstacle; its id is the index in the map."""
    markers = [_marker(index, shape, stamp_ns) for index, shape in enumerate(obstacles)]
    return serialize(message("visualization_msgs/msg/MarkerArray", markers=markers))


def encode_text(text: str) -> bytes:
    """std_msgs/String, for robot_description."""
    return serialize(message("std_msgs/msg/String", data=text))


class LinkPosesCodec:
    """link_poses: geometry_msgs/PoseArray of all link frames, from tail to head, in the world
    frame.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._template = Template(self._build)

    def _build(self, mark: Mark) -> Any:
        poses = [
            message(
                "geometry_msgs/msg/Pose", position=point(row[:3]), orientation=quaternion(row[3:])
            )
            for row in mark("pose", self._robot.links, 7)
        ]
        return message("geometry_msgs/msg/PoseArray", header=header(frame=WORLD), poses=poses)

    def encode(self, stamp_ns: int, base: Array, joints: Array) -> bytes:
        """Serialise the poses of a chain: x, y, heading of link 1 (3,), joint angles
        (n_joints,).
        """
        theta = link_headings(base, joints)
        pose = np.zeros((self._robot.links, 7))
        pose[:, :2] = joint_axes(self._robot.link.pitch, base, joints)[:-1]
        pose[:, 2] = self._robot.link.radius
        pose[:, 3:] = yaw_quaternion(theta)
        return self._template.write(stamp_ns, pose=pose)


def encode_link_transforms(robot: Robot, stamp_ns: int, base: Array, joints: Array) -> bytes:
    """tf2_msgs/TFMessage: link 1 in the world, every further link in the one before it, as in the
    URDF.
    """
    names = (WORLD, *robot.link_names)
    steps = [
        (base[0], base[1], robot.link.radius, base[2]),
        *((robot.link.pitch, 0.0, 0.0, angle) for angle in joints),
    ]
    transforms = [
        message(
            "geometry_msgs/msg/TransformStamped",
            header=header(stamp_ns, parent),
            child_frame_id=child,
            transform=message(
                "geometry_msgs/msg/Transform",
                translation=vector(np.array([x, y, z])),
                rotation=quaternion(yaw_quaternion(turn)),
            ),
        )
        for parent, child, (x, y, z, turn) in zip(names[:-1], names[1:], steps, strict=True)
    ]
    return serialize(message("tf2_msgs/msg/TFMessage", transforms=transforms))


def _pose(position: Sequence[float] | Array, yaw: float) -> Any:
    turn = quaternion(yaw_quaternion(yaw))
    return message("geometry_msgs/msg/Pose", position=point(np.asarray(position)), orientation=turn)


def _marker(index: int, shape: Circle | Box | Wall, stamp_ns: int) -> Any:
    cube, cylinder = 1, 3
    if isinstance(shape, Circle):
        kind, centre, size, heading = (
            cylinder,
            (shape.x, shape.y),
            (2 * shape.radius, 2 * shape.radius),
            0.0,
        )
    else:
        at, half, heading = box_frame(shape)
        kind, centre, size = (
            cube,
            (float(at[0]), float(at[1])),
            (2 * float(half[0]), 2 * float(half[1])),
        )
    duration = message("builtin_interfaces/msg/Duration", sec=0, nanosec=0)
    red, green, blue, alpha = MARKER_COLOUR
    return message(
        "visualization_msgs/msg/Marker",
        header=header(stamp_ns, WORLD),
        ns="obstacles",
        id=index,
        type=kind,
        action=0,
        pose=_pose([*centre, MARKER_HEIGHT / 2], heading),
        scale=vector(np.array([*size, MARKER_HEIGHT])),
        color=message("std_msgs/msg/ColorRGBA", r=red, g=green, b=blue, a=alpha),
        lifetime=duration,
        frame_locked=False,
        points=[],
        colors=[],
        texture_resource="",
        texture=message(
            "sensor_msgs/msg/CompressedImage",
            header=message("std_msgs/msg/Header", stamp=time(0), frame_id=""),
            format="",
            data=np.zeros(0, dtype=np.uint8),
        ),
        uv_coordinates=[],
        text="",
        mesh_resource="",
        mesh_file=message(
            "visualization_msgs/msg/MeshFile", filename="", data=np.zeros(0, dtype=np.uint8)
        ),
        mesh_use_embedded_materials=False,
    )
