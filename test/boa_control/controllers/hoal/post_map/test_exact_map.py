# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gaps of an exact map: left alone on the way along the path, braked where they open or close."""

from types import SimpleNamespace

import numpy as np
import pytest

from boa_control.controllers.hoal.contacts.plan import ContactPlan
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.post_map.exact_map import ExactMap
from boa_control.model.contact_schedule import ContactSchedule
from test.boa_control.controllers.hoal.random_field import CHAIN, MODEL, PATH, REFERENCE, ROBOT

PERIOD, SPEED = 0.002, 0.1
STATE = MODEL.cursor()(1.5)
SCHEDULE = ContactSchedule(PATH, REFERENCE, ROBOT.link.radius, 0.03)


def exact() -> ExactMap:
    return ExactMap(ROBOT.joints, SCHEDULE, PERIOD, Parameters())


def opening(post: int, rate: float):
    """Joint rates that open the gap of one contact at `rate`, m/s, the others closed."""
    contacts = exact().plan(STATE)
    gap = contacts.rows(CHAIN, STATE, 0.0)[0]
    wish = np.zeros(len(gap))
    wish[post] = rate
    motion = np.linalg.pinv(gap) @ wish
    return contacts, gap, motion[3:]


def slips(contacts, gap, off, closing=False, seconds=0.5):
    """Of a robot on its way whose joints move beside it with `off`, rad/s, for so long."""
    tested = exact()
    tick = SimpleNamespace(
        closing=closing,
        frame=SimpleNamespace(velocity=SPEED * STATE.dphi + off),
        state=STATE,
        progress=SimpleNamespace(rate=SPEED),
        plan=ContactPlan(contacts, None, 1.0),
    )
    return [tested.slip(gap, tick) for _ in range(round(seconds / PERIOD))]


def test_a_robot_on_its_way_keeps_the_bits_of_its_torques():
    contacts, gap, off = opening(2, 0.0)
    assert slips(contacts, gap, off) == [None] * 250


@pytest.mark.parametrize("rate", [0.03, -0.03])
def test_a_gap_that_opens_or_closes_is_braked(rate):
    contacts, gap, off = opening(2, rate)
    slip = slips(contacts, gap, off)
    assert slip[0] is None  # of one sample noise cannot be told
    assert np.sign(slip[-1][2]) == -np.sign(rate)
    assert np.abs(slip[-1]).max() == np.abs(slip[-1][2])


def test_nothing_is_braked_while_posts_are_taken_hold_of():
    contacts, gap, off = opening(2, 0.03)
    assert slips(contacts, gap, off, closing=True) == [None] * 250
