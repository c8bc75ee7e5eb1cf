# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Force sensors and IMUs that do not move while the others do: dead at one value, or frozen.

A sensor that always tells the same looks like a force that something else must balance, so it is
worse than one that tells nothing. While the others feel the robot move no sound one repeats its
value to the last bit: where it does so for a window, it is silent from then on, until it moves.
"""

from __future__ import annotations

import numpy as np

from boa_control.events import Event, EventKind
from boa_control.plant import SensorFrame
from boa_description.arrays import Array, Flags, Indices
from boa_description.robot import Robot

WINDOW_NS = 500_000_000  # ns of samples that are judged together, as of the link boards' sensors
LEAST_SAMPLES = 10  # in a window: a gap in the samples is no stuck sensor


class Stuck:
    """Judges sensors of one kind against each other.

    Attributes:
        silent: those that do not move, shape (k,).
    """

    def __init__(self, count: int, noise: float) -> None:
        """`noise`: of a sensor, as of its values; half of them must move by more in a window."""
        self._noise = noise
        self._newest_ns: int | None = None
        self.silent: Flags = np.zeros(count, bool)

    def update(self, stamp_ns: int, values: Array) -> Indices:
        """Use the newest sample, shape (k, m); those that are silent from now on."""
        none = np.zeros(0, np.intp)
        if stamp_ns == self._newest_ns:
            return none
        if self._newest_ns is None:
            self._open(stamp_ns, values)
        self._newest_ns = stamp_ns
        self._samples += 1
        np.fmin(self._low, values, out=self._low)
        np.fmax(self._high, values, out=self._high)
        spread = (self._high - self._low).max(axis=1)
        self.silent &= ~(spread > 0.0)
        if stamp_ns - self._since_ns < WINDOW_NS or self._samples < LEAST_SAMPLES:
            return none
        stuck = (spread == 0.0) & (np.nanmedian(spread) > self._noise)
        news = np.flatnonzero(stuck & ~self.silent)
        self.silent |= stuck
        self._open(stamp_ns, values)
        return news

    def _open(self, stamp_ns: int, values: Array) -> None:
        self._since_ns, self._samples = stamp_ns, 0
        self._low, self._high = values.copy(), values.copy()


class StuckSensors:
    """Takes the values of stuck sensors out of the frames."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self.reset()

    def reset(self) -> None:
        """All sensors are sound."""
        robot = self._robot
        self._forces = Stuck(robot.joints, robot.force_sensor.noise)
        self._imus = Stuck(robot.links, robot.imu.acceleration_noise)
        self._events: tuple[Event, ...] = ()

    def pop_events(self) -> tuple[Event, ...]:
        """Events since the last call."""
        events, self._events = self._events, ()
        return events

    def without(self, frame: SensorFrame) -> SensorFrame:
        """The frame with NaN where a sensor is stuck; the frame itself where none is."""
        force, imu, robot = frame.joint_force, frame.imu, self._robot
        if force is not None:
            news = self._forces.update(force.stamp_ns, force.force[:, :2])
            self._tell("force sensor", [robot.joint_names[j] for j in news])
            if self._forces.silent.any():
                silent = np.where(self._forces.silent[:, None], np.nan, force.force)
                frame = frame._replace(joint_force=force._replace(force=silent))
        if imu is not None:
            news = self._imus.update(imu.stamp_ns, imu.linear_acceleration[:, :2])
            self._tell("IMU", [robot.link_names[i] for i in news])
            if self._imus.silent.any():
                stuck = self._imus.silent[:, None]
                spin = np.where(stuck, np.nan, imu.angular_velocity)
                push = np.where(stuck, np.nan, imu.linear_acceleration)
                imu = imu._replace(angular_velocity=spin, linear_acceleration=push)
                frame = frame._replace(imu=imu)
        return frame

    def _tell(self, kind: str, names: list[str]) -> None:
        self._events += tuple(
            Event(kind=EventKind.SENSOR_STUCK, subject=f"{kind} {name}") for name in names
        )
