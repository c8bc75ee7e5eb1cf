# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A chain in smooth motion as its encoders and IMUs show it, in closed form: any duration, no
physics. Sensors are as the data sheets say, and each IMU sample is as old as fusion may make it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from boa_control.plant import ImuSample
from boa_description.arrays import Array
from boa_description.robot import Robot

SMOOTHING = 0.012  # s, over which a servo averages its velocity
WAVES = 4  # sines in the motion of a joint
NS = 1_000_000_000


class Tick(NamedTuple):
    """Readings of one control tick: stamp (ns), positions, velocities, newest IMU sample."""

    stamp_ns: int
    position: Array
    velocity: Array
    imu: ImuSample | None


class MovingChain:
    """Joints that swing by sums of sines.

    Args:
        robot: gives the sensors.
        seed: of motion and noise.
        swing: rad, amplitude of each sine at most.
        highest: Hz, of the fastest sine.
    """

    def __init__(self, robot: Robot, seed: int, swing: float = 0.25, highest: float = 1.5) -> None:
        self._robot = robot
        dice = self._dice = np.random.default_rng(seed)
        n = robot.joints
        self._amplitude = dice.uniform(swing / 2, swing, (WAVES, n + 1))
        self._rate = 2 * np.pi * dice.uniform(highest / 4, highest, (WAVES, n + 1))
        self._phase = dice.uniform(0.0, 2 * np.pi, (WAVES, n + 1))
        self._bias = np.radians(dice.uniform(-1.0, 1.0, n + 1))  # zero-rate offset
        self._gain = 1.0 + dice.uniform(-0.01, 0.01, n + 1)
        self._drift = np.zeros(n + 1)

    def angles(self, time: float) -> Array:
        """Heading of link 1, then the joints, rad."""
        return (self._amplitude * np.sin(self._rate * time + self._phase)).sum(axis=0)

    def rates(self, time: float) -> Array:
        """Their derivatives, rad/s."""
        cosine = np.cos(self._rate * time + self._phase)
        return (self._amplitude * self._rate * cosine).sum(axis=0)

    def ticks(self, seconds: float, period: float = 0.005) -> Iterator[Tick]:
        """Control ticks, with an IMU sample in every second one."""
        newest: ImuSample | None = None
        for index in range(round(seconds / period)):
            time = index * period
            stamp_ns = round(time * NS)
            if index % 2 == 0:
                newest = self._sample(time, stamp_ns)
            yield Tick(stamp_ns, *self._encoders(time), newest)

    def _encoders(self, time: float) -> tuple[Array, Array]:
        encoder = self._robot.encoder
        now, before = self.angles(time)[1:], self.angles(time - SMOOTHING)[1:]
        mean_rate = (now - before) / SMOOTHING
        return _counted(now, encoder.position_quantum), _counted(
            mean_rate, encoder.velocity_quantum
        )

    def _sample(self, time: float, stamp_ns: int) -> ImuSample:
        """All IMUs; each result of fusion is up to 10 ms old."""
        imu, dice = self._robot.imu, self._dice
        taken = time - dice.uniform(0.0, 1 / imu.rate)
        n = self._robot.links
        self._drift += imu.yaw_drift_rate * np.sqrt(1 / imu.rate) * dice.standard_normal(n)
        heading, spin = np.cumsum(self.angles(taken)), np.cumsum(self.rates(taken))
        rate = self._gain * spin + self._bias + imu.rate_noise * dice.standard_normal(n)
        return ImuSample.planar(
            stamp_ns,
            _counted(self._gain * heading + self._drift, imu.yaw_quantum),
            _counted(rate, imu.rate_quantum),
            np.zeros((n, 2)),
        )


def _counted(value: Array, quantum: float) -> Array:
    return np.round(value / quantum) * quantum
