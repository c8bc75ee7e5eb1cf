# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forces on links that no planned contact explains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from boa_control.estimation.link_forces import LinkForces
from boa_control.estimation.stray_forces import unexplained
from boa_control.model.contact_set import ContactSet
from boa_description.load import load_robot

ROBOT = load_robot("boa3")
PITCH = ROBOT.link.pitch
LINKS = 5
STRAIGHT = np.zeros(LINKS - 1)
REACH = 0.09


def planned(places: Sequence[tuple[int, float, int, float]]) -> ContactSet:
    """Contacts (link, offset, side, inside)."""
    count = len(places)
    link, *others = zip(*places, strict=True)
    offset, side, inside = np.array(others, float)
    return ContactSet(
        contact=np.arange(count),
        post=np.arange(count),
        link=np.array(link),
        offset=offset,
        side=side,
        normal=np.column_stack([np.zeros(count), -side]),
        distance=np.zeros(count),
        reach=np.full(count, REACH),
        inside=inside,
        activation=np.ones(count),
        redundant=np.zeros(count, bool),
        two_sided=False,
    )


def forces(across: Sequence[float], along: Sequence[float] | None = None) -> LinkForces:
    return LinkForces(
        np.zeros(LINKS) if along is None else np.array(along, float), np.array(across, float)
    )


def test_a_force_on_the_side_of_a_planned_post_is_explained() -> None:
    """A post on the left (+1) pushes to the right: negative."""
    contacts = planned([(2, PITCH / 2, 1, 0.3)])
    rest = unexplained(forces([0, 0, -8, 0, 0]), contacts, PITCH, STRAIGHT)
    assert not rest.across.any()


def test_a_force_from_the_other_side_is_not() -> None:
    contacts = planned([(2, PITCH / 2, 1, 0.3)])
    rest = unexplained(forces([0, 0, 8, 0, 0]), contacts, PITCH, STRAIGHT)
    assert rest.across.tolist() == [0, 0, 8, 0, 0]


@pytest.mark.parametrize(("offset", "neighbour"), [(0.01, 1), (PITCH - 0.01, 3)])
def test_near_a_joint_the_post_may_be_on_the_neighbour(offset: float, neighbour: int) -> None:
    contacts = planned([(2, offset, -1, 0.3)])
    across = np.zeros(LINKS)
    across[neighbour] = 5.0
    assert not unexplained(forces(list(across)), contacts, PITCH, STRAIGHT).across.any()
    far = planned([(2, PITCH / 2, -1, 0.3)])
    assert unexplained(forces(list(across)), far, PITCH, STRAIGHT).across[neighbour] == 5.0


def test_a_post_at_the_tip_may_push_along_it() -> None:
    along = [0.0, 0, 0, 0, -7.0]
    at_the_tip = planned([(4, PITCH, 1, -0.02)])
    further_back = planned([(4, PITCH / 2, 1, 0.15)])
    assert unexplained(forces([0] * 5, along), at_the_tip, PITCH, STRAIGHT).along[4] == 0.0
    assert unexplained(forces([0] * 5, along), further_back, PITCH, STRAIGHT).along[4] == -7.0
    assert (
        unexplained(forces([0] * 5, along), further_back, PITCH, STRAIGHT, doubt=0.08).along[4]
        == 0.0
    )


def test_posts_that_stand_as_on_the_map_push_on_flanks_only() -> None:
    """What pushes along the tip, or far from a joint on the neighbour, is another post."""
    at_the_tip = planned([(4, PITCH, 1, -0.02)])
    along = [0.0, 0, 0, 0, -7.0]
    assert (
        unexplained(forces([0] * 5, along), at_the_tip, PITCH, STRAIGHT, exact=True).along[4]
        == -7.0
    )
    for offset, neighbour in ((0.03, 5.0), (0.005, 0.0)):
        contacts = planned([(2, offset, -1, 0.3)])
        rest = unexplained(forces([0, 5, 0, 0, 0]), contacts, PITCH, STRAIGHT, exact=True)
        assert rest.across[1] == neighbour


@pytest.mark.parametrize(
    ("bend", "side", "neighbour"), [(30, 1, 0.0), (-30, -1, 0.0), (30, -1, 5.0), (10, 1, 5.0)]
)
def test_a_post_on_the_inside_of_a_bend_presses_on_both_links(
    bend: float, side: int, neighbour: float
) -> None:
    """Bent by 30 degrees, a joint has it on both links 24 mm from its axis; bent by 10, 8 mm."""
    contacts = planned([(2, 0.024, side, 0.3), (2, PITCH - 0.024, side, 0.3)])
    pushed = -side * np.array([0.0, 5, 0, 5, 0])
    angles = np.zeros(LINKS - 1)
    angles[1:3] = np.radians(bend)
    rest = unexplained(forces(list(pushed)), contacts, PITCH, angles, exact=True)
    assert abs(rest.across[1]) == abs(rest.across[3]) == neighbour


def test_silent_sensors_explain_themselves() -> None:
    contacts = planned([(0, PITCH / 2, 1, 0.3)])
    rest = unexplained(forces([0, np.nan, 0, 0, 0]), contacts, PITCH, STRAIGHT)
    assert rest.across.tolist() == [0, 0, 0, 0, 0]
