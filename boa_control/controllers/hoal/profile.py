"""The speed profile that a scenario asks for: a share of the fastest one on its path."""

from __future__ import annotations

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


def plan_profile(
    briefing: Briefing,
    chain: PlanarChain,
    reference: ReferenceTable,
    sample_at: SampleAt,
    parameters: Parameters,
    direction: int = 1,
) -> SpeedProfile | None:
    """The desired share of the fastest profile with the torques and least forces of the parameters;
    None if unused. `direction`: 1 along the path, -1 back.

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
        direction=direction,
    )
    start, length = pattern_extent(briefing.path, reference)
    periodic = briefing.path.curve.repeat is not None
    fastest = fastest_profile(chain, briefing.robot, sample_at, start, length, periodic, use)
    return fastest.slowed(parameters.profile)
