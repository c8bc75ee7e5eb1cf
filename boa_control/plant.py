"""The plant contract: what a simulated and a physical robot have in common.

A plant is whatever turns joint torques into sensor readings. `read` gives the newest complete
sample, `write` sends torques for the coming control period. Only
`boa_control.safety.supervisor.Supervisor` calls `write`, after the torque gate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from boa_description.arrays import Array
from boa_description.robot import Robot


@dataclass(frozen=True, slots=True)
class ImuSample:
    """One synchronous sample of all link IMUs, planar. Missing values are NaN, never zero.

    Attributes:
        stamp_ns: time of the SYNC that took the sample, ns.
        yaw: shape (n_links,), heading of each link relative to its heading at start, rad.
        yaw_rate: shape (n_links,), rad/s.
        acceleration: shape (n_links, 2), of the link centre in the link frame (x to the head, y
            left), m/s2.
    """

    stamp_ns: int
    yaw: Array
    yaw_rate: Array
    acceleration: Array


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

    @property
    def complete(self) -> bool:
        """Whether every joint has a reading. Force sensors and IMUs may be silent: that is for
        controllers to bear.
        """
        # a value that is not finite makes the sum so; looked at every tick, and the fastest way
        return math.isfinite(self.position.dot(self.velocity) + self.effort.dot(self.effort))


@dataclass(frozen=True, slots=True)
class ContactTruth:
    """One true contact between a link and an obstacle.

    Attributes:
        link: index of the link, 0 = tail.
        obstacle: index of the obstacle in the scene.
        point: shape (2,), world frame, m.
        normal: shape (2,), unit, from the obstacle to the link, world frame.
        normal_force: N, >= 0.
        tangential_force: N, along the normal turned by -90 degrees.
    """

    link: int
    obstacle: int
    point: Array
    normal: Array
    normal_force: float
    tangential_force: float = 0.0


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """What only a simulation knows; for evaluation and views, never for control.

    Attributes:
        stamp_ns: ns.
        base: shape (3,), x, y (tail end of link 1, on the joint axis line), heading of link 1; m,
            rad.
        base_velocity: shape (3,).
        joint_position, joint_velocity: shape (n_joints,), noiseless.
        contacts: one entry per touching pair of link and obstacle.
    """

    stamp_ns: int
    base: Array
    base_velocity: Array
    joint_position: Array
    joint_velocity: Array
    contacts: tuple[ContactTruth, ...] = field(default=())


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
        """Whether written torques act. The plant alone keeps this; everybody else asks here."""

    @property
    def simulation(self) -> Simulation | None:
        """What only a simulation offers; None: this is a robot."""

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


def truth_of(plant: Plant) -> GroundTruth | None:
    """The true state; None where nobody knows it."""
    return None if plant.simulation is None else plant.simulation.truth()


def checked_torque(torque: Array, robot: Robot) -> Array:
    """The torques that a plant is given, shape (n_joints,), N m. Every plant's `write` asks this,
    and nothing behind it checks again.

    Raises:
        PlantError: wrong shape or not finite.
    """
    torque = np.asarray(torque, float)
    if torque.shape != (robot.joints,):
        raise PlantError(f"torque has shape {torque.shape}, the robot has {robot.joints} joints")
    if not np.isfinite(torque).all():
        raise PlantError(f"torque is not finite: {torque}; repair the controller")
    return torque


class PlantError(Exception):
    """The plant refuses or has failed; says which part, the value, the limit and the remedy."""
