"""The desired speed along the path: constant, or as fast as torque limits allow at every place."""

from __future__ import annotations

import math

from boa_control.optimisation.speed_profile import SpeedProfile

# s, over which the last few cm of an open path are closed; above 1 / k_v of the speed loop
SETTLING_TIME = 0.5


class SpeedReference:
    """Rises from standstill to the desired speed and falls again before an open path ends.

    The rise scales time: at scale g the speed is g v(s) and the acceleration g^2 v v' + g' v.
    Before the end, v^2 / 2a + v T is the distance left: uniform braking with a that fades out with
    time constant T.

    Attributes:
        speed: m/s. acceleration: m/s2, without that of a change of scale.
    """

    def __init__(
        self,
        speed: float,
        acceleration: float,
        period: float,
        end: float,
        profile: SpeedProfile | None = None,
    ) -> None:
        """The desired speed is `speed`, m/s, or what the profile says where that is less.

        Args:
            acceleration: with which to begin, and to brake before the end, m/s2.
            period: of the control ticks, s. end: of the path, m.
        """
        self._top = speed
        self._ramp = acceleration
        self._period = period
        self._end = end
        self._profile = profile
        self.stop()

    def stop(self) -> None:
        """Stand still; the next `advance` begins to move."""
        self.speed = self.acceleration = self._scale = 0.0

    def advance(self, s: float, limit: float = math.inf) -> None:
        """Advance by one tick at path coordinate s, m, where at most `limit`, m/s, is allowed."""
        speed, acceleration = self._top, 0.0
        if self._profile is not None:
            planned, change = self._profile.at(s)
            if planned < speed:
                speed, acceleration = planned, change
        self._scale = min(1.0, self._scale + self._ramp * self._period / max(speed, 1e-9))
        self.speed, self.acceleration = self._scale * speed, self._scale**2 * acceleration
        fading = self._ramp * SETTLING_TIME
        last = math.hypot(fading, math.sqrt(2 * self._ramp * max(self._end - s, 0.0))) - fading
        if last < self.speed:
            self.speed, self.acceleration = last, -self._ramp * last / (last + fading)
        if limit < self.speed:
            self.speed, self.acceleration = limit, 0.0
