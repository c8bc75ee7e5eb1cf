# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The desired speed along the path, forwards or backwards: constant, or as fast as torque limits
allow at every place.
"""

import math

from boa_control.optimisation.speed_profile import SpeedProfile

# s, over which the last few cm of an open path are closed; above 1 / k_v of the speed loop
SETTLING_TIME = 0.5


class SpeedReference:
    """Rises from standstill to the desired speed and falls again before an open path ends.

    The rise scales time: at scale g the speed is g v(s) and the acceleration g^2 v v' + g' v.
    Backwards g is negative, and the acceleration along the path is the same.
    Before the end, v^2 / 2a + v T is the distance left: uniform braking with a that fades out with
    time constant T.

    Attributes:
        speed: m/s, negative backwards. acceleration: m/s2, without that of the change of scale
            with which a run begins.
    """

    def __init__(
        self,
        speed: float,
        acceleration: float,
        period: float,
        end: float,
        profile: SpeedProfile | None = None,
        *,
        start: float = -math.inf,
        backwards: SpeedProfile | None = None,
    ) -> None:
        """The desired speed is `speed`, m/s, or what the profile says where that is less.

        Args:
            acceleration: with which the speed changes, and falls before the end, m/s2.
            period: of the control ticks, s. start, end: of the path, m.
            backwards: the profile on the way back.
        """
        self._first = speed
        self._ramp = acceleration
        self._period = period
        self._ends = start, end
        self._profile = profile
        self._backwards = backwards
        self.reset()

    def reset(self) -> None:
        """Stand still; the next `advance` begins to move at the speed of the beginning."""
        self._top, self._goal = self._first, 1.0
        self._steered = self._changed = False
        self.stop()

    def stop(self) -> None:
        """Stand still; the next `advance` begins to move."""
        self.speed = self.acceleration = self._scale = 0.0

    def go_on_from(self, speed: float) -> None:
        """Be at `speed`, m/s; the next `advance` changes it gradually to what is desired."""
        self.speed, self.acceleration, self._changed = speed, 0.0, True

    def steer(self, speed: float) -> None:
        """Change gradually to another desired speed, m/s; negative: backwards, 0: stand still."""
        if speed == 0.0:
            self._goal = 0.0
        else:
            self._top, self._goal = abs(speed), math.copysign(1.0, speed)
        self._steered = self._changed = True

    def advance(self, s: float, limit: float = math.inf) -> None:
        """Advance by one tick at path coordinate s, m, where at most `limit`, m/s, is allowed."""
        speed, acceleration = self._top, 0.0
        profile = self._profile if self._scale >= 0.0 else self._backwards
        if profile is not None:
            planned, change = profile.at(s)
            if planned < speed:
                speed, acceleration = planned, change
        divisor = max(speed, 1e-9)
        if self._changed:  # go on from the present speed, whatever has limited it
            self._changed, self._scale = False, self.speed / divisor
        step = self._ramp * self._period / divisor
        before = self._scale
        if before < self._goal:
            self._scale = min(self._goal, before + step)
        else:
            self._scale = max(self._goal, before - step)
        self.speed, self.acceleration = self._scale * speed, self._scale**2 * acceleration
        if self._steered:
            self.acceleration += (self._scale - before) * speed / self._period
        start, end = self._ends
        self._brake(end - s if self.speed >= 0.0 else s - start)
        if limit < abs(self.speed):
            self.speed, self.acceleration = math.copysign(limit, self.speed), 0.0

    def _brake(self, left: float) -> None:
        """Slow down before the end of the path, which is `left`, m, ahead."""
        fading = self._ramp * SETTLING_TIME
        last = math.hypot(fading, math.sqrt(2 * self._ramp * max(left, 0.0))) - fading
        if last < abs(self.speed):
            ahead = math.copysign(1.0, self.speed)
            self.speed = ahead * last
            self.acceleration = -ahead * self._ramp * last / (last + fading)
