# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Force sensors and IMUs that do not move while the others do: dead at one value, or frozen.

A sensor that always tells the same looks like a force that something else must balance, so it is
worse than one that tells nothing. While the others feel the robot move no sound one repeats its
value to the last bit: where it does so for a window, it is silent from then on, until it moves.
Where all of them stand still nothing is concluded: that is a fault of their bus.
"""

from collections.abc import Sequence

import numpy as np

from boa_control.events import Event, EventKind, EventQueue
from boa_control.plant import SensorFrame
from boa_description.arrays import Array, Flags, Indices
from boa_description.robot import Robot

WINDOW_NS = 500_000_000  # ns of samples that are judged together, as of the link boards' sensors
LEAST_SAMPLES = 10  # in a window: a gap in the samples is no stuck sensor
NONE: Indices = np.zeros(0, np.intp)


class Stuck:
    """Judges sensors of one kind against each other.

    Attributes:
        silent: those that do not move, shape (k,). any_silent: some are.
    """

    def __init__(self, count: int, noise: float) -> None:
        """`noise`: of a sensor, as of its values; half of them must move by more in a window."""
        self._noise = noise
        self._since_ns = 0
        self._newest_ns: int | None = None
        self._window: list[Array] = []  # samples, the first one taken at `_since_ns`
        self.silent: Flags = np.zeros(count, bool)
        self.any_silent = False

    def update(self, stamp_ns: int, values: Array) -> Indices:
        """Use the newest sample, shape (k, m), which stays as it is; those that are silent from now
        on.
        """
        if stamp_ns == self._newest_ns:
            return NONE
        self._newest_ns = stamp_ns
        if not self._window:
            self._since_ns = stamp_ns
        self._window.append(values)
        if self.any_silent:
            self._set(self.silent & ~_moved(self._window[0], values))
        if stamp_ns - self._since_ns < WINDOW_NS or len(self._window) < LEAST_SAMPLES:
            return NONE
        return self._judge(stamp_ns)

    def _judge(self, stamp_ns: int) -> Indices:
        """Judge the window; the next one begins with its last sample."""
        window = np.array(self._window)
        self._window, self._since_ns = self._window[-1:], stamp_ns
        spread = (np.fmax.reduce(window) - np.fmin.reduce(window)).max(axis=1)
        stuck = (spread == 0.0) & (np.nanmedian(spread) > self._noise)
        news = np.flatnonzero(stuck & ~self.silent)
        self._set((self.silent & ~(spread > 0.0)) | stuck)
        return news

    def _set(self, silent: Flags) -> None:
        self.silent, self.any_silent = silent, bool(silent.any())


def _moved(first: Array, values: Array) -> Flags:
    """Which sensors show another value than at first, shape (k,), in samples of shape (k, m)."""
    return np.asarray((np.abs(values - first) > 0.0).any(axis=1))  # false for NaN


class StuckSensors:
    """Takes the values of stuck sensors out of the frames.

    Attributes:
        events: not told yet.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._joint_names, self._link_names = robot.joint_names, robot.link_names
        self.reset()

    def reset(self) -> None:
        """All sensors are sound."""
        robot = self._robot
        self._forces = Stuck(robot.joints, robot.force_sensor.noise)
        self._imus = Stuck(robot.links, robot.imu.acceleration_noise)
        self.events = EventQueue()

    def without(self, frame: SensorFrame) -> SensorFrame:
        """The frame with NaN where a sensor is stuck; the frame itself where none is."""
        force, imu = frame.joint_force, frame.imu
        if force is not None:
            news = self._forces.update(force.stamp_ns, force.force[:, :2])
            self._tell("force sensor", self._joint_names, news)
            if self._forces.any_silent:
                silent = np.where(self._forces.silent[:, None], np.nan, force.force)
                frame = frame._replace(joint_force=force._replace(force=silent))
        if imu is not None:
            news = self._imus.update(imu.stamp_ns, imu.linear_acceleration[:, :2])
            self._tell("IMU", self._link_names, news)
            if self._imus.any_silent:
                stuck = self._imus.silent[:, None]
                spin = np.where(stuck, np.nan, imu.angular_velocity)
                push = np.where(stuck, np.nan, imu.linear_acceleration)
                imu = imu._replace(angular_velocity=spin, linear_acceleration=push)
                frame = frame._replace(imu=imu)
        return frame

    def _tell(self, kind: str, names: Sequence[str], news: Indices) -> None:
        for k in news.tolist():
            self.events.add(Event(kind=EventKind.SENSOR_STUCK, subject=f"{kind} {names[k]}"))
