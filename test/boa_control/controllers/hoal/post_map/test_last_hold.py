# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The post at the trailing end is not left before the next one is detected."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.post_map.approach_speed import last_hold_limit
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.bent_schedule import BentSchedule
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel, PathState
from boa_control.model.reference import ReferenceTable
from boa_description.arrays import Array
from boa_description.load import load_robot
from boa_description.scene import GroundFriction

LEAVING = SHIPPED.post_map.leaving
LEFT = SHIPPED.post_map.left
PREVIEW = SHIPPED.post_map.preview

BOA = load_robot("boa13")
CHAIN = PlanarChain(BOA)
PATH = prepare(load_scenario("boa_missing_post")).path
assert PATH is not None
TABLE = ReferenceTable(PATH.curve, BOA.links, BOA.link.pitch)
MODEL = PathModel(CHAIN, TABLE, GroundFriction())
SCHEDULE = BentSchedule(ContactSchedule(PATH, TABLE, BOA.link.radius, 0.03), BOA.link.pitch)
IN_PLACE = np.zeros(len(PATH.contacts))
BRAKING = 0.05


def leaving(way: float) -> tuple[PathState, ContactSet]:
    """The robot where its tail leaves a post in `way`, m, and the nose is beside the next one."""
    for s in np.arange(0.2, 1.2, 0.0005):
        state = MODEL.at(float(s))
        contacts = SCHEDULE.at(state, PREVIEW, IN_PLACE)
        tail = contacts.inside[(contacts.link <= 1) & (contacts.inside > 0.0)]
        nose = contacts.inside[(contacts.link >= 11) & (contacts.inside > 0.0)]
        if tail.size and nose.size and abs(tail.min() - way) < 5e-4 and nose.min() < 0.06:
            return state, contacts
    raise AssertionError("no such place")


def limit(
    state: PathState,
    contacts: ContactSet,
    undetected: Array,
    *,
    across: bool = False,
    direction: int = 1,
) -> float:
    level = np.where(undetected, 0.2, 1.0)
    searched = np.full(level.size, across)
    return last_hold_limit(CHAIN, state, contacts, level, searched, direction, BRAKING)


@pytest.mark.parametrize("way", [0.016, 0.03])
def test_it_stands_before_it_leaves_the_post_while_the_next_one_is_searched(way: float) -> None:
    state, contacts = leaving(way)
    nose = contacts.link >= 11
    speed = limit(state, contacts, nose)
    assert speed == pytest.approx(np.sqrt(2 * BRAKING * (way - LEFT)), rel=0.1)
    assert limit(state, contacts, np.zeros_like(nose)) == np.inf, "it is detected"
    assert limit(state, contacts, nose, across=True) == np.inf, "it is not there"
    assert limit(state, contacts, nose, direction=-1) == np.inf, "the nose leaves a post undetected"


def test_at_the_end_of_the_way_it_stands() -> None:
    state, contacts = leaving(LEFT - 0.002)
    assert limit(state, contacts, contacts.link >= 11) == 0.0


def test_without_hold_there_is_nothing_to_keep() -> None:
    state, contacts = leaving(0.03)
    undetected = (contacts.link >= 11) | (np.abs(contacts.link - 6) <= 2)
    assert limit(state, contacts, undetected) == np.inf


def test_far_from_the_end_of_the_body_nothing_is_left() -> None:
    for s in np.arange(0.2, 1.2, 0.01):
        state = MODEL.at(float(s))
        contacts = SCHEDULE.at(state, PREVIEW, IN_PLACE)
        inside = contacts.inside[(contacts.link < 6) & (contacts.inside > 0.0)]
        if inside.min() > LEAVING:
            assert limit(state, contacts, contacts.link >= 11) == np.inf
            return
    raise AssertionError("no such place")
