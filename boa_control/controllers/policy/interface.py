# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Between a robot and a policy: frames become observations, actions become torques.

A policy is shown named parts of a `SensorFrame`, and nothing else. Training and control use the
same `Translator`, so a policy meets in a run what it has learnt with.
"""

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, field_validator

from boa_control.controller import Briefing
from boa_control.controllers.joint_pd import pd_torque
from boa_control.estimation.link_forces import lateral_forces
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError, unknown_name
from boa_description.quaternion import yaw_of
from boa_description.robot import (
    Block,
    Hertz,
    NewtonMetre,
    NewtonMetreSecond,
    Radian,
    RadianPerSecond,
    Robot,
)

Item = Callable[[SensorFrame, Robot], Array]


def observation(frame: SensorFrame, robot: Robot, items: tuple[str, ...]) -> Array:
    """The items one behind the other, SI units; what no sensor has told yet counts as 0."""
    parts = [ITEMS[item](frame, robot) for item in items]
    return np.nan_to_num(np.concatenate([np.zeros(0), *parts]))


def _joint_force(frame: SensorFrame, robot: Robot) -> Array:
    sample = frame.joint_force
    return np.zeros(3 * robot.joints) if sample is None else sample.force.ravel()


def _lateral_force(frame: SensorFrame, robot: Robot) -> Array:
    return lateral_forces(frame, robot.link.mass)


def _imu(attribute: str) -> Item:
    """Three values of every link by the newest IMU sample."""

    def values(frame: SensorFrame, robot: Robot) -> Array:
        if frame.imu is None:
            return np.zeros(3 * robot.links)
        return np.ravel(getattr(frame.imu, attribute))

    return values


def _heading(frame: SensorFrame, robot: Robot) -> Array:
    """From the quaternions, which a recorded frame has bit for bit; so it is wrapped."""
    return np.zeros(robot.links) if frame.imu is None else yaw_of(frame.imu.orientation)


def _tracker(frame: SensorFrame, _: Robot) -> Array:
    sample: Any = frame.sample("tracker")
    if sample is None or not sample.seen:
        return np.zeros(3)
    return np.append(sample.position[:2], yaw_of(sample.orientation))


# name -> what it is of a frame, shape (width,)
ITEMS: Mapping[str, Item] = {
    "position": lambda frame, _: frame.position,  # (n_joints,), rad
    "velocity": lambda frame, _: frame.velocity,  # (n_joints,), rad/s
    "effort": lambda frame, _: frame.effort,  # (n_joints,), N m
    "joint_force": _joint_force,  # (3 n_joints,), N
    "lateral_force": _lateral_force,  # (n_links,), N, from joint forces and IMUs
    "heading": _heading,  # (n_links,), rad, since the start
    "angular_velocity": _imu("angular_velocity"),  # (3 n_links,), rad/s
    "acceleration": _imu("linear_acceleration"),  # (3 n_links,), m/s2
    "tracker": _tracker,  # x, y, heading of the tracked link, m and rad
}


class Angles(Block):
    """Actions are angles of the joints, which a PD law follows:
    tau = kp (scale a - phi) - kd phi'.
    """

    kind: Literal["angles"] = "angles"
    scale: Radian = Field(default=0.8, gt=0, description="angle that an action of 1 means")
    kp: float = Field(default=15.0, ge=0, description="N m/rad")
    kd: NewtonMetreSecond = Field(default=4.0, ge=0)

    def torque(self, action: Array, frame: SensorFrame) -> Array:
        """Shape (n_joints,), N m."""
        return pd_torque(self.kp, self.kd, self.scale * action - frame.position, -frame.velocity)


class Torques(Block):
    """Actions are torques of the joints."""

    kind: Literal["torques"] = "torques"
    scale: NewtonMetre = Field(default=2.0, gt=0, description="torque that an action of 1 means")

    def torque(self, action: Array, _: SensorFrame) -> Array:
        """Shape (n_joints,), N m."""
        return self.scale * action


class PolicyInterface(Block):
    """What a policy is shown, how often it decides, and what its actions mean."""

    observation: tuple[str, ...] = ("position", "velocity", "lateral_force", "heading")
    clock: RadianPerSecond | None = Field(
        default=None, gt=0, description="rate of the phase whose sine and cosine are shown"
    )
    last_action: bool = Field(default=True, description="whether the last action is shown")
    rate: Hertz = Field(default=20.0, gt=0, le=2000, description="of decisions")
    action: Annotated[Angles | Torques, Field(discriminator="kind")] = Angles()

    @field_validator("observation")
    @classmethod
    def _known(cls, items: tuple[str, ...]) -> tuple[str, ...]:
        for item in items:
            if item not in ITEMS:
                raise ValueError(str(unknown_name("part of an observation", item, ITEMS)))
        return items


class Translator:
    """Observations and torques of one robot, from its frames and the actions of a policy.

    Attributes:
        every: ticks between two decisions.
        width: numbers of an observation.
    """

    def __init__(self, interface: PolicyInterface, briefing: Briefing) -> None:
        """Raises BoaError: the time between decisions is not a whole number of control periods."""
        ticks = 1 / (interface.rate * briefing.period)
        if ticks < 1 - 1e-6 or abs(ticks - round(ticks)) > 1e-6:
            raise BoaError(
                f"policy: rate {interface.rate:g} Hz is {ticks:.3f} control periods of "
                f"{briefing.period:g} s between decisions; choose a rate, or plant.control_rate, "
                "for a whole number"
            )
        self.every = round(ticks)
        self._interface = interface
        self._robot = briefing.robot
        self.reset()
        nothing = np.zeros(briefing.robot.joints)
        blank = SensorFrame(0, nothing, nothing, nothing, None, None, nothing, nothing)
        self.width = self.observe(blank).size
        self.reset()

    def reset(self) -> None:
        """The next frame is the first of a new run."""
        self._start_ns: int | None = None
        self._action = np.zeros(self._robot.joints)

    def observe(self, frame: SensorFrame) -> Array:
        """What the policy is shown of a frame: the items, sine and cosine of the clock, the last
        action; shape (n,), SI units.
        """
        interface = self._interface
        if self._start_ns is None:
            self._start_ns = frame.stamp_ns
        parts = [observation(frame, self._robot, interface.observation)]
        if interface.clock is not None:
            phase = interface.clock * (frame.stamp_ns - self._start_ns) * 1e-9
            parts.append(np.array([math.sin(phase), math.cos(phase)]))
        if interface.last_action:
            parts.append(self._action)
        return np.concatenate(parts)

    def decide(self, action: Array) -> None:
        """Take the policy's answer, shape (n_joints,); cut to -1 to 1."""
        self._action = np.clip(np.asarray(action, float), -1.0, 1.0)

    def torque(self, frame: SensorFrame) -> Array:
        """Torques of the last action, shape (n_joints,), N m."""
        return self._interface.action.torque(self._action, frame)
