# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Signals of one tick: the end that meets a post, forces that no planned contact explains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boa_control.controllers.hoal.contacts.detection import Expected
from boa_control.controllers.hoal.contacts.plan import ContactPlan
from boa_control.controllers.hoal.set_points import Travel
from boa_control.controllers.hoal.supervision.signals import signals
from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.estimation.link_forces import LinkForces
from boa_control.model.path_model import PathState
from test.boa_control.controllers.hoal.offset_circle import (
    BOA,
    CHAIN,
    MODEL,
    SCHEDULE,
    frame,
)
from test.boa_control.controllers.hoal.ticks import engaged


def watched(state: PathState, **known: Any) -> Tick:
    """A robot that still takes hold of its posts."""
    now = frame(state.q[3:], np.zeros((BOA.joints, 2)), np.zeros((BOA.links, 2)))
    none = np.zeros(0, np.intp)
    rest = {"closing": True, "absent": none, "pressed": 5.0, "weighing": False, "misled": ""}
    return engaged(state, now, **rest, **known)


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("speed", [0.05, 0.0])
def test_the_push_on_the_end_that_leads_is_of_the_post_it_meets(
    direction: int, speed: float
) -> None:
    """The end is that of the direction of travel, also of a robot that stands there by now."""
    state = MODEL.at(1.0)
    contacts = SCHEDULE.at(state)
    along = np.zeros(BOA.links)
    along[0], along[-1] = 25.0, -30.0
    none = contacts.select(np.zeros(contacts.contact.size, bool))
    now = signals(
        CHAIN,
        watched(
            state,
            loads=(LinkForces(along, np.zeros(BOA.links)), np.zeros(BOA.links)),
            expected=(Expected(none),),
            plan=ContactPlan(contacts, None, 1.0),
            desired=direction * speed,
            exact=False,
            met=7,
            travel=Travel(direction, speed),
        ),
        SHIPPED.contacts.approach,
    )
    assert now.thrust == (30.0 if direction > 0 else 25.0)
    assert np.abs(now.axial).max() == (25.0 if direction > 0 else 30.0)
    assert now.met == 7


def test_a_late_force_of_a_contact_that_has_left_the_plan_is_not_strange() -> None:
    state = MODEL.at(1.0)
    contacts = SCHEDULE.at(state)
    left = contacts.link == contacts.link[0]
    across = np.zeros(BOA.links)
    across[contacts.link[0]] = -6.0 * contacts.side[0]
    now = Expected(contacts.select(~left))

    def strange(expected: tuple[Expected, ...]) -> float:
        told = signals(
            CHAIN,
            watched(
                state,
                loads=(LinkForces(np.zeros(BOA.links), across), np.zeros(BOA.links)),
                expected=expected,
                plan=ContactPlan(contacts.select(~left), None, 1.0),
                desired=0.08,
                exact=True,
                met=None,
            ),
            SHIPPED.contacts.approach,
        )
        return float(np.abs(told.stray).max())

    assert strange((now,)) == 6.0
    assert strange((now, Expected(contacts))) == 0.0
