# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Posts that are due but not touched undo the balance of forces."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.contacts.plan import ContactPlan
from boa_control.controllers.hoal.tuning import SHIPPED
from test.boa_control.controllers.hoal.offset_circle import BENT_SCHEDULE, IN_PLACE, MODEL, SCHEDULE

PREVIEW = SHIPPED.post_map.preview


@pytest.mark.parametrize(("share", "held"), [(1.0, 1.0), (0.4, 0.4), (0.0, 0.0)])
def test_a_post_that_is_due_and_not_touched_undoes_the_balance_of_forces(
    share: float, held: float
) -> None:
    """One of the inner posts has been taken on by a share; the others fully."""
    contacts = SCHEDULE.at(MODEL.at(0.25))
    inner = int(np.argmax(contacts.inside))
    detected = np.ones(contacts.contact.size)
    detected[inner] = share
    assert ContactPlan(contacts, detected, 1.0).held == pytest.approx(held)
    assert ContactPlan(contacts, None, 1.0).held == 1.0


def test_a_post_that_only_comes_into_reach_does_not() -> None:
    contacts = BENT_SCHEDULE.at(MODEL.at(0.25), PREVIEW, IN_PLACE)
    outside = contacts.activation == 0.0
    assert outside.any()
    assert ContactPlan(contacts, np.where(outside, 0.0, 1.0), 1.0).held == 1.0


@pytest.mark.parametrize("level", [1.0, 0.6, 0.0])
def test_only_posts_inside_the_body_are_planned_and_all_count_as_felt_where_they_are(
    level: float,
) -> None:
    contacts = BENT_SCHEDULE.at(MODEL.at(0.25), PREVIEW, IN_PLACE)
    inside = contacts.activation > 0.0
    detected = np.where(inside, 1.0, 0.2)  # those ahead of the body are not detected yet
    detected[int(np.argmax(contacts.inside))] = level
    plan = ContactPlan.inside(contacts, detected, 0.5)
    np.testing.assert_array_equal(plan.contacts.contact, contacts.contact[inside])
    assert (plan.level is None) == (level == 1.0)
    given = ContactPlan(contacts.select(inside), detected[inside], 0.5)
    np.testing.assert_array_equal(plan.share, given.share)
    np.testing.assert_array_equal(plan.presence, given.presence)
    assert plan.held == given.held
