"""The wanted speed along the path: constant, or as fast as torque limits allow at every place."""

from __future__ import annotations

import math

from boa_control.controller import Briefing
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.model.dynamics import PlanarChain
from boa_control.model.pattern import pattern_extent
from boa_control.model.reference import ReferenceTable
from boa_control.optimisation.speed_profile import (
    Allowance,
    SampleAt,
    SpeedProfile,
    fastest_profile,
)

SETTLING_TIME = (
    0.5  # s, over which the last few cm of an open path are closed; above 1 / k_v of the speed loop
)


class SpeedReference:
    """Rises from standstill to the wanted speed and falls again before an open path ends.

    The rise scales time: at pace g the speed is g v(s) and the acceleration g^2 v v' + g' v.
    Before the end, v^2 / 2a + v T is the distance left: uniform braking with a that fades out with
    time constant T.

    Attributes:
        speed: m/s. acceleration: m/s2, without that of a change of pace.
    """

    def __init__(
        self,
        speed: float,
        acceleration: float,
        period: float,
        end: float,
        profile: SpeedProfile | None = None,
    ) -> None:
        """The wanted speed is `speed`, m/s, or what the profile says where that is less.

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
        self.speed = self.acceleration = self._pace = 0.0

    def advance(self, s: float, limit: float = math.inf) -> None:
        """Take in one tick at path coordinate s, m, where at most `limit`, m/s, is allowed."""
        speed, acceleration = self._top, 0.0
        if self._profile is not None:
            planned, change = self._profile.at(s)
            if planned < speed:
                speed, acceleration = planned, change
        self._pace = min(1.0, self._pace + self._ramp * self._period / max(speed, 1e-9))
        self.speed, self.acceleration = self._pace * speed, self._pace**2 * acceleration
        fading = self._ramp * SETTLING_TIME
        last = math.hypot(fading, math.sqrt(2 * self._ramp * max(self._end - s, 0.0))) - fading
        if last < self.speed:
            self.speed, self.acceleration = last, -self._ramp * last / (last + fading)
        if limit < self.speed:
            self.speed, self.acceleration = limit, 0.0


def plan_profile(
    briefing: Briefing,
    chain: PlanarChain,
    reference: ReferenceTable,
    sample_at: SampleAt,
    parameters: Parameters,
) -> SpeedProfile | None:
    """The wanted share of the fastest profile with the torques and least forces of the parameters;
    None if unused.

    Raises:
        BoaError: somewhere no forces within the limits carry the robot, or the floor is viscous.
    """
    if parameters.profile == 0.0 or briefing.path is None:
        return None
    use = Allowance(
        torque_share=parameters.torque_share,
        least_force=parameters.force_floor,
        ground=briefing.ground,
        contact_friction=briefing.contact_friction,
    )
    start, length = pattern_extent(briefing.path, reference)
    periodic = briefing.path.curve.repeat is not None
    fastest = fastest_profile(chain, briefing.robot, sample_at, start, length, periodic, use)
    return fastest.slowed(parameters.profile)
