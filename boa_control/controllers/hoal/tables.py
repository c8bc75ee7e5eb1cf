# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The slow part of a `HoalController`: tables along its path, and the speeds that torques allow
there.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from boa_control.controller import Briefing
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.speed_reference import SpeedReference
from boa_control.estimation.progress import require_visible_progress
from boa_control.model.contact_schedule import SAME_PLACE, ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.kept_contacts import keep_contacts
from boa_control.model.path_model import PathModel, PathState
from boa_control.model.pattern import pattern_extent
from boa_control.model.reference import ReferenceTable
from boa_control.optimisation.speed_profile import (
    Allowance,
    SampleAt,
    SpeedProfile,
    fastest_profile,
)
from boa_control.paths.path import PlannedPath
from boa_description.errors import BoaError
from boa_description.robot import require_planar


class PathTables(NamedTuple):
    """All that is worked out once for a path. It can be pickled: another process may do it.

    Attributes:
        path: with its contacts.
        model: the chain along it.
        way, back: speed profiles; None where none is desired.
        backwards: the robot may travel back.
    """

    path: PlannedPath
    model: PathModel
    way: SpeedProfile | None
    back: SpeedProfile | None
    backwards: bool

    def speed_reference(self, parameters: Parameters, period: float) -> SpeedReference:
        """The desired speed along the path. `period`: of the control ticks, s."""
        reference = self.model.reference
        return SpeedReference(
            parameters.speed,
            parameters.acceleration,
            period,
            reference.end,
            self.way,
            start=reference.start,
            backwards=self.back,
        )


def make_tables(briefing: Briefing, parameters: Parameters) -> PathTables:
    """Work it out (tenths of a second).

    Raises:
        BoaError: no path, or one that bends the joints beyond their limits or hides how far the
            robot is; posts opposite each other that may stand off their places.
    """
    path, robot = briefing.path, briefing.robot
    if path is None:
        raise BoaError("controller hoal: the scenario has no path; add a path block")
    require_planar(robot, "controller hoal")
    if parameters.map_error > 0:
        _refuse_opposite_posts(path)
    on_path = ReferenceTable(path.curve, robot.links, robot.link.pitch)
    reference = keep_contacts(on_path, path, robot.link.radius, parameters.contact_ramp)
    _check_joint_limits(reference, briefing)
    require_visible_progress(reference)
    chain = PlanarChain(robot)
    model = PathModel(chain, reference, briefing.ground)
    state_at = model.cursor()
    schedule = ContactSchedule(path, reference, robot.link.radius, parameters.contact_ramp)

    def sample(s: float) -> tuple[PathState, ContactSet]:
        state = state_at(s)
        return state, schedule.at(state)

    way = plan_profile(briefing, chain, reference, sample, parameters)
    back, possible = None, True
    try:
        back = plan_profile(briefing, chain, reference, sample, parameters, direction=-1)
    except BoaError:
        possible = False
    return PathTables(path, model, way, back, possible)


def _refuse_opposite_posts(path: PlannedPath) -> None:
    """Refuse two posts on both sides of one place. They leave the body no play, so that it jams
    where they stand closer; and only one is pressed, so that the other would count as missing.
    """
    number = dict(zip(path.contacts, path.post_of, strict=True))
    names = path.names
    for one, other in pairwise(sorted(path.contacts, key=lambda at: at.s)):
        if other.s - one.s < SAME_PLACE and other.side != one.side:
            raise BoaError(
                f"map_error: posts {names.get(number[one], number[one])} and "
                f"{names.get(number[other], number[other])} stand opposite each other at "
                f"s = {one.s:.3f} m and leave the body no play for an error of the map; use "
                f"map_error 0, or blind_speed where posts may be missing, or posts on one side"
            )


def _check_joint_limits(reference: ReferenceTable, briefing: Briefing) -> None:
    """Refuse a path that bends a joint into its stop."""
    joint = briefing.robot.joint
    start, end = reference.extent
    s = start + np.linspace(0.0, min(reference.span, end - start), 2000)
    shapes = reference.shapes(s)
    worst = np.unravel_index(
        int(np.argmax(np.maximum(shapes - joint.upper, joint.lower - shapes))), shapes.shape
    )
    angle = float(shapes[worst])
    if not joint.lower <= angle <= joint.upper:
        limit = joint.upper if angle > 0 else joint.lower
        raise BoaError(
            f"path: joint {worst[1] + 1} must bend to {np.degrees(angle):.1f} deg at s = "
            f"{s[worst[0]]:.3f} m, its "
            f"limit is {np.degrees(limit):.1f} deg; use gentler bends: larger radius or "
            f"spacing, smaller attack_angle"
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
