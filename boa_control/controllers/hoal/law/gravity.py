# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gravity along a floor that is not level, as the controller `hoal` counts with it.

A chain under gravity g moves as one without on a base that accelerates with -g. So nothing new has
to be tabulated: the generalised force of gravity is M [g_x, g_y, 0 .. 0]', and a link that is
accelerated by a, with gravity along it, is loaded as one that is accelerated by a - g without.
Friction of the floor is not counted on to hold anything: it opposes the motion, whichever way the
floor falls, and is fed forward as on a level floor.
"""

import cmath
import math

import numpy as np
from numpy.typing import NDArray

from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning
from boa_control.estimation.floor_tilt import LEVEL, SURE, Downhill, downhill_of, pull_along
from boa_control.model.path_model import PathState
from boa_control.paths.path import Curve
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.scene import GRAVITY, GroundFriction

NO_PULL: Array = np.zeros(2)  # gravity along a level floor, m/s2


class Gravity:
    """Part of gravity along the floor: as the IMUs tell it while the robot is at rest without
    torque, then as the links weigh when it begins to take hold of its posts.

    Attributes:
        downhill: in the map, m/s2.
    """

    def __init__(
        self, robot: Robot, ground: GroundFriction, curve: Curve, tuning: Tuning = SHIPPED
    ) -> None:
        self._imu = robot.imu
        self._mass, self._links = robot.link.mass, robot.links
        self._turning = 0.0 if curve.repeat is None else curve.repeat.rotation
        self._still = tuning.law.moving_rate
        self._window_ns = round(1e9 * tuning.supervision.few_time)
        # a link that is pressed less counts as not touched; all together tell so much more
        self._felt = tuning.contacts.touch_force / (robot.link.mass * math.sqrt(robot.links))
        # a floor that rubs holds links at rest, whichever way, as their weight would
        self._rubs = ground.mu * GRAVITY
        self.reset()

    def reset(self) -> None:
        """The floor counts as level."""
        self._weighed = True
        self.release()

    def release(self) -> None:
        """The robot takes hold of its posts anew: what its links weighed is to be seen again."""
        if self._weighed:
            self.downhill = LEVEL
        self._since_ns: int | None = None
        self._weighed = False
        self._begin()

    def _begin(self) -> None:
        self._newest_ns, self._samples = -1, 0
        self._along: Array = np.zeros(self._links)  # mean of the forces along the links, N

    def measure(self, frame: SensorFrame, state: PathState) -> None:
        """Use one tick without torque; what the links have weighed since counts more."""
        imu = frame.imu
        if self._weighed or imu is None or imu.rotation is None or self._moves(frame):
            return
        seen = downhill_of(imu.rotation, frame.position, self._imu)
        self.downhill = Downhill(seen.pull * self._to_map(state, state.q[2]), seen.std)

    def weigh(self, tick: Tick) -> None:
        """Use one tick of a robot that begins to take hold of its posts: what acts along its links
        beside the gravity that is counted with.
        """
        sample = tick.frame.joint_force
        if sample is None or tick.outside is None or tick.frame.imu is None:
            return
        if self._moves(tick.frame):
            return
        if self._since_ns is None:
            self._since_ns = sample.stamp_ns
        if sample.stamp_ns in (self._since_ns, self._newest_ns):  # before torques acted, or again
            return
        if sample.stamp_ns > self._since_ns + self._window_ns:
            return
        self._newest_ns, self._samples = sample.stamp_ns, self._samples + 1
        self._along = self._along + (tick.outside.along - self._along) / self._samples
        more = pull_along(tick.state.along, self._along, self._mass)
        if abs(more.pull) > max(self._felt, self._rubs, SURE * more.std):
            pull = self.downhill.pull + more.pull * self._to_map(tick.state)
            self.downhill, self._weighed = Downhill(pull, more.std), True
            self._begin()

    def _moves(self, frame: SensorFrame) -> bool:
        return bool(np.abs(frame.velocity).max() > self._still)

    def along_floor(self, state: PathState) -> Array:
        """In the frame of the state, shape (2,), m/s2."""
        if not self.downhill.pull:
            return NO_PULL
        pull = self.downhill.pull / self._to_map(state)
        return np.array([pull.real, pull.imag])

    def _to_map(self, state: PathState, heading: float = 0.0) -> complex:
        return cmath.exp(1j * (heading + state.turn * self._turning))


def loaded(frame: SensorFrame, state: PathState, gravity: Array) -> SensorFrame:
    """The frame with accelerations that load the links as theirs and gravity together do; links
    whose IMUs are silent count as unaccelerated. On a level floor it is the frame itself.

    Args:
        gravity: in the frame of the state, shape (2,), m/s2.
    """
    if frame.imu is None or not np.count_nonzero(gravity):
        return frame
    acceleration = frame.imu.linear_acceleration.copy()
    planar = np.nan_to_num(acceleration[:, :2])
    seen = along_links(state, gravity)
    acceleration[:, 0], acceleration[:, 1] = planar[:, 0] - seen.real, planar[:, 1] - seen.imag
    return frame._replace(imu=frame.imu._replace(linear_acceleration=acceleration))


def along_links(state: PathState, gravity: Array) -> NDArray[np.complex128]:
    """Gravity along and across each link as complex numbers, shape (n,), m/s2."""
    seen: NDArray[np.complex128] = complex(*gravity) * state.along.conj()
    return seen


def tilt_text(downhill: Downhill) -> str:
    """The tilt of the floor as people read it."""
    direction = math.degrees(cmath.phase(downhill.pull))
    return f"{math.degrees(downhill.tilt):.1f} deg, downhill towards {direction:.0f} deg of the map"
