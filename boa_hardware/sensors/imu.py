# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""All IMUs of the robot: range checks, glitch rejection and relative, unwrapped yaw."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from boa_control.plant import ImuSample
from boa_description.angles import wrapped
from boa_description.arrays import Array
from boa_description.robot import Block, Radian, RadianPerSecond
from boa_hardware.sensors.wire import ImuWire


class YawCheck(Block):
    """When a yaw reading is taken for a glitch."""

    tolerance: Radian = Field(
        default=0.1, gt=0, description="yaw step minus integrated rate, at once"
    )
    drift: RadianPerSecond = Field(
        default=0.5, ge=0, description="added per second since the last good reading"
    )
    reacquire: int = Field(
        default=5, ge=2, description="this many consistent readings in a row are believed"
    )


@dataclass(frozen=True, slots=True)
class ImuReading:
    """One sample of all IMUs.

    Attributes:
        sample: for the plant contract; rejected values are NaN.
        rejected: shape (n_links,), number of values rejected since the start.
        jumps: shape (n_links,), how often a changed heading had to be believed (the sensor
            restarted).
    """

    sample: ImuSample
    rejected: NDArray[np.int64]
    jumps: NDArray[np.int64]


class YawTracker:
    """Unwraps the heading of n sensors and rejects readings that contradict the measured rate.

    A glitch of a BNO055 is one wrong word on its serial bus: a heading of -1872 deg, or one flipped
    bit. The range check catches the first, the comparison with the integrated rate the second.
    After a jump the heading continues from where it was, so that yaw stays relative and free of
    steps.
    """

    def __init__(self, count: int, check: YawCheck | None = None) -> None:
        self._check = check or YawCheck()
        self._yaw = np.full(count, np.nan)  # last accepted, wrapped as reported
        self._relative = np.zeros(count)
        self._rate = np.zeros(count)
        self._stamp = np.zeros(count)
        self._candidate = np.full(count, np.nan)
        self._candidate_run = np.zeros(count, dtype=np.int64)
        self.rejected = np.zeros(count, dtype=np.int64)
        self.jumps = np.zeros(count, dtype=np.int64)

    def update(self, yaw: Array, rate: Array, now: float) -> Array:
        """Take one reading of all sensors.

        Args:
            yaw: shape (n,), rad, any wrapping; NaN where missing or already rejected.
            rate: shape (n,), rad/s; NaN counts as the last known rate.
            now: time of the reading, s.

        Returns:
            Shape (n,), rad since each sensor's first accepted reading, unwrapped; NaN where missing
            or rejected.
        """
        fresh = np.isfinite(yaw)
        rate = np.where(np.isfinite(rate), rate, self._rate)
        first = fresh & np.isnan(self._yaw)
        self._yaw[first], self._stamp[first] = yaw[first], now

        dt = now - self._stamp
        expected = 0.5 * (self._rate + rate) * dt
        step = expected + wrapped(yaw - self._yaw - expected)
        believable = np.abs(step - expected) <= self._check.tolerance + self._check.drift * dt
        good = fresh & (believable | first)
        believed = self._reacquired(yaw, fresh & ~good)

        self._relative[good & ~first] += step[good & ~first]
        # the heading itself is worthless: bridge with the rate
        self._relative[believed] += expected[believed]
        accepted = good | believed
        self._yaw[accepted] = yaw[accepted]
        self._stamp[accepted] = now
        self._rate[accepted] = rate[accepted]
        self._candidate_run[accepted] = 0
        self.jumps += believed
        self.rejected += fresh & ~accepted
        return np.where(accepted, self._relative, np.nan)

    def _reacquired(self, yaw: Array, doubtful: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Doubtful readings that have agreed with each other often enough."""
        agrees = np.abs(wrapped(yaw - self._candidate)) <= self._check.tolerance
        run = np.where(agrees, self._candidate_run + 1, 1)
        self._candidate_run = np.where(doubtful, run, self._candidate_run)
        self._candidate[doubtful] = yaw[doubtful]
        return doubtful & (self._candidate_run >= self._check.reacquire)


class Imus:
    """The IMUs of one robot, in link order."""

    def __init__(self, links: int, wire: ImuWire, check: YawCheck | None = None) -> None:
        self._wire = wire
        self._tracker = YawTracker(links, check)
        self._out_of_range = np.zeros(links, dtype=np.int64)

    def read(self, yaw: Array, yaw_rate: Array, acceleration: Array, stamp_ns: int) -> ImuReading:
        """Check one sample set.

        Args:
            yaw: shape (n_links,), rad, as the boards report it.
            yaw_rate: shape (n_links,), rad/s.
            acceleration: shape (n_links, 2), m/s2.
            stamp_ns: time of the SYNC, ns.
        """
        yaw = self._in_range(yaw, self._wire.angle_range)
        yaw_rate = self._in_range(yaw_rate, self._wire.rate_range)
        acceleration = self._in_range(acceleration, self._wire.acceleration_range)
        relative = self._tracker.update(yaw, yaw_rate, stamp_ns * 1e-9)
        return ImuReading(
            ImuSample.planar(stamp_ns, relative, yaw_rate, acceleration),
            self._out_of_range + self._tracker.rejected,
            self._tracker.jumps.copy(),
        )

    def _in_range(self, values: Array, limit: float) -> Array:
        outside = np.abs(values) > limit
        self._out_of_range += outside if values.ndim == 1 else outside.any(axis=1)
        return np.where(outside, np.nan, values)
