# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Values of sensors: samples of their own instants, and the frame of one control tick."""

import math
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple, Protocol, Self

import numpy as np

from boa_description.arrays import Array
from boa_description.quaternion import yaw_quaternion

OWN_SENSORS = "joint_force", "imu"  # fields of a frame; others are among its further ones


class Sample(Protocol):
    """Common part of all sensors' samples: the time at which they were taken."""

    @property
    def stamp_ns(self) -> int:
        """Time of the SYNC that took the sample, ns."""


class ImuSample(NamedTuple):
    """One synchronous sample of all link IMUs, in space. Missing values are NaN, never zero.

    A BNO055 without magnetometer (IMUPLUS) knows the vertical absolutely and the heading relative
    to its start, so the world frame here is turned about z, for every link by its own start
    heading. The planar values (`yaw`, `yaw_rate`, `acceleration`) are projections.

    Attributes:
        stamp_ns: time of the SYNC that took the sample, ns.
        rotation: `orientation`; None where the links lie in the plane, so that `heading` tells it.
        angular_velocity: shape (n_links, 3), link frame, rad/s.
        linear_acceleration: shape (n_links, 3), of the link centre without gravity, link frame,
            m/s2.
        heading: shape (n_links,), turn of each link about the vertical since the start, rad, as
            its source reports it, wrapped or not. It stands beside the quaternion, which cannot
            count turns and would round it; read back from a message it is the quaternion's yaw.
    """

    stamp_ns: int
    rotation: Array | None
    angular_velocity: Array
    linear_acceleration: Array
    heading: Array

    @classmethod
    def planar(cls, stamp_ns: int, yaw: Array, yaw_rate: Array, acceleration: Array) -> Self:
        """The sample of a source that reports the plane only: heading (n_links,), rad, its rate
        (n_links,), rad/s, and acceleration (n_links, 2), m/s2.

        Links that lie in the plane do not roll or pitch: that is known, so these angles and their
        rates are zero where the rest is given. The vertical acceleration is not: NaN.
        """
        spin = np.zeros((yaw_rate.size, 3))
        spin[:, 2] = yaw_rate
        push = np.full((len(acceleration), 3), np.nan)
        push[:, :2] = acceleration
        return cls(stamp_ns, None, spin, push, yaw)

    @property
    def orientation(self) -> Array:
        """Shape (n_links, 4), unit quaternions x, y, z, w (the order of ROS), from the link frame
        (x to the head, y left, z up) to that world frame.
        """
        return yaw_quaternion(self.heading) if self.rotation is None else self.rotation

    @property
    def yaw(self) -> Array:
        """Heading of each link relative to its heading at start, shape (n_links,), rad."""
        return self.heading

    @property
    def yaw_rate(self) -> Array:
        """Rate about the link's z axis, shape (n_links,), rad/s; in memory like an array of its
        own, so that sums over it round the same.
        """
        return self.angular_velocity[:, 2].copy()

    @property
    def acceleration(self) -> Array:
        """Along the link's x and y axis, (n_links, 2), m/s2; an array of its own, as `yaw_rate`."""
        return self.linear_acceleration[:, :2].copy()


class ForceSample(NamedTuple):
    """One synchronous sample of all joint force sensors. Missing values are NaN, never zero.

    Attributes:
        stamp_ns: time of the SYNC that took the sample, ns.
        force: shape (n_joints, 3), force that link i + 1 exerts on link i at joint i, in the sensor
            frame, N. The sensor frame is fixed to link i + 1, x to the head, y left, z up.
    """

    stamp_ns: int
    force: Array

    @property
    def largest(self) -> float:
        """Largest component of all joints, N, of those that are known; 0 where none is."""
        return float(np.nanmax(np.abs(self.force), initial=0.0))


def force_components(force: Array) -> Array:
    """Largest component of each force, shape (..., 3) to (...), N, of those that are known: boards
    of the robot send none along z. NaN where none is.
    """
    return np.asarray(np.fmax.reduce(np.abs(force), axis=-1))


def force_sizes(force: Array) -> Array:
    """Size of each force, shape (..., 3) to (...), N, without z where that is not known, as of the
    robot. NaN where x or y is not.
    """
    planar = np.square(force[..., :2]).sum(axis=-1)
    return np.asarray(np.sqrt(planar + np.square(np.nan_to_num(force[..., 2]))))


class SensorFrame(NamedTuple):
    """Everything the robot measures, at one control tick. This is all a controller ever sees.

    Attributes:
        stamp_ns: time of the joint sample, ns (simulation time or the robot's ROS time).
        position, velocity, effort: shape (n_joints,), rad, rad/s, N m (measured, from current). NaN
            for a joint that has not answered since its bus was opened; controllers get no such
            frame (`boa_control.safety.frame_guard`).
        joint_force: newest force sample, its own stamp tells its age; None before the first.
        imu: newest IMU sample; None before the first.
        temperature: shape (n_joints,), degC; NaN where not measured.
        joint_age: shape (n_joints,), s; 0 for a reply of this tick, else the age of the last good
            reply.
        faults: plant faults, e.g. "servo 3 (joint_03): no reply for 3 ticks; check its cable".
        further: newest samples of further sensors, by their name in the sensor table
            (`boa_control.messages.sensors`); a sensor without one is missing here.
    """

    stamp_ns: int
    position: Array
    velocity: Array
    effort: Array
    joint_force: ForceSample | None
    imu: ImuSample | None
    temperature: Array
    joint_age: Array
    faults: tuple[str, ...] = ()
    further: Mapping[str, Sample] = MappingProxyType({})

    def sample(self, sensor: str) -> Sample | None:
        """Newest sample of a sensor by its name in the sensor table; None before the first."""
        if sensor in OWN_SENSORS:
            own: Sample | None = getattr(self, sensor)
            return own
        return self.further.get(sensor)

    @property
    def complete(self) -> bool:
        """Whether every joint has a reading. Force sensors and IMUs may be silent: controllers
        must work without them.
        """
        # a value that is not finite makes the sum so; asked every tick, and the fastest way
        return math.isfinite(self.position.dot(self.velocity) + self.effort.dot(self.effort))


def orientations(samples: Sequence[ImuSample]) -> Array:
    """Those of many samples, shape (T, n_links, 4); of links in the plane all at once."""
    if all(sample.rotation is None for sample in samples):
        return yaw_quaternion(np.array([sample.heading for sample in samples]))
    return np.array([sample.orientation for sample in samples])


def new_samples(
    frames: Sequence[SensorFrame], sensor: str, newest_ns: int | None
) -> tuple[list[int], list[Sample]]:
    """Samples of a sensor that are new in consecutive frames, and which frames they came with; one
    that repeats the stamp of the last, at first `newest_ns`, is the same sample.
    """
    samples: Iterable[Sample | None]
    if sensor in OWN_SENSORS:
        samples = map(attrgetter(sensor), frames)  # without a call of Python for every tick
    else:
        samples = [frame.further.get(sensor) for frame in frames]
    places, new = [], []
    for place, sample in enumerate(samples):
        if sample is not None and sample.stamp_ns != newest_ns:
            newest_ns = sample.stamp_ns
            places.append(place)
            new.append(sample)
    return places, new
