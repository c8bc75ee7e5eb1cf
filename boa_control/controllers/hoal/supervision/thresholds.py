# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bands of the signals in which runs with a right map stay, and which signals leave them, tick by
tick.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from boa_control.compiled import on_path
from boa_control.compiled.detection import beyond
from boa_control.controllers.hoal.set_points import SLOW_SPEED
from boa_control.controllers.hoal.supervision.interface import Signals
from boa_control.controllers.hoal.supervision.reasons import Finding, Reason
from boa_control.controllers.hoal.supervision.stopwatch import Stopwatch

# s outside the band of joint rates: a first touch turns the joint before it; 1 / damping is 0.025
SWING_PERSISTENCE = 0.05
BRAKING_TIME = 0.2  # s, with which the robot follows its speed: 1 / speed_gain


@dataclass(frozen=True, slots=True)
class Band:
    """Largest values.

    Attributes:
        overspeed: m/s; overspeed_slow: of a robot that should go at `SLOW_SPEED` or slower.
        shape: rms, rad. joint_rate: off the way along the path, rad/s. stray, axial: N.
        load: share of the joint force that is a fault.
    """

    overspeed: float
    overspeed_slow: float
    shape: float
    joint_rate: float
    stray: float
    axial: float
    load: float


# good runs on displaced posts reach 0.046 m/s, 0.026 rad, 0.35 rad/s, 3.7 N, 4.0 N, 0.5
SLOW = Band(0.06, 0.025, 0.035, 0.45, 4.0, 6.0, 0.55)
STOP = Band(0.07, 0.07, 0.08, 0.9, 15.0, 20.0, 0.65)
# of a robot that still comes down to SLOW_SPEED
SLOWING = replace(SLOW, overspeed_slow=SLOW.overspeed)
# where posts stand as on the map nothing else presses, in good runs
SLOW_EXACT = replace(SLOW, stray=4.0, axial=4.0)
STOP_EXACT = replace(STOP, stray=8.0, axial=8.0)
EXACT = {SLOW: SLOW_EXACT, STOP: STOP_EXACT}
# of a robot that has stopped and come to rest: one that stands has 0.05 rad/s
STANDING = Band(0.04, 0.04, np.inf, 0.2, np.inf, np.inf, 0.4)
# of shape and joint rates, where the model of the contacts has nothing to do with them any more
LOST = Band(np.inf, np.inf, 0.16, 1.3, np.inf, np.inf, np.inf)


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


def outside(now: Signals, swing: float, band: Band, fault: float) -> Finding | None:
    """The first signal outside the band.

    Args:
        swing: of the signals. fault: joint force that is one, N.
    """
    overspeed = band.overspeed_slow if abs(now.desired) <= SLOW_SPEED else band.overspeed
    finding = too_fast(now.rate, now.desired, overspeed) or off_shape(now.shape, band.shape)
    if finding is None and swing > band.joint_rate:
        return Finding(Reason.JOINT_RATE, swing)
    if finding is None and now.joint_force > band.load * fault:
        return Finding(Reason.JOINT_FORCE, now.joint_force)
    return finding


def strange_link(now: Signals, band: Band) -> Finding | None:
    """The link on which an unplanned post presses outside the band, and its side."""
    if now.exact:
        band = EXACT[band]
    link: int = beyond(now.stray, now.axial, band.stray, band.axial)
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
        within: the signals of the last tick were within the band of a slow robot, so within wider
            ones.
    """

    def __init__(self, period: float, fault: float) -> None:
        """`period`: of the control ticks, s. `fault`: joint force that is one, N."""
        self._fault = fault
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
        swinging = self._swinging.update(self._swing > SLOW.joint_rate)
        crawling = self._crawling.update(abs(now.desired) <= SLOW_SPEED)
        band = SLOW if crawling >= BRAKING_TIME else SLOWING
        out = self.leaves(band, now)
        self.within = out is None
        if settling:
            return None
        if out is not None and swinging < SWING_PERSISTENCE:
            return outside(now, 0.0, band, self._fault)
        return out

    def leaves(self, band: Band, now: Signals) -> Finding | None:
        """Why the signals of this tick are outside a band."""
        return outside(now, self._swing, band, self._fault)
