"""The tracker in simulation: a camera above the floor that sees one link now and then."""

from __future__ import annotations

import numpy as np

from boa_control.experiments.scenario import PlantSettings, TrackerSettings
from boa_control.messages.tracker import TrackerSample
from boa_description.chain import joint_axes, link_headings
from boa_description.quaternion import yaw_quaternion
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
        joints = truth.joint_position
        x, y = joint_axes(self._robot.link.pitch, truth.base, joints)[self._link]
        heading = float(link_headings(truth.base, joints)[self._link])
        draw = self._noise.standard_normal(3)
        if self._noisy:
            x, y = np.array([x, y]) + self._tracker.noise * draw[:2]
            heading += self._tracker.heading_noise * draw[2]
        time = (now_ns - (self._start_ns or 0)) * 1e-9
        if any(begin <= time < end for begin, end in self._tracker.lost):
            return TrackerSample(now_ns, np.full(3, np.nan), np.full(4, np.nan))
        position = np.array([x, y, truth.position[2]])
        return TrackerSample(now_ns, position, yaw_quaternion(heading))
