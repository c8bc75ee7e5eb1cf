# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The interface of every plant, robot or simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol

import numpy as np

from boa_control.plant.samples import SensorFrame
from boa_control.plant.truth import GroundTruth
from boa_description.arrays import Array
from boa_description.robot import Robot


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
