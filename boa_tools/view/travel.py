# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How far a robot has come and how fast: as its controller says, or in space along its heading."""

from collections import deque
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from boa_control.experiments.experiment import Experiment
from boa_description.arrays import Array
from boa_description.link_frames import link_frames, start_pose
from boa_description.robot import Robot

WINDOW = 1.0  # s over which the speed in space is averaged: about half a period of a gait

Known = tuple[float | None, float | None]


class Travel(Protocol):
    """Way and speed of one run.

    Attributes:
        robot: that travels.
        start_base: its base at the start, as of `link_frames`.
    """

    robot: Robot
    start_base: Array

    def update(self, time: float, base: Array, joints: Array, debug: Mapping[str, Any]) -> Known:
        """Way, m, and speed, m/s, None where not known.

        Args:
            time: s since the start; a time that goes back begins a new run.
            base, joints: as of `link_frames`.
            debug: the controller's record.
        """


class ControllersTravel:
    """Progress on the path, as the controller says it; see `Travel`."""

    def __init__(self, experiment: Experiment) -> None:
        self.robot = experiment.robot
        self.start_base = experiment.start_base

    def update(
        self,
        time: float,  # noqa: ARG002
        base: Array,  # noqa: ARG002
        joints: Array,  # noqa: ARG002
        debug: Mapping[str, Any],
    ) -> Known:
        """See `Travel`."""
        return debug.get("progress_m"), debug.get("progress_rate_mps")


class TravelInSpace:
    """Way of the middle of the robot along its heading at the start; see `Travel`."""

    def __init__(self, experiment: Experiment) -> None:
        self.robot = experiment.robot
        self.start_base = start_pose(experiment.robot, experiment.start_base)
        heading = float(experiment.start_base[2])
        self._along = np.array([np.cos(heading), np.sin(heading), 0.0])
        self._start = self._middle(self.start_base, experiment.start_joints)
        self._way: deque[tuple[float, float]] = deque()

    def update(
        self,
        time: float,
        base: Array,
        joints: Array,
        debug: Mapping[str, Any],  # noqa: ARG002
    ) -> Known:
        """See `Travel`."""
        way = float((self._middle(base, joints) - self._start) @ self._along)
        if self._way and time < self._way[-1][0]:
            self._way.clear()
        self._way.append((time, way))
        while self._way[-1][0] - self._way[0][0] > WINDOW:
            self._way.popleft()
        then, before = self._way[0]
        return way, (way - before) / (time - then) if time > then else None

    def _middle(self, base: Array, joints: Array) -> Array:
        """Mean of the tail-side ends of all links, (3,), m."""
        return link_frames(self.robot, base, joints)[:, :3].mean(axis=0)


def travel_of(experiment: Experiment) -> Travel:
    """The way of a robot in the plane or in space."""
    return (ControllersTravel if experiment.robot.planar else TravelInSpace)(experiment)
