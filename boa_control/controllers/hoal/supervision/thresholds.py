# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bands of the signals in which runs with a right map stay, and which signals leave them, tick by
tick.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from boa_control.compiled import on_path
from boa_control.compiled.detection import beyond
from boa_control.controllers.hoal.supervision.interface import Signals
from boa_control.controllers.hoal.supervision.reasons import Finding, Reason
from boa_control.controllers.hoal.supervision.stopwatch import Stopwatch
from boa_control.controllers.hoal.tuning import SHIPPED, Tuning


@dataclass(frozen=True, slots=True)
class Band:
    """Largest values.

    Attributes:
        overspeed: m/s; overspeed_slow: of a robot that should go slowly.
        shape: rms, rad. joint_rate: off the way along the path, rad/s. stray, axial: N.
        exact: both where the map is exact: posts that stand as on the map press nowhere else.
        load: share of the joint force that is a fault.
    """

    overspeed: float
    overspeed_slow: float
    shape: float
    joint_rate: float
    stray: float
    axial: float
    exact: float
    load: float


class Bands(NamedTuple):
    """Those of one run.

    Attributes:
        slow: the first, outside of which the robot is slow. slowing: of a robot that still comes
            down to its slow speed.
        stop: the second, outside of which it stops.
        standing: of a robot that has stopped and come to rest.
        lost: of shape and joint rates, where the model of the contacts has nothing to do with them
            any more.
    """

    slow: Band
    slowing: Band
    stop: Band
    standing: Band
    lost: Band

    @classmethod
    def of(cls, tuning: Tuning) -> Self:
        """By the constants."""
        t, inf = tuning.supervision, math.inf
        slow = Band(
            *(t.overspeed, t.overspeed_slow, t.shape, t.joint_rate),
            *(t.stray, t.axial, t.stray, t.load),
        )
        stop = Band(
            *(t.stop_overspeed, t.stop_overspeed, t.stop_shape, t.stop_joint_rate),
            *(t.stop_stray, t.stop_axial, t.stop_stray_exact, t.stop_load),
        )
        overspeed, turning = t.standing_overspeed, tuning.law.standing_rate
        return cls(
            slow,
            replace(slow, overspeed_slow=slow.overspeed),
            stop,
            Band(overspeed, overspeed, inf, turning, inf, inf, inf, t.standing_load),
            Band(inf, inf, t.lost_shape, t.lost_joint_rate, inf, inf, inf, inf),
        )


def swing(now: Signals) -> float:
    """Largest joint rate that is not that of the way along the path, rad/s."""
    largest: float = on_path.swing(now.velocity, now.along, now.rate)
    return largest


def too_fast(rate: float, desired: float, limit: float) -> Finding | None:
    """How much `rate` exceeds `desired`, m/s, if by more than `limit`."""
    over = abs(rate) - abs(desired)
    return Finding(Reason.TOO_FAST, over) if over > limit else None


def off_shape(residual: float, limit: float) -> Finding | None:
    """How far the joints are off the shape of the path, rad rms, if above `limit`."""
    return Finding(Reason.OFF_SHAPE, residual) if residual > limit else None


def slips_back(back: float, limit: float) -> Finding | None:
    """How far the robot is behind where it was, m, if by more than `limit`."""
    return Finding(Reason.SLIPS_BACK, back) if back > limit else None


def strange_link(now: Signals, band: Band) -> Finding | None:
    """The link on which an unplanned post presses outside the band, and its side."""
    stray, axial = (band.exact, band.exact) if now.exact else (band.stray, band.axial)
    link: int = beyond(now.stray, now.axial, stray, axial)
    if link < 0:
        return None
    if link < now.stray.size:
        side = "right" if now.stray[link] > 0 else "left"
    else:
        link -= now.stray.size
        side = "ahead" if now.axial[link] < 0 else "behind"
    return Finding(Reason.UNEXPECTED_CONTACT, link=link + 1, side=side)


class BandWatch:
    """Compares the signals of every tick with the band that holds for the robot's speed.

    Attributes:
        bands: in use.
        within: the signals of the last tick were within the band of a slow robot, so within wider
            ones.
    """

    def __init__(self, period: float, fault: float, tuning: Tuning = SHIPPED) -> None:
        """`period`: of the control ticks, s. `fault`: joint force that is one, N."""
        self._fault = fault
        self._slow_speed = tuning.steering.slow_speed
        self._braking_time = tuning.steering.turning_time
        self._blow_time = tuning.contacts.blow_time
        self.bands = Bands.of(tuning)
        self._swinging = Stopwatch(period)
        self._crawling = Stopwatch(period)
        self.reset()

    def reset(self) -> None:
        """Nothing has left a band."""
        self.within = True
        self._swing = 0.0  # rad/s
        self._swinging.reset()
        self._crawling.reset()

    def update(self, now: Signals, settling: bool) -> Finding | None:
        """Use one tick; why its signals are outside.

        Args:
            settling: the robot has just taken hold of all its posts, which may shake it.
        """
        self._swing = swing(now)
        swinging = self._swinging.update(self._swing > self.bands.slow.joint_rate)
        crawling = self._crawling.update(abs(now.desired) <= self._slow_speed)
        braked = crawling >= self._braking_time
        band = self.bands.slow if braked else self.bands.slowing
        out = self.leaves(band, now)
        self.within = out is None
        if settling:
            return None
        if out is not None and swinging < self._blow_time:
            return self._outside(now, 0.0, band)
        return out

    def leaves(self, band: Band, now: Signals) -> Finding | None:
        """Why the signals of this tick are outside a band."""
        return self._outside(now, self._swing, band)

    def _outside(self, now: Signals, swing: float, band: Band) -> Finding | None:
        """The first signal outside the band. `swing`: of the signals, rad/s."""
        slow = abs(now.desired) <= self._slow_speed
        overspeed = band.overspeed_slow if slow else band.overspeed
        finding = too_fast(now.rate, now.desired, overspeed) or off_shape(now.shape, band.shape)
        if finding is None and swing > band.joint_rate:
            return Finding(Reason.JOINT_RATE, swing)
        if finding is None and now.joint_force > band.load * self._fault:
            return Finding(Reason.JOINT_FORCE, now.joint_force)
        return finding
