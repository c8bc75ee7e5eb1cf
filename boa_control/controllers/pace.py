# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A slower wave while joints are heavily loaded: one part for every controller that moves by a
clock of its own.

The load is the largest share of a limit that has been reached: commanded torque of the torque
limit, measured joint force of its limit, or one that the controller names. Above `EASY` the clock
slows down, in proportion, to `SLOWEST` at the limit; below, it is the clock of the world. It slows
down within half a second, because to stop a wave at once takes more torque than the wave, and
recovers slowly. Without this, torques that are cut at their limit bend the body away from its
shape, which needs still more.
"""

import numpy as np

from boa_control.controllers.gaits import JointReference
from boa_control.plant import SensorFrame
from boa_description.arrays import Array

EASY = 0.6  # load up to which nothing is slowed down
SLOWEST = 0.2  # pace at the limit
FALL, RECOVERY = 0.4, 1.0  # s, time constants


class Pace:
    """A clock that slows down under load.

    Attributes:
        time: of the clock, s.
        rate: seconds of the clock per second of the world.
        change: of the rate, 1/s.
    """

    def __init__(self, torque: float, joint_force: float | None, period: float) -> None:
        """Limits of every joint's torque, N m, and of the components of joint forces, N (None: not
        watched), and the control period, s.
        """
        self._torque = torque
        self._joint_force = joint_force
        self._period = period
        self.reset()

    def reset(self) -> None:
        """The next tick is the first: time 0 at full pace."""
        self.time, self.rate, self.change = 0.0, 1.0, 0.0
        self._commanded = self._own = 0.0
        self._began = False

    def update(self, frame: SensorFrame) -> None:
        """Go on by one control period under the load of the frame and of the last command."""
        if not self._began:
            self._began = True
            return
        desired = self._desired(self._load(frame))
        lag = FALL if desired < self.rate else RECOVERY
        self.change = (desired - self.rate) / (lag + self._period)
        self.rate += self._period * self.change
        self.time += self._period * self.rate

    def record_command(self, torque: Array, load: float = 0.0) -> None:
        """Torques (n_joints,) that the controller commands now, N m, and the share that it has
        reached of a limit of its own.
        """
        self._commanded = float(np.abs(torque).max())
        self._own = load

    def _load(self, frame: SensorFrame) -> float:
        load = max(self._commanded / self._torque, self._own)
        if self._joint_force is not None and frame.joint_force is not None:
            load = max(load, frame.joint_force.largest / self._joint_force)
        return load

    @staticmethod
    def _desired(load: float) -> float:
        eased = min(max((1.0 - load) / (1.0 - EASY), 0.0), 1.0)
        return SLOWEST + (1.0 - SLOWEST) * eased


def at_pace(reference: JointReference, pace: Pace) -> JointReference:
    """The reference of a gait at the time of the clock, with its rates in the time of the world."""
    return JointReference(
        reference.position,
        pace.rate * reference.velocity,
        pace.rate**2 * reference.acceleration + pace.change * reference.velocity,
    )
