# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The contacts whose forces a late sample shows."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.contacts.detection import Expected, LateForces
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.plant import ForceSample
from test.boa_control.controllers.hoal.offset_circle import MODEL, SCHEDULE

MEMORY = SHIPPED.contacts.memory

TICK = 5_000_000  # ns
CONTACTS = SCHEDULE.at(MODEL.at(1.0))


def taken(tick: int) -> ForceSample:
    return ForceSample(tick * TICK, np.zeros((12, 3)))


def plans(count: int) -> list[Expected]:
    """One for each tick, told apart by their doubt."""
    return [Expected(CONTACTS, float(tick)) for tick in range(count)]


@pytest.mark.parametrize("sensors", [True, False])
def test_a_sample_of_this_tick_is_explained_by_this_tick_alone(sensors: bool) -> None:
    forces = LateForces()
    for tick, now in enumerate(plans(5)):
        sample = taken(tick) if sensors else None
        assert forces.explained_by(now, tick * TICK, sample) == (now,)


@pytest.mark.parametrize("age", [1, 2, 3])
def test_a_late_sample_is_explained_also_by_what_was_planned_before_it_was_taken(age: int) -> None:
    """The torque of one tick acts until the next one, when the sample is taken."""
    forces, all_plans = LateForces(), plans(8)
    for tick, now in enumerate(all_plans):
        explained = forces.explained_by(now, tick * TICK, taken(tick - age))
    assert explained == (all_plans[7], all_plans[7 - age - 1])


def test_two_ticks_may_read_the_same_sample() -> None:
    forces, (first, second, third, fourth) = LateForces(), plans(4)
    forces.explained_by(first, 0, None)
    forces.explained_by(second, TICK, taken(1))
    assert forces.explained_by(third, 2 * TICK, taken(1)) == (third, first)
    assert forces.explained_by(fourth, 3 * TICK, taken(1)) == (fourth, first)


def test_a_sensor_that_is_silent_for_long_tells_of_nothing_older_than_the_memory() -> None:
    forces = LateForces()
    for tick, now in enumerate(plans(100)):
        explained = forces.explained_by(now, tick * TICK, taken(0))
    (_, then) = explained
    assert then.doubt == 99 - MEMORY * 1e9 / TICK - 1


def test_a_new_run_knows_of_no_former_contacts() -> None:
    forces, (first, second) = LateForces(), plans(2)
    forces.explained_by(first, TICK, None)
    forces.reset()
    assert forces.explained_by(second, 2 * TICK, taken(1)) == (second,)
