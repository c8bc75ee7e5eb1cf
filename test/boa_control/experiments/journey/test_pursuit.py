# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How goals stand: every pair of standing and change."""

from __future__ import annotations

from itertools import product

import pytest

from boa_control.experiments.journey.parts import Goal
from boa_control.experiments.journey.pursuit import FINAL, Change, Pursuit, Standing


def after(standing: Standing, change: Change) -> Standing:
    pursuit = Pursuit([Goal(1.0, 1.0)])
    pursuit.standing = standing
    pursuit.change(change)
    return pursuit.standing


@pytest.mark.parametrize(("standing", "change"), list(product(Standing, Change)))
def test_what_is_over_stays_and_nothing_is_pursued_again(standing, change):
    end = after(standing, change)
    if standing in FINAL:
        assert end is standing
    if standing is not Standing.PURSUED:
        assert end is not Standing.PURSUED


def test_a_cancelled_goal_is_over_only_when_the_robot_holds():
    pursuit = Pursuit([Goal(1.0, 1.0)])
    pursuit.change(Change.CANCEL)
    assert not pursuit.over
    pursuit.change(Change.REACH)  # at rest at the goal, on request
    assert not pursuit.over
    pursuit.change(Change.HOLD)
    assert (pursuit.standing, pursuit.over) == (Standing.CANCELLED, True)


def test_a_robot_that_stands_by_itself_has_cancelled_nothing():
    assert after(Standing.PURSUED, Change.HOLD) is Standing.PURSUED


def test_the_first_end_counts_with_its_reason():
    pursuit = Pursuit([Goal(1.0, 1.0)])
    pursuit.change(Change.FAIL, "walled in")
    pursuit.change(Change.REPLACE)
    assert (pursuit.standing, pursuit.reason) == (Standing.FAILED, "walled in")


@pytest.mark.parametrize("change", Change)
def test_there_is_always_a_reason(change):
    pursuit = Pursuit([Goal(1.0, 1.0)])
    pursuit.change(Change.CANCEL if change is Change.HOLD else change)
    pursuit.change(change)
    assert pursuit.reason
