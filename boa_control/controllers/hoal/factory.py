# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which variant of map, start and supervision a run gets: the one place that chooses."""

from __future__ import annotations

from boa_control.controller import Briefing
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.post_map.exact_map import ExactMap
from boa_control.controllers.hoal.post_map.interface import PostMap
from boa_control.controllers.hoal.post_map.presence_map import PresenceMap
from boa_control.controllers.hoal.start.initial_place import KnownStart, StartPlace
from boa_control.controllers.hoal.start.place_search import UnknownStart
from boa_control.controllers.hoal.supervision.divergence import DivergenceMonitor
from boa_control.controllers.hoal.supervision.interface import Supervision
from boa_control.controllers.hoal.supervision.supervisor import MapSupervisor
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.path_model import PathModel
from boa_control.model.reference import ReferenceTable
from boa_control.paths.path import PlannedPath


def make_map(
    briefing: Briefing,
    path: PlannedPath,
    model: PathModel,
    schedule: ContactSchedule,
    parameters: Parameters,
) -> PostMap:
    """The map that `map_error` calls for; an exact one is checked where it may lack posts."""
    if parameters.map_error > 0:
        # the kernels of a bent chain take their time to load, and exact maps have no use for them
        from boa_control.controllers.hoal.post_map.displaced_map import DisplacedMap

        return DisplacedMap(briefing.robot, model, schedule, path, briefing.period, parameters)
    if parameters.blind_speed is not None:
        return PresenceMap(model.chain, schedule, path, briefing.period, parameters)
    return ExactMap(briefing.robot.joints, schedule, briefing.period, parameters)


def make_supervision(briefing: Briefing, path: PlannedPath, parameters: Parameters) -> Supervision:
    """A `MapSupervisor` where posts may stand elsewhere, or where the map may lack them; with a map
    that is trusted fully, only whether the robot has hold at all.
    """
    if parameters.map_error > 0 or parameters.blind_speed is not None:
        return MapSupervisor(briefing, path, parameters)
    return DivergenceMonitor(path, briefing.robot.joints, briefing.period, parameters.tuning)


def make_start(
    briefing: Briefing, path: PlannedPath, reference: ReferenceTable, parameters: Parameters
) -> StartPlace:
    """The start that the briefing allows; tabulating the places takes a few tenths of a second."""
    if briefing.start_progress is None:
        robot, period = briefing.robot, briefing.period
        return UnknownStart(path, reference, robot, parameters.start, period, parameters.tuning)
    return KnownStart(briefing.start_progress)
