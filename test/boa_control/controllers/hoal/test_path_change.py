# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""On a new path no state is lost unsaid: what an object remembers is either taken over from that of
the former path or named here as made anew.
"""

from __future__ import annotations

import ast
import inspect
import textwrap

import pytest

from boa_control.controllers.hoal.contacts.detection import Engagement
from boa_control.controllers.hoal.controller import HoalController
from boa_control.controllers.hoal.post_map.deformation import DeformedReference
from boa_control.controllers.hoal.post_map.displaced_map import DisplacedMap
from boa_control.controllers.hoal.post_map.landmarks import Landmarks
from boa_control.controllers.hoal.post_map.presence_map import PresenceMap
from boa_control.controllers.hoal.post_map.record import MapRecord
from boa_control.controllers.hoal.post_map.search import PostSearch
from boa_control.controllers.hoal.set_points import Steering
from boa_control.controllers.hoal.supervision.divergence import DivergenceMonitor
from boa_control.controllers.hoal.supervision.fallback import ForceShare
from boa_control.controllers.hoal.supervision.supervisor import MapSupervisor
from boa_control.estimation.touched_posts import TouchedPosts

# robot and parameters, what belongs to a path, and what a robot at rest does without
ANEW = {
    HoalController: "briefing p chain reference path_state balance schedule speed standstill "
    "start stranding observer qp late stall_report tuning sensors contacts",
    Engagement: "contacts rules silent",
    Steering: "p fault force_step turning_step backwards retreat",
    PresenceMap: "schedule posts curve points pitch period numbers undetected impulse telling "
    "silent missing tick events here news tuning detection startup_damping met joints brakes "
    "off",
    DisplacedMap: "chain path_reference error turning brakes braking lacking felt unmapped "
    "flank_speed preview seen_at seen last_hold leading handover off direction astray met tick "
    "tuning startup_damping shape_limit weights events",
    MapSupervisor: "anew curve period fault soft_hold watch closing blind halt events now "
    "tuning rising names",
    DivergenceMonitor: "curve outside soft_hold halt events closing now tuning start_shape laid "
    "names",
    DeformedReference: "turning chain period ends_std every bent ticks turn tuning follow_speed",
    PostSearch: "contacts map_error step lag across absent any_absent tuning approach",
    Landmarks: "given map_error step schedule shift known tuning",
    MapRecord: "given every radius news events tuning",
    TouchedPosts: "places std std_of deviation",
    ForceShare: "calm filter tuning least least_hold most_drift",
}


def attributes(of: object, names: tuple[str, ...], *, written: bool) -> set[str]:
    """Attributes of the variables `names` in a piece of source, without leading underscores."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(of)))
    return {
        node.attr.lstrip("_")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store) == written
        and isinstance(node.value, ast.Name)
        and node.value.id in names
    }


def remembered(cls: type) -> set[str]:
    """All that methods of a class write into `self`."""
    parts = (attributes(part, ("self",), written=True) for part in cls.__mro__ if part.__mro__[1:])
    return set().union(*parts)


def taken_over(cls: type) -> set[str]:
    """All that it reads of its former self."""
    method = getattr(cls, "go_on_from", None) or cls._go_on_from
    return attributes(method, ("before",), written=False)


@pytest.mark.parametrize("cls", ANEW)
def test_what_is_remembered_is_taken_over_or_made_anew(cls: type) -> None:
    assert remembered(cls) - taken_over(cls) == set(ANEW[cls].split())
