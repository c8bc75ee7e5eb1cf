# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a robot that leaves the plane is, from the tracked pose of one link and joint angles."""

import math
from collections import deque
from typing import NamedTuple

import numpy as np

from boa_control.controller import Briefing
from boa_control.estimation.dead_reckoning import MEMORY_NS, newest_until
from boa_control.messages.tracker import TrackerSample
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.link_frames import link_centres, link_frames, start_pose
from boa_description.quaternion import inverse, product, rotated
from boa_description.robot import Robot

AT_REST = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])  # a pose: no place, no turn


class Place(NamedTuple):
    """Place and direction of the body as a whole.

    Attributes:
        centre: of mass, seen from above, shape (2,), m.
        heading: from the middle of the rear half to that of the front half, rad. Links pitch by
            more than a right angle and have no heading of their own then.
    """

    centre: Array
    heading: float


class PlaceInSpace:
    """Follows the samples of the tracker; the place of the newest one stands until the next."""

    def __init__(self, briefing: Briefing, who: str) -> None:
        """`who` is the controller, for errors.

        Raises:
            BoaError: the scenario has no tracker, or hides the start.
        """
        if briefing.tracked_link is None:
            raise BoaError(
                f"controller {who}: it goes by a tracker, and the scenario has no plant.tracker; "
                "add one"
            )
        if briefing.start_base is None or briefing.start_joints is None:
            raise BoaError(
                f"controller {who}: it goes by its start until the tracker sees it, and this "
                "scenario hides it (disturbance.unknown_start); leave that out"
            )
        self._robot, self._link = briefing.robot, briefing.tracked_link
        pose = start_pose(self._robot, briefing.start_base)
        self._start = whole_body(self._robot, link_frames(self._robot, pose, briefing.start_joints))
        self.reset()

    def reset(self) -> None:
        """Back to the start."""
        self._place = self._start
        self._sample_ns: int | None = None
        self._joints: deque[tuple[int, Array]] = deque()

    def update(self, frame: SensorFrame) -> Place:
        """Take a frame; the place by the newest sample."""
        self._joints.append((frame.stamp_ns, frame.position))
        while self._joints[0][0] < frame.stamp_ns - MEMORY_NS:
            self._joints.popleft()
        sample = frame.sample("tracker")
        if not isinstance(sample, TrackerSample) or not sample.seen:
            return self._place
        if sample.stamp_ns == self._sample_ns:
            return self._place
        self._sample_ns = sample.stamp_ns
        joints = newest_until(self._joints, sample.stamp_ns)
        if joints is not None:
            pose = np.concatenate((sample.position, sample.orientation))
            poses = frames_around(self._robot, self._link, pose, joints)
            self._place = whole_body(self._robot, poses)
        return self._place


def frames_around(robot: Robot, link: int, pose: Array, joints: Array) -> Array:
    """Frames of all links, shape (n, 7), from that of one of them.

    Args:
        pose: of link number `link` (from 0), position and quaternion, shape (7,).
        joints: shape (n_joints,), rad.
    """
    frames = link_frames(robot, AT_REST, joints)
    turn = product(pose[3:], inverse(frames[link, 3:]))
    moved = np.empty_like(frames)
    moved[:, :3] = pose[:3] + rotated(turn, frames[:, :3] - frames[link, :3])
    moved[:, 3:] = product(turn, frames[:, 3:])
    return moved


def whole_body(robot: Robot, frames: Array) -> Place:
    """Place and direction of a body with links at `frames`, shape (n, 7)."""
    centres = link_centres(robot, frames)
    half = robot.links // 2
    along = centres[-half:].mean(axis=0) - centres[:half].mean(axis=0)
    return Place(centres[:, :2].mean(axis=0), math.atan2(along[1], along[0]))
