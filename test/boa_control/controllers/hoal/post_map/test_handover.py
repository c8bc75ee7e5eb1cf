# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How fast a body that keeps its posts comes to them with its leading end and with its flanks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boa_control.controllers.hoal.post_map.approach_speed import handover_limit, leading_speed
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathState
from boa_description.arrays import Array
from test.boa_control.controllers.hoal.offset_circle import (
    BENT_SCHEDULE,
    CHAIN,
    IN_PLACE,
    MODEL,
    TABLE,
)

CLOSING, BRAKING = 0.016, 0.05  # m/s, m/s2


@pytest.mark.parametrize("direction", [1, -1])
def test_on_its_path_the_leading_end_goes_as_fast_as_the_joints_say(direction: int) -> None:
    """On average: where the end swings it is now slower, now faster."""
    states = [MODEL.at(s) for s in np.arange(0.0, 2.0, 0.02)]
    speeds = [abs(leading_speed(CHAIN, state, state.dq, direction)) for state in states]
    assert np.mean(speeds) == pytest.approx(1.0, abs=0.06)
    assert max(speeds) < 1.5


@pytest.mark.parametrize(("direction", "link"), [(1, -1), (-1, 0)])
def test_a_stretched_motion_is_faster_at_the_end_that_leads(direction: int, link: int) -> None:
    state = MODEL.at(0.25)
    way = 1.5 * state.along[link]
    slid = np.concatenate([[way.real, way.imag], np.zeros(CHAIN.links)])
    assert leading_speed(CHAIN, state, slid, direction) == pytest.approx(1.5 * direction)


def axes(q: Array) -> Array:
    return CHAIN.joint_axes(q, CHAIN.posture(q))


@pytest.mark.parametrize(("direction", "end"), [(1, -1), (-1, 0)])
def test_an_end_that_swings_moves_across_itself_too(direction: int, end: int) -> None:
    """Its velocity is that of its point of the chain, whose place tells it by differences."""
    step = 1e-6
    for s in (0.25, 0.31, 0.4):
        state = MODEL.at(s)
        before, after = (axes(state.q + way * direction * state.dq) for way in (-step, step))
        velocity = complex(*(after[end] - before[end])) / (2 * step) * state.along[end].conj()
        found = leading_speed(CHAIN, state, state.dq, direction)
        assert found == pytest.approx(velocity, rel=1e-4)


@pytest.mark.parametrize("direction", [1, -1])
def test_posts_as_on_the_map_are_handed_over_at_full_speed(direction: int) -> None:
    for s in np.arange(0.0, 1.4, 0.01):
        state = MODEL.at(s)
        held = BENT_SCHEDULE.at(state, 0.0, IN_PLACE)
        assert handover_limit(TABLE, state, held, direction, CLOSING, BRAKING) > 0.2


def most_bent() -> tuple[PathState, int, float]:
    """A state with the joint between two links that bends most there, and its angle, rad."""
    state = MODEL.at(0.3)
    joint = 1 + int(np.argmax(np.abs(state.q[3:])))
    return state, joint, state.q.item(2 + joint)


def one(state: PathState, link: int, offset: float, side: float) -> ContactSet:
    """A post at the flank of a link."""
    first = np.arange(len(BENT_SCHEDULE.at(state, 0.0, IN_PLACE).link)) == 0
    contact = BENT_SCHEDULE.at(state, 0.0, IN_PLACE).select(first)
    return contact._replace(link=np.array([link]), offset=np.array([offset]), side=np.array([side]))


@pytest.mark.parametrize("direction", [1, -1])
def test_the_next_flank_comes_to_a_post_in_a_bend_no_faster_than_allowed(direction: int) -> None:
    """Its distance shrinks by the way times the sine of the bend as the post slides along."""
    state, joint, bend = most_bent()
    side = math.copysign(1.0, bend)
    touched, following = (joint, joint - 1) if direction > 0 else (joint - 1, joint)
    end = 0.0 if direction > 0 else CHAIN.pitch
    slid = -direction * 1e-3 * state.along[touched]  # of a post on a body that goes on
    nearer = -side * (slid * state.along[following].conjugate()).imag / 1e-3
    assert nearer > 0.7  # a sharp bend
    contact = one(state, touched, end, side)
    limit = handover_limit(TABLE, state, contact, direction, CLOSING, BRAKING)
    assert limit * nearer == pytest.approx(CLOSING, rel=1e-4)  # tables interpolate


def test_on_the_outside_of_a_bend_nothing_sweeps() -> None:
    state, joint, bend = most_bent()
    contact = one(state, joint, 0.0, -math.copysign(1.0, bend))
    assert handover_limit(TABLE, state, contact, 1, CLOSING, BRAKING) == math.inf


def test_the_robot_can_slow_down_before_the_handover() -> None:
    """The bend that counts is that of the joint when it has come to the post."""
    state, joint, bend = most_bent()
    way = 0.06
    before = MODEL.at(state.s - way)
    contact = one(before, joint, way, math.copysign(1.0, bend))
    limit = handover_limit(TABLE, before, contact, 1, CLOSING, BRAKING)
    then = CLOSING / math.sin(abs(bend))
    before_joint = contact.reach.item(0) * math.tan(abs(bend) / 2)  # there both flanks touch
    assert before_joint > 0.01
    assert limit**2 - then**2 == pytest.approx(2 * BRAKING * (way - before_joint))


@pytest.mark.parametrize(("direction", "link"), [(1, 0), (-1, CHAIN.links - 1)])
def test_the_last_link_hands_over_to_none(direction: int, link: int) -> None:
    state, _, bend = most_bent()
    contact = one(state, link, 0.06, math.copysign(1.0, bend))
    assert handover_limit(TABLE, state, contact, direction, CLOSING, BRAKING) == math.inf
