# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""First posts that may stand elsewhere: when the robot sets off."""

from __future__ import annotations

import numpy as np

from boa_control.controllers.hoal.contacts.closure import held
from boa_control.controllers.hoal.tick import Tick
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.estimation.progress import Progress
from boa_control.model.contact_set import ContactSet
from test.boa_control.controllers.hoal.offset_circle import CHAIN, MODEL, SCHEDULE
from test.boa_control.controllers.hoal.ticks import tick

START_SHAPE = SHIPPED.contacts.start_shape

FIRST = SCHEDULE.at(MODEL.at(0.25))


def lying(contacts: ContactSet, level: np.ndarray, residual: float) -> Tick:
    """A body that far off its shape, rad rms, among posts that are taken on to `level`."""
    progress = Progress(0.25, 0.0, residual, np.zeros(CHAIN.links - 1))
    return tick(MODEL.at(0.25), contacts=contacts, level=level, progress=progress)


def test_four_that_do_not_balance_or_a_bent_body_do_not_set_off() -> None:
    """Four of five were held for enough, and were not (40 mm, seed 136)."""
    every = np.ones(FIRST.contact.size)
    assert held(CHAIN, lying(FIRST, every, 0.01), SHIPPED.contacts)
    assert not held(CHAIN, lying(FIRST, every, 1.1 * START_SHAPE), SHIPPED.contacts)
    three = (np.arange(FIRST.contact.size) < 3).astype(float)
    assert not held(CHAIN, lying(FIRST, three, 0.01), SHIPPED.contacts)


def test_a_post_that_the_body_is_only_coming_to_holds_nothing() -> None:
    """With its share counted a start set off with three of four (5 mm, field 645)."""
    every = np.ones(FIRST.contact.size)
    partly = FIRST._replace(activation=np.full(FIRST.contact.size, 0.5))
    assert not held(CHAIN, lying(partly, every, 0.01), SHIPPED.contacts)
