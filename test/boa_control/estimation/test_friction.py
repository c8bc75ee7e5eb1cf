# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction observers against chains whose loads are worked out link by link in the world frame."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.estimation.friction import GroundFrictionObserver, TransmittedTorques
from boa_control.estimation.link_forces import neighbour_loads
from test.boa_control.estimation.moving_chain import INERTIA, LINKS, MASS, PITCH, moving_chain


@given(st.integers(0, 2**32 - 1))
def test_forces_of_posts_and_floor_are_what_neighbours_leave_open(seed: int) -> None:
    chain = moving_chain(seed)
    loads = neighbour_loads(chain.joint_force, chain.angles, PITCH / 2)
    np.testing.assert_allclose(
        MASS * chain.acceleration[:, 1] - loads.across, chain.push, atol=1e-9
    )
    np.testing.assert_allclose(MASS * chain.acceleration[:, 0] - loads.along, chain.drag, atol=1e-9)


@given(st.integers(0, 2**32 - 1))
def test_transmitted_torques_follow_from_forces_and_contact_points(seed: int) -> None:
    chain = moving_chain(seed)
    loads = neighbour_loads(chain.joint_force, chain.angles, PITCH / 2)
    moment = loads.moment + chain.arm * chain.push - INERTIA * chain.alpha
    np.testing.assert_allclose(TransmittedTorques(LINKS)(moment), chain.torque, atol=1e-9)


def test_reset_forgets_what_was_learnt() -> None:
    floor = GroundFrictionObserver(0.1, noise=0.1, memory=100.0, doubt=0.3, most=2.0)
    floor.update(np.full(3, -9.0), np.full(3, -10.0), np.zeros(3), 0.0)
    assert floor.coefficient > 0.1
    floor.reset()
    assert floor.coefficient == 0.1


def test_floor_friction_is_the_regularised_least_squares_solution() -> None:
    rng = np.random.default_rng(4)
    unit, mu = rng.uniform(-17, 17, (200, LINKS)), 0.12
    force = mu * unit + rng.normal(0, 0.2, unit.shape)
    watch = GroundFrictionObserver(0.3, noise=2.0, memory=1e12, doubt=0.3, most=2.0)
    for row, measured in zip(unit, force, strict=True):
        watch.update(measured, row, np.zeros(LINKS), 0.0)
    rows = np.append(unit.ravel() / 2.0, 1 / 0.3)
    values = np.append(force.ravel() / 2.0, 0.3 / 0.3)
    expected = np.linalg.lstsq(rows[:, None], values, rcond=None)[0][0]
    assert watch.coefficient == pytest.approx(expected, rel=1e-6)
    assert watch.coefficient == pytest.approx(mu, abs=4 * 0.2 / np.sqrt(np.sum(unit**2)))


@pytest.mark.parametrize(("force", "expected"), [(5.0, 0.0), (-50.0, 2.0)])
def test_floor_friction_stays_within_what_is_possible(force: float, expected: float) -> None:
    watch = GroundFrictionObserver(0.1, noise=0.1, memory=100.0, doubt=0.3, most=2.0)
    for _ in range(20):
        watch.update(np.full(4, force), np.full(4, -10.0), np.zeros(4), 0.0)
    assert watch.coefficient == expected


def test_what_the_posts_rub_is_not_the_floors_as_soon_as_it_is_known() -> None:
    """Samples taken while the posts counted as smooth are told anew with the last one."""
    rng = np.random.default_rng(5)
    unit, rubbed = rng.uniform(-17, -3, (30, LINKS)), rng.uniform(-8, 0, (30, LINKS))
    watch = GroundFrictionObserver(0.0, noise=1e-3, memory=1e12, doubt=0.3, most=2.0)
    for row, posts in zip(unit[:-1], rubbed[:-1], strict=True):
        watch.update(0.02 * row + 0.15 * posts, row, posts, 0.0)
    assert watch.coefficient > 0.04
    watch.update(0.02 * unit[-1] + 0.15 * rubbed[-1], unit[-1], rubbed[-1], 0.15)
    assert watch.coefficient == pytest.approx(0.02, rel=1e-3)
