# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction at contacts: Coulomb's law, its limits, and the smoothing of normal forces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_sim.engines.contact_columns import tangents
from boa_sim.engines.mujoco.contact_friction import (
    FILTER_TIME,
    SLIP_SPEED,
    SmoothedForces,
    tangential_force,
)

STEP = 0.001
ONE, OTHER = (0, 0, 0), (1, 0, 0)  # contact points


@pytest.mark.parametrize("sliding", [0.02, -0.02, 1.0, -1.0])
def test_coulomb_above_the_slip_speed(sliding: float) -> None:
    assert tangential_force(0.2, 10.0, sliding, 1.7, STEP) == pytest.approx(-2.0 * np.sign(sliding))


def test_viscous_below_the_slip_speed() -> None:
    assert tangential_force(0.2, 10.0, 0.4 * SLIP_SPEED, 1.7, STEP) == pytest.approx(-0.8)
    assert tangential_force(0.2, 10.0, 0.0, 1.7, STEP) == 0.0


@given(
    mu=st.floats(0, 2), force=st.floats(0, 1e4), sliding=st.floats(-1, 1), mass=st.floats(0.1, 10)
)
def test_never_more_than_coulomb_and_never_turns_the_sliding_round(
    mu: float, force: float, sliding: float, mass: float
) -> None:
    friction = tangential_force(mu, force, sliding, mass, STEP)
    assert abs(friction) <= mu * force * (1 + 1e-12)
    assert friction * sliding <= 0
    assert abs(friction) * STEP <= mass * abs(sliding)


def test_tangent_is_the_normal_turned_by_minus_90_degrees() -> None:
    assert tangents(np.array([[0.0, 1.0, 0.0]]))[0] == pytest.approx([1.0, 0.0, 0.0])


def test_normal_forces_are_smoothed_with_the_filter_time() -> None:
    smoothed = SmoothedForces(STEP)
    steps = 20
    for _ in range(steps):
        smoothed.follow([ONE], [10.0])
    expected = 10.0 * (1 - (1 + STEP / FILTER_TIME) ** -steps)  # implicit first-order lag
    assert smoothed.at(ONE) == pytest.approx(expected)


def test_a_lost_contact_is_gone_and_comes_back_from_zero() -> None:
    smoothed = SmoothedForces(STEP)
    both = [ONE, OTHER]
    for _ in range(50):
        smoothed.follow(both, [10.0, 5.0])
    smoothed.follow([OTHER], [5.0])
    assert smoothed.at(ONE) == 0.0
    smoothed.follow(both, [10.0, 5.0])
    assert smoothed.at(ONE) < 2.5
    assert smoothed.at(OTHER) == pytest.approx(5.0, rel=1e-3)
