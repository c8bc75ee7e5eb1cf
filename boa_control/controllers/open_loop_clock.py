# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The clock of a wave in open loop: that of the world, or one that keeps to limits of joint forces
and of the speed of links.
"""

from typing import Protocol

from boa_control.controller import Briefing
from boa_control.controllers.base_estimate import BaseEstimate
from boa_control.controllers.common import seconds
from boa_control.controllers.gait_limits import GaitLimits
from boa_control.controllers.link_speed import drive_share
from boa_control.controllers.pace import Pace
from boa_control.model.dynamics import PlanarChain
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import require_planar


class OpenLoopClock(Protocol):
    """The time of a wave, and how much the joints are driven towards it."""

    @property
    def time(self) -> float:
        """Of the wave, s."""

    @property
    def rate(self) -> float:
        """Seconds of the wave per second of the world."""

    @property
    def drive(self) -> float:
        """Share of the drive that is left."""

    def reset(self) -> None:
        """The next frame is the first of a new run."""

    def update(self, frame: SensorFrame) -> None:
        """Go on to the time of a frame."""

    def record_command(self, torque: Array) -> None:
        """Torques (n_joints,) that the controller commands now, N m."""


def open_loop_clock(limits: GaitLimits, briefing: Briefing, who: str) -> OpenLoopClock:
    """The clock that keeps to the limits of controller `who`.

    Raises:
        BoaError: limits of speed for a robot that leaves the plane, or whose start is hidden.
    """
    if limits.link_speed is not None or limits.head_speed is not None:
        require_planar(briefing.robot, f"controller {who} with link_speed or head_speed")
        return SpeedClock(limits, briefing, who)
    if limits.joint_force is not None:
        return ForceClock(limits, briefing)
    return WorldClock()


class WorldClock:
    """The time since the first frame; the joints are driven as ever."""

    rate = drive = 1.0

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """The next frame is the first of a new run."""
        self.time = 0.0
        self._start_ns: int | None = None

    def update(self, frame: SensorFrame) -> None:
        """Go on to the time of a frame."""
        if self._start_ns is None:
            self._start_ns = frame.stamp_ns
        self.time = seconds(frame.stamp_ns, self._start_ns)

    def record_command(self, torque: Array) -> None:
        """Torques do not matter."""


class ForceClock:
    """Slows down while joints are heavily loaded (`pace`)."""

    def __init__(self, limits: GaitLimits, briefing: Briefing) -> None:
        torque = briefing.robot.limits.torque
        self._pace = Pace(torque, limits.joint_force, briefing.period)
        self._load = 0.0  # share of a limit of speed that has been reached

    @property
    def time(self) -> float:
        return self._pace.time

    @property
    def rate(self) -> float:
        return self._pace.rate

    @property
    def drive(self) -> float:
        return drive_share(self._load)

    def reset(self) -> None:
        """The next frame is the first of a new run."""
        self._pace.reset()
        self._load = 0.0

    def update(self, frame: SensorFrame) -> None:
        """Go on by one control period."""
        self._pace.update(frame)

    def record_command(self, torque: Array) -> None:
        """Torques (n_joints,) that the controller commands now, N m."""
        self._pace.record_command(torque, self._load)


class SpeedClock(ForceClock):
    """The same, and slows down and drives the joints less while a link moves fast (`link_speed`).
    Speeds are those of dead reckoning: a wave in open loop has no tracker.
    """

    def __init__(self, limits: GaitLimits, briefing: Briefing, who: str) -> None:
        """Raises BoaError where the start is hidden."""
        super().__init__(limits, briefing)
        self._limits = limits
        self._chain = PlanarChain(briefing.robot)
        self._estimate = BaseEstimate(briefing, self._chain, "dead_reckoning", 1.0, who)

    def reset(self) -> None:
        """The next frame is the first of a new run."""
        super().reset()
        self._estimate.reset()

    def update(self, frame: SensorFrame) -> None:
        """Go on by one control period."""
        super().update(frame)
        self._load = self._limits.speed_load(self._chain, self._estimate.update(frame))
