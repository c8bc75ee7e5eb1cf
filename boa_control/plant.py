"""The plant contract: what a simulated and a physical robot have in common.

A plant is whatever turns joint torques into sensor readings. `read` gives the newest complete
sample, `write` sends torques for the coming control period. Only
`boa_control.safety.supervisor.Supervisor` calls `write`, after the torque gate.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol, overload

import numpy as np

from boa_description.arrays import Array, Indices
from boa_description.quaternion import yaw_quaternion
from boa_description.robot import Robot

FLOOR = -2  # the floor among obstacles, where a robot lies on it with its weight


class Sample(Protocol):
    """Common part of all sensors' samples: the time at which they were taken."""

    @property
    def stamp_ns(self) -> int:
        """Time of the SYNC that took the sample, ns."""


@dataclass(frozen=True, slots=True)
class ImuSample:
    """One synchronous sample of all link IMUs, in space. Missing values are NaN, never zero.

    A BNO055 without magnetometer (IMUPLUS) knows the vertical absolutely and the heading relative
    to its start, so the world frame here is turned about z, for every link by its own start
    heading. The planar values (`yaw`, `yaw_rate`, `acceleration`) are projections.

    Attributes:
        stamp_ns: time of the SYNC that took the sample, ns.
        orientation: shape (n_links, 4), unit quaternions x, y, z, w (the order of ROS), from the
            link frame (x to the head, y left, z up) to that world frame.
        angular_velocity: shape (n_links, 3), link frame, rad/s.
        linear_acceleration: shape (n_links, 3), of the link centre without gravity, link frame,
            m/s2.
        heading: shape (n_links,), turn of each link about the vertical since the start, rad, as
            its source reports it, wrapped or not. It stands beside the quaternion, which cannot
            count turns and would round it; read back from a message it is the quaternion's yaw.
    """

    stamp_ns: int
    orientation: Array
    angular_velocity: Array
    linear_acceleration: Array
    heading: Array

    @classmethod
    def planar(cls, stamp_ns: int, yaw: Array, yaw_rate: Array, acceleration: Array) -> ImuSample:
        """The sample of a source that reports the plane only: heading (n_links,), rad, its rate
        (n_links,), rad/s, and acceleration (n_links, 2), m/s2.

        Links that lie in the plane do not roll or pitch: that is known, so these angles and their
        rates are zero where the rest is given. The vertical acceleration is not: NaN.
        """
        spin = np.zeros((yaw_rate.size, 3))
        spin[:, 2] = yaw_rate
        push = np.full((len(acceleration), 3), np.nan)
        push[:, :2] = acceleration
        return cls(stamp_ns, yaw_quaternion(yaw), spin, push, yaw)

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


@dataclass(frozen=True, slots=True)
class ForceSample:
    """One synchronous sample of all joint force sensors. Missing values are NaN, never zero.

    Attributes:
        stamp_ns: time of the SYNC that took the sample, ns.
        force: shape (n_joints, 3), force that link i + 1 exerts on link i at joint i, in the sensor
            frame, N. The sensor frame is fixed to link i + 1, x to the head, y left, z up.
    """

    stamp_ns: int
    force: Array


@dataclass(frozen=True, slots=True)
class SensorFrame:
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
    further: Mapping[str, Sample] = field(default_factory=dict)

    def sample(self, sensor: str) -> Sample | None:
        """Newest sample of a sensor by its name in the sensor table; None before the first."""
        if sensor == "joint_force":
            return self.joint_force
        return self.imu if sensor == "imu" else self.further.get(sensor)

    @property
    def complete(self) -> bool:
        """Whether every joint has a reading. Force sensors and IMUs may be silent: controllers
        must work without them.
        """
        # a value that is not finite makes the sum so; asked every tick, and the fastest way
        return math.isfinite(self.position.dot(self.velocity) + self.effort.dot(self.effort))


@dataclass(frozen=True, slots=True)
class ContactTruth:
    """One true contact between a link and an obstacle, world frame.

    Attributes:
        link: index of the link, 0 = tail.
        obstacle: index of the obstacle in the scene, or FLOOR.
        point: shape (3,), m.
        normal: shape (3,), unit, from the obstacle to the link.
        normal_force: along the normal, N, >= 0.
        friction: shape (3,), the part of the force on the link across the normal, N.
    """

    link: int
    obstacle: int
    point: Array
    normal: Array
    normal_force: float
    friction: Array

    @classmethod
    def planar(
        cls,
        link: int,
        obstacle: int,
        point: Array,
        normal: Array,
        normal_force: float,
        tangential_force: float = 0.0,
        *,
        height: float = 0.0,
    ) -> ContactTruth:
        """A contact with a vertical surface: point (2,) and normal (2,) in the plane at `height`,
        m; the tangential force, N, counts along the normal turned by -90 degrees.
        """
        x, y = normal
        friction = np.array([tangential_force * y, -tangential_force * x, 0.0])
        where = np.array([*point, height])
        return cls(link, obstacle, where, np.array([x, y, 0.0]), normal_force, friction)

    @property
    def force(self) -> Array:
        """On the link, shape (3,), N."""
        return self.normal_force * self.normal + self.friction

    @property
    def tangential_force(self) -> float:
        """Horizontal part of the friction, N, along the normal turned by -90 degrees."""
        return float(self.friction[0] * self.normal[1] - self.friction[1] * self.normal[0])


class TruthColumns(NamedTuple):
    """True contacts of many instants as columns, named as in `ContactTruth`.

    Attributes:
        report: shape (m,), which of the instants.
        link, obstacle, normal_force: shape (m,).
        point, normal, friction: shape (m, 3).
    """

    report: Indices
    link: Indices
    obstacle: Indices
    point: Array
    normal: Array
    normal_force: Array
    friction: Array

    def select(self, rows: Indices) -> TruthColumns:
        """The contacts of some rows, as arrays of their own."""
        columns: list[Any] = [column[rows] for column in self]
        return TruthColumns(*columns)

    @property
    def force(self) -> Array:
        """On the links, shape (m, 3), N."""
        return self.normal_force[:, None] * self.normal + self.friction

    @property
    def tangential_force(self) -> Array:
        """As of `ContactTruth`, shape (m,), N."""
        friction, normal = self.friction, self.normal
        sliding: Array = friction[:, 0] * normal[:, 1] - friction[:, 1] * normal[:, 0]
        return sliding


class DeferredContacts(Sequence[ContactTruth], ABC):
    """True contacts of one instant, put together when they are read: a run that records them does
    so for many instants at once.
    """

    @staticmethod
    @abstractmethod
    def columns(reports: Sequence[Any]) -> TruthColumns:
        """The contacts of many instants, all of this class."""

    @cached_property
    def alone(self) -> TruthColumns:
        """The contacts of this instant."""
        return type(self).columns((self,))

    @cached_property
    def _all(self) -> tuple[ContactTruth, ...]:
        given = self.alone
        return tuple(
            map(
                ContactTruth,
                given.link.tolist(),
                given.obstacle.tolist(),
                given.point,
                given.normal,
                given.normal_force.tolist(),
                given.friction,
            )
        )

    def __len__(self) -> int:
        return self.alone.link.size

    @overload
    def __getitem__(self, index: int) -> ContactTruth: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ContactTruth, ...]: ...
    def __getitem__(self, index: int | slice) -> ContactTruth | tuple[ContactTruth, ...]:
        return self._all[index]


def read_truths(reports: Sequence[Sequence[ContactTruth]]) -> None:
    """Put the contacts of many instants together at once, for who then reads them one by one."""
    given = [report for report in reports if isinstance(report, DeferredContacts)]
    if not given:
        return
    columns = type(given[0]).columns(given)
    ends = np.searchsorted(columns.report, np.arange(len(given)), side="right").tolist()
    for report, start, end in zip(given, [0, *ends], ends, strict=False):
        rows: list[Any] = [column[start:end] for column in columns]
        report.alone = TruthColumns(*rows)


def truth_columns(reports: Sequence[Sequence[ContactTruth]]) -> TruthColumns:
    """The true contacts of many instants as columns."""
    if len(reports) == 1 and isinstance(reports[0], DeferredContacts):
        return reports[0].alone
    kinds = {type(report) for report in reports}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is not None and issubclass(kind, DeferredContacts):
        return kind.columns(reports)
    contacts = [contact for report in reports for contact in report]
    return TruthColumns(
        np.arange(len(reports)).repeat([len(report) for report in reports]),
        np.array([contact.link for contact in contacts], dtype=np.intp),
        np.array([contact.obstacle for contact in contacts], dtype=np.intp),
        np.array([contact.point for contact in contacts]).reshape(-1, 3),
        np.array([contact.normal for contact in contacts]).reshape(-1, 3),
        np.array([contact.normal_force for contact in contacts], dtype=np.float64),
        np.array([contact.friction for contact in contacts]).reshape(-1, 3),
    )


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """State that only a simulation knows; for evaluation and views, never for control.

    Attributes:
        stamp_ns: ns.
        position: shape (3,), tail end of link 1 (on the joint axis line), world frame, m.
        orientation: shape (4,), unit quaternion x, y, z, w of link 1 in the world.
        linear_velocity, angular_velocity: shape (3,), of that point and of link 1, world frame,
            m/s and rad/s.
        heading: of link 1, rad, not wrapped: beside the quaternion, which cannot count turns.
        joint_position, joint_velocity: shape (n_joints,), noiseless.
        contacts: one entry per touching pair of link and obstacle.
    """

    stamp_ns: int
    position: Array
    orientation: Array
    linear_velocity: Array
    angular_velocity: Array
    heading: float
    joint_position: Array
    joint_velocity: Array
    contacts: Sequence[ContactTruth] = field(default=())

    @classmethod
    def planar(
        cls,
        stamp_ns: int,
        base: Array,
        base_velocity: Array,
        joint_position: Array,
        joint_velocity: Array,
        contacts: Sequence[ContactTruth] = (),
        *,
        height: float = 0.0,
    ) -> GroundTruth:
        """The state of a chain whose axes lie in the plane at `height`, m: `base` (3,) x, y and
        heading of link 1, and their rates (3,).
        """
        x, y, heading = base.tolist()
        u, v, rate = base_velocity.tolist()
        half = 0.5 * heading
        return cls(
            stamp_ns,
            np.array([x, y, height]),
            np.array([0.0, 0.0, np.sin(half), np.cos(half)]),
            np.array([u, v, 0.0]),
            np.array([0.0, 0.0, rate]),
            heading,
            joint_position,
            joint_velocity,
            contacts,
        )

    @property
    def pose(self) -> Array:
        """Position and quaternion of link 1, shape (7,)."""
        return np.concatenate((self.position, self.orientation))

    def base_of(self, robot: Robot) -> Array:
        """`base`, or `pose` of a robot that leaves the plane: what views draw it from."""
        return self.base if robot.planar else self.pose

    @property
    def base(self) -> Array:
        """x, y and heading of link 1, shape (3,), m and rad."""
        return np.array([self.position[0], self.position[1], self.heading])

    @property
    def base_velocity(self) -> Array:
        """Rates of `base`, shape (3,), m/s and rad/s."""
        return np.array([*self.linear_velocity[:2], self.angular_velocity[2]])


class Plant(Protocol):
    """A robot or its simulation. Not thread-safe: one owner calls everything."""

    @property
    def robot(self) -> Robot:
        """The description of the robot behind this plant."""

    @property
    def control_period_ns(self) -> int:
        """Time between two control ticks, ns."""

    @property
    def armed(self) -> bool:
        """Whether written torques act. The plant alone keeps this; everybody else reads it here."""

    @property
    def simulation(self) -> Simulation | None:
        """The part that only a simulation has; None: this is a robot."""

    def now_ns(self) -> int:
        """Present time on the clock of the stamps, ns. A robot's clock runs on; simulated time
        stands at the stamp of the present tick until the next `write`.
        """

    def read(self) -> SensorFrame:
        """Return the newest complete sample; on a robot, wait for this tick's bus cycle.

        Raises:
            PlantError: the plant is gone (cable out, process died) and cannot be read.
        """

    def write(self, torque: Array) -> None:
        """Apply joint torques for one control period; a simulation advances by it. Without effect
        on the joints while disarmed.

        Args:
            torque: shape (n_joints,), N m, as the torque gate lets them through.

        Raises:
            PlantError: wrong shape, not finite (`checked_torque`), closed, or the plant is gone.
        """

    def arm(self) -> None:
        """Let torques act. Raises PlantError with the reason when the plant cannot."""

    def disarm(self) -> None:
        """Remove torque from every joint at once. Never raises, may be called at any time."""

    def reset_fault(self) -> None:
        """Clear plant faults (reboot and reconfigure servos); ends disarmed. Raises PlantError."""

    def tare(self) -> None:
        """Set the force sensors' zero. Raises PlantError unless disarmed, still and unloaded."""

    def fault_latched(self, reason: str) -> None:
        """The torque gate has latched a fault and disarmed this plant; who has others to warn does.
        Never raises.
        """

    def counters(self) -> Mapping[str, float]:
        """Numbers for the diagnostics, by name: punctuality, losses, restarts. Empty where there is
        nothing to count.

        Raises:
            PlantError: as `read`.
        """

    def warnings(self) -> tuple[str, ...]:
        """Conditions that the robot can work with for a while, one text each, with the remedy.

        Raises:
            PlantError: as `read`.
        """

    def close(self) -> None:
        """Disarm and release everything. Never raises; may be called twice."""


class Simulation(Protocol):
    """The part of a simulated plant that no robot has."""

    def truth(self) -> GroundTruth:
        """The true state at the time of the last `read` or `write`."""

    def reset(self) -> None:
        """Back to the initial state, disarmed; time continues from zero."""

    def push(self, link: int, wrench: Array, duration: float) -> None:
        """Push a link from the next `write` on, instead of an earlier push of it.

        Args:
            link: index, 0 = tail.
            wrench: shape (3,), force along the link's x and y axis at its centre, N, and torque
                about the vertical, N m.
            duration: s; whole ticks, at least one.

        Raises:
            PlantError: the physics engine has no such forces.
        """

    def place(self, base: Array, joints: Array) -> None:
        """Put the robot at rest at a pose; measured from the next `write` on.

        Args:
            base: shape (3,), x, y, heading of link 1, m and rad.
            joints: shape (n_joints,), rad.

        Raises:
            PlantError: armed, a joint beyond its limits, or an obstacle is in the way; nothing has
                moved then.
        """


def truth_of(plant: Plant) -> GroundTruth | None:
    """The true state; None where nobody knows it."""
    return None if plant.simulation is None else plant.simulation.truth()


def checked_torque(torque: Array, robot: Robot) -> Array:
    """The torques that a plant is given, shape (n_joints,), N m. Every plant's `write` calls this,
    and nothing behind it checks again.

    Raises:
        PlantError: wrong shape or not finite.
    """
    torque = np.asarray(torque, float)
    if torque.shape != (robot.joints,):
        raise PlantError(f"torque has shape {torque.shape}, the robot has {robot.joints} joints")
    # a value that is not finite makes the sum of squares so; so may very large ones
    if not (math.isfinite(torque.dot(torque)) or np.isfinite(torque).all()):
        raise PlantError(f"torque is not finite: {torque}; repair the controller")
    return torque


class PlantError(Exception):
    """The plant refuses or has failed; says which part, the value, the limit and the remedy."""
