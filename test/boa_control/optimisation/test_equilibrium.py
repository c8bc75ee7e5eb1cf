# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forces in equilibrium against a search through all active sets, hand calculation and symmetry."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.model.dynamics import PlanarChain
from boa_control.optimisation.equilibrium import FLOOR_PRICE, RIGIDITY, Equilibrium
from boa_description.arrays import Array
from boa_description.load import load_robot
from test.boa_control.conftest import gap_rows

CHAIN = PlanarChain(load_robot("boa13"))
JOINTS = CHAIN.links - 1
SIDES = np.array([1.0, -1.0, -1.0, 1.0, 1.0])


class Balance(NamedTuple):
    """Arguments of `Equilibrium.forces`."""

    push: Array
    bias: Array
    inertia: Array
    desired: Array
    floor: Array

    def forces(self) -> Array:
        return Equilibrium().forces(*self)

    def left_over(self, lam: Array) -> Array:
        """Force, N, and moment about the centre of mass per radius of gyration, N, shape (3,)."""
        mass = self.inertia[0, 0]
        return np.linalg.solve(np.linalg.cholesky(self.inertia / mass), lam @ self.push - self.bias)


def posts(seed: int) -> Balance:
    """A zigzag chain with five posts, of which some may carry part of their force only."""
    rng = np.random.default_rng(seed)
    shape = 0.6 * np.cos(2.4 * np.arange(JOINTS)) + 0.1 * rng.normal(size=JOINTS)
    posture = CHAIN.posture(np.concatenate([rng.normal(size=3), shape]))
    link = np.array([1, 3, 6, 8, 11])
    gap = gap_rows(CHAIN, posture, link, rng.uniform(0.02, 0.11, 5), SIDES)
    share = np.where(rng.random(5) < 0.3, rng.random(5), 1.0)
    return Balance(
        np.ascontiguousarray(gap[:, :3]),
        rng.normal(scale=rng.choice([0.3, 10.0]), size=3),
        np.ascontiguousarray(CHAIN.mass_matrix(posture)[:3, :3]),
        5.0 * share,
        np.minimum(2.0, 5.0 * share),
    )


def cost(balance: Balance, lam: Array) -> float:
    """What is minimised, with the price of forces below the floor."""
    below = np.maximum(balance.floor - lam, 0.0)
    return float(
        np.sum((lam - balance.desired) ** 2)
        + FLOOR_PRICE * np.sum(below**2)
        + RIGIDITY * np.sum(balance.left_over(lam) ** 2)
    )


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_no_choice_of_contacts_at_the_floor_does_better(seed: int) -> None:
    """For each choice of contacts below the floor the cost is quadratic: a linear system."""
    balance = posts(seed)
    mass = balance.inertia[0, 0]
    rigid = RIGIDITY * mass * np.linalg.inv(balance.inertia)
    best = np.inf
    for chosen in product([0.0, 1.0], repeat=5):
        price = FLOOR_PRICE * np.array(chosen)
        H = np.diag(1 + price) + balance.push @ rigid @ balance.push.T
        g = balance.desired + price * balance.floor + balance.push @ rigid @ balance.bias
        best = min(best, cost(balance, np.linalg.solve(H, g)))
    assert cost(balance, balance.forces()) == pytest.approx(best, rel=1e-6)


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), angle=st.floats(-3, 3), x=st.floats(-2, 2), y=st.floats(-2, 2))
def test_turned_moved_or_referred_to_another_base_it_is_the_same(
    seed: int, angle: float, x: float, y: float
) -> None:
    """Twists of another base that is turned and displaced are T times those of this one."""
    balance = posts(seed)
    c, s = np.cos(angle), np.sin(angle)
    T = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ np.array(
        [[1.0, 0.0, y], [0.0, 1.0, -x], [0.0, 0.0, 1.0]]
    )
    back = np.linalg.inv(T)
    other = balance._replace(
        push=balance.push @ back,
        bias=back.T @ balance.bias,
        inertia=back.T @ balance.inertia @ back,
    )
    np.testing.assert_allclose(other.forces(), balance.forces(), atol=1e-5)


def test_a_wish_that_can_be_fulfilled_is_in_equilibrium_and_nearest() -> None:
    """Against the projection onto the forces in equilibrium by the pseudo-inverse."""
    balance = posts(3)._replace(floor=np.full(5, -100.0), bias=np.array([0.5, -0.3, 0.2]))
    lam = balance.forces()
    map_ = balance.push.T
    exact = balance.desired - np.linalg.pinv(map_) @ (map_ @ balance.desired - balance.bias)
    np.testing.assert_allclose(lam, exact, atol=2e-2)
    assert np.linalg.norm(balance.left_over(lam)) < 2e-3


def test_four_posts_on_a_straight_body_by_hand() -> None:
    """Outer posts f on the left, inner ones g on the right, all as far from the middle in pairs:
    f = g, and nearest to 3, 3, 5 and 5 N that is 4 N each.
    """
    posture = CHAIN.posture(np.zeros(CHAIN.links + 2))
    link, side = np.array([0, 4, 8, 12]), np.array([1.0, -1.0, -1.0, 1.0])
    gap = gap_rows(CHAIN, posture, link, np.full(4, 0.065), side)
    balance = Balance(
        np.ascontiguousarray(gap[:, :3]),
        np.zeros(3),
        np.ascontiguousarray(CHAIN.mass_matrix(posture)[:3, :3]),
        np.array([3.0, 5.0, 5.0, 3.0]),
        np.full(4, 1.0),
    )
    np.testing.assert_allclose(balance.forces(), 4.0, atol=1e-3)


def test_where_no_forces_balance_little_is_wished_for_and_the_body_hardly_pushed() -> None:
    """Three posts on one side cannot balance: uniform forces would push with 15 N. Equal forces f
    cost 3 (f - 5)^2 + 3 k (2 - f)^2 + rho (3 f)^2, apart from the moment, which is 0.
    """
    posture = CHAIN.posture(np.zeros(CHAIN.links + 2))
    gap = gap_rows(CHAIN, posture, np.array([2, 6, 10]), np.full(3, 0.065), np.ones(3))
    balance = Balance(
        np.ascontiguousarray(gap[:, :3]),
        np.zeros(3),
        np.ascontiguousarray(CHAIN.mass_matrix(posture)[:3, :3]),
        np.full(3, 5.0),
        np.full(3, 2.0),
    )
    by_hand = (5.0 + 2.0 * FLOOR_PRICE) / (1 + FLOOR_PRICE + 3 * RIGIDITY)
    np.testing.assert_allclose(balance.forces(), by_hand, rtol=1e-4)
    assert 3 * by_hand < 0.025  # N
