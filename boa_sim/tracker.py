# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tracker in simulation: a camera above the floor that sees one link now and then."""

from __future__ import annotations

import numpy as np

from boa_control.experiments.scenario import PlantSettings, TrackerSettings
from boa_control.messages.tracker import TrackerSample
from boa_control.plant import GroundTruth, pose_of
from boa_description.arrays import Array
from boa_description.chain import joint_axes, link_headings
from boa_description.link_frames import link_frames
from boa_description.quaternion import turned_about_vertical, yaw_quaternion
from boa_description.robot import Robot
from boa_sim.sample_queue import SampleQueue
from boa_sim.streams import stream
from boa_sim.world import World


def make_tracker(robot: Robot, settings: PlantSettings, seed: int) -> SimulatedTracker | None:
    """The scenario's tracker; None where it has none.

    Raises:
        BoaError: the robot has no link of that name.
    """
    if settings.tracker is None:
        return None
    return SimulatedTracker(robot, settings, settings.tracker, seed)


class SimulatedTracker:
    """Measures the pose of one link with noise; it is NaN while the link is lost."""

    def __init__(
        self, robot: Robot, settings: PlantSettings, tracker: TrackerSettings, seed: int
    ) -> None:
        """Raises BoaError for a link that the robot does not have."""
        self._robot = robot
        self._tracker = tracker
        self._link = tracker.index(robot)
        self._noisy = settings.effects.on("tracker_noise")
        self._samples = SampleQueue[TrackerSample](tracker.rate, tracker.latency, settings.effects)
        self._seed = seed
        self.reset()

    def reset(self) -> None:
        """Back to the state at power-up, with the same random numbers."""
        self._samples.reset()
        self._noise = stream(self._seed, "tracker_noise")
        self._start_ns: int | None = None

    def newest(self, world: World, now_ns: int) -> TrackerSample | None:
        """Measure if a sample is due at this tick; the newest sample that has arrived by now."""
        if self._start_ns is None:
            self._start_ns = now_ns
        if self._samples.due(now_ns):
            self._samples.push(self._measure(world, now_ns))
        return self._samples.newest(now_ns)

    def _measure(self, world: World, now_ns: int) -> TrackerSample:
        truth = world.truth(now_ns)
        draw = self._noise.standard_normal(3)
        error = draw * [*2 * [self._tracker.noise], self._tracker.heading_noise]
        time = (now_ns - (self._start_ns or 0)) * 1e-9
        if any(begin <= time < end for begin, end in self._tracker.lost):
            return TrackerSample(now_ns, np.full(3, np.nan), np.full(4, np.nan))
        at = self._in_plane if self._robot.planar else self._in_space
        return at(truth, error if self._noisy else np.zeros(3))

    def _in_plane(self, truth: GroundTruth, error: Array) -> TrackerSample:
        """The link's pose, wrong by `error` in x, y, m, and heading, rad."""
        joints = truth.joint_position
        place = joint_axes(self._robot.link.pitch, truth.base, joints)[self._link] + error[:2]
        heading = float(link_headings(truth.base, joints)[self._link]) + float(error[2])
        position = np.array([*place, truth.position[2]])
        return TrackerSample(truth.stamp_ns, position, yaw_quaternion(heading))

    def _in_space(self, truth: GroundTruth, error: Array) -> TrackerSample:
        """The same of a robot that leaves the plane; its height is not wrong."""
        pose = link_frames(self._robot, pose_of(truth), truth.joint_position)[self._link]
        position = pose[:3] + np.array([*error[:2], 0.0])
        turned = turned_about_vertical(pose[3:], float(error[2]))
        return TrackerSample(truth.stamp_ns, position, turned)
