# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals as RViz and Nav2 send them: geometry_msgs/PoseStamped, in any frame that is known."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from boa_control.messages.cdr import deserialize
from boa_control.messages.frame_tree import FrameTree, Pose
from boa_control.messages.topics import GOAL_POSE
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.quaternion import no_rotation, yaw_of

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
    quaternion = np.array([turn.x, turn.y, turn.z, turn.w])
    if wrong := no_rotation(quaternion):
        raise BoaError(f"goal: {wrong}")
    given = Pose(np.array([place.x, place.y, 0.0]), quaternion)
    there = frames.in_world(content.header.frame_id, given)
    x, y = there.position[:2].tolist()
    if not (abs(x) <= FARTHEST and abs(y) <= FARTHEST):
        raise BoaError(
            f"goal: ({x:g}, {y:g}) m is no place on the map; give m, at most {FARTHEST:g}"
        )
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
