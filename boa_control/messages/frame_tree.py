# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Frames as /tf and /tf_static tell them, for goals that are given in one of them, as RViz and Nav2
send them: geometry_msgs/PoseStamped.

A goal needs the newest transforms only, so this needs no history as tf2's buffer has; tf2_ros is on
no package index.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from boa_control.messages.cdr import deserialize
from boa_control.messages.topics import GOAL_POSE, TF
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.frames import MAP, WORLD
from boa_description.quaternion import inverse, product, rotated, yaw_of

UNIT = 0.01  # by which the length of a quaternion may differ from 1
FARTHEST = 1000.0  # m; what is farther away was meant in mm


class GoalPose(NamedTuple):
    """Where the head shall come, in the world: m, and the heading, rad."""

    x: float
    y: float
    heading: float


def read_goal(raw: bytes, frames: FrameTree) -> GoalPose:
    """The goal in a serialised message. Raises BoaError as `goal_of`."""
    return goal_of(deserialize(raw, GOAL_POSE.msgtype), frames)


def goal_of(content: Any, frames: FrameTree) -> GoalPose:
    """The goal in a geometry_msgs/PoseStamped.

    Raises:
        BoaError: a frame that is not known, numbers that are none, a quaternion that is no
            rotation.
    """
    place, turn = content.pose.position, content.pose.orientation
    if not (abs(place.x) <= FARTHEST and abs(place.y) <= FARTHEST):
        raise BoaError(
            f"goal: ({place.x:g}, {place.y:g}) m is no place on the map; give m, at most "
            f"{FARTHEST:g}"
        )
    quaternion = np.array([turn.x, turn.y, turn.z, turn.w])
    size = float(np.linalg.norm(quaternion))
    if not abs(size - 1.0) <= UNIT:
        raise BoaError(
            f"goal: its quaternion has length {size:g}, a rotation has 1; for no turn give w: 1"
        )
    given = Pose(np.array([place.x, place.y, 0.0]), quaternion)
    there = frames.in_world(content.header.frame_id, given)
    x, y = there.position[:2].tolist()
    return GoalPose(x, y, float(yaw_of(there.rotation)))


def course_of(content: Any, frames: FrameTree) -> Array:
    """The points of a nav_msgs/Path, shape (m, 2), in the world, m; a pose without a frame is in
    that of the path. Raises BoaError for a frame that is not known.
    """
    points = []
    for item in content.poses:
        at = item.pose.position
        frame = item.header.frame_id or content.header.frame_id
        given = Pose(np.array([at.x, at.y, 0.0]), np.array([0.0, 0.0, 0.0, 1.0]))
        points.append(frames.in_world(frame, given).position[:2])
    return np.array(points, float).reshape(-1, 2)


class UnknownFrameError(BoaError):
    """No transforms lead from a frame to the world."""


class Pose(NamedTuple):
    """Position (3,), m, and rotation x, y, z, w (4,)."""

    position: Array
    rotation: Array

    def of(self, other: Pose) -> Pose:
        """Another pose, given in the frame at this one, where this one is given."""
        position = self.position + rotated(self.rotation, other.position)
        return Pose(position, product(self.rotation, other.rotation))

    def inverse(self) -> Pose:
        """The pose of what this one is given in, in the frame at this one."""
        back = inverse(self.rotation)
        return Pose(-rotated(back, self.position), back)


HERE = Pose(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))


class FrameTree:
    """The newest transform of every frame into the one above it.

    `map` is the world where nobody says otherwise.
    """

    def __init__(self) -> None:
        self._above: dict[str, tuple[str, Pose]] = {}

    def take(self, raw: bytes) -> None:
        """A message of tf or tf_static. Raises MessageError where it is none."""
        for item in deserialize(raw, TF.msgtype).transforms:
            at, turn = item.transform.translation, item.transform.rotation
            pose = Pose(np.array([at.x, at.y, at.z]), np.array([turn.x, turn.y, turn.z, turn.w]))
            self._above[item.child_frame_id] = (item.header.frame_id, pose)

    def in_world(self, frame: str, pose: Pose) -> Pose:
        """A pose given in a frame, in the world.

        Raises:
            UnknownFrameError: nobody has told where that frame is.
        """
        root, at = self._from_root(frame)
        root_of_world, world = self._from_root(WORLD)
        if root == MAP:
            root = root_of_world
        if root != root_of_world:
            near = get_close_matches(frame, {WORLD, MAP, *self._above}, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"'{WORLD}' and '{MAP}' always are"
            raise UnknownFrameError(f"goal: its frame '{frame}' is not known to tf; {hint}")
        return world.inverse().of(at).of(pose)

    def _from_root(self, frame: str) -> tuple[str, Pose]:
        """The root above a frame, and its pose there."""
        pose, passed = HERE, {frame}
        while frame in self._above:
            frame, above = self._above[frame]
            pose = above.of(pose)
            if frame in passed:
                raise UnknownFrameError(f"goal: the transforms of frame '{frame}' go in a circle")
            passed.add(frame)
        return frame, pose
