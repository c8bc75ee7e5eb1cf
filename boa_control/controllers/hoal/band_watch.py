"""Which signals leave the band of good runs, tick by tick."""

from __future__ import annotations

from boa_control.controllers.hoal import bands
from boa_control.controllers.hoal.caution import Signals

# s outside the band of joint rates: a first touch turns the joint before it; 1 / damping is 0.025
SWING_PERSISTENCE = 0.05
BRAKING_TIME = 0.2  # s, with which the robot follows its speed: 1 / speed_gain


class BandWatch:
    """Compares the signals of every tick with the band that holds for the robot's speed.

    Attributes:
        within: the signals of the last tick were within the band of a slow robot, so within wider
            ones.
    """

    def __init__(self, period: float, fault: float) -> None:
        """`period`: of the control ticks, s. `fault`: joint force that is one, N."""
        self._period = period
        self._fault = fault
        self.reset()

    def reset(self) -> None:
        """Nothing has left a band."""
        self.within = True
        self._swing = 0.0  # rad/s
        self._swinging = self._crawling = 0.0  # s

    def update(self, now: Signals, settling: bool) -> str:
        """Use one tick; why its signals are outside, with the value; empty where they are not.

        Args:
            settling: the robot has just taken hold of all its posts, which may shake it.
        """
        self._swing = bands.swing(now)
        swinging = self._swing > bands.SLOW.joint_rate
        self._swinging = self._swinging + self._period if swinging else 0.0
        crawls = abs(now.desired) <= bands.SLOW_SPEED
        self._crawling = self._crawling + self._period if crawls else 0.0
        band = bands.SLOW if self._crawling >= BRAKING_TIME else bands.SLOWING
        out = self.leaves(band, now)
        self.within = not out
        if settling:
            return ""
        if out and self._swinging < SWING_PERSISTENCE:
            return bands.outside(now, 0.0, band, self._fault)
        return out

    def leaves(self, band: bands.Band, now: Signals) -> str:
        """Why the signals of this tick are outside a band; empty where they are not."""
        return bands.outside(now, self._swing, band, self._fault)
