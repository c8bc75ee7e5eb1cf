# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Frames as /tf and /tf_static tell them, for goals that are given in one of them.

A goal needs the newest transforms only, so this needs no history as tf2's buffer has; tf2_ros is on
no package index.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import NamedTuple

import numpy as np

from boa_control.messages.cdr import deserialize
from boa_control.messages.topics import TF
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.frames import MAP, WORLD
from boa_description.quaternion import inverse, no_rotation, product, rotated


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
        """A message of tf or tf_static; as in tf2, what is no transform does not count. Raises
        MessageError where it is no message.
        """
        for item in deserialize(raw, TF.msgtype).transforms:
            at, turn = item.transform.translation, item.transform.rotation
            pose = Pose(np.array([at.x, at.y, at.z]), np.array([turn.x, turn.y, turn.z, turn.w]))
            if np.isfinite(pose.position).all() and not no_rotation(pose.rotation):
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
