# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals as RViz sends them: geometry_msgs/PoseStamped."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from boa_control.messages.cdr import deserialize
from boa_control.messages.topics import GOAL_POSE
from boa_description.errors import BoaError
from boa_description.frames import WORLD
from boa_description.quaternion import yaw_of

UNIT = 0.01  # by which the length of a quaternion may differ from 1
FARTHEST = 1000.0  # m; what is farther away was meant in mm


class GoalPose(NamedTuple):
    """Where the head shall come: m, and the heading, rad."""

    x: float
    y: float
    heading: float


def read_goal(raw: bytes) -> GoalPose:
    """The goal in a message.

    Raises:
        BoaError: another frame than the world, numbers that are none, a quaternion that is no
            rotation.
    """
    content = deserialize(raw, GOAL_POSE.msgtype)
    frame, place = content.header.frame_id, content.pose.position
    turn = content.pose.orientation
    if frame != WORLD:
        raise BoaError(
            f"goal: its frame is '{frame}', but the map is in '{WORLD}'; set RViz's fixed frame to "
            f"'{WORLD}'"
        )
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
    heading = float(yaw_of(quaternion[None])[0])
    return GoalPose(place.x, place.y, heading if math.isfinite(heading) else 0.0)
