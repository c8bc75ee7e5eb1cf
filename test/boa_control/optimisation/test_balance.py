# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How much preload contacts carry in balance: symmetry and closure tell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.optimisation.balance import _bounded_share, attainable_share
from boa_description.arrays import Array


def rows(points: Array, directions: Array) -> Array:
    """Base part of J for forces at `points` along the angles `directions`."""
    x, y = np.cos(directions), np.sin(directions)
    return np.column_stack([x, y, points[:, 0] * y - points[:, 1] * x])


def pinwheel(turn: float = 0.0, at: tuple[float, float] = (0.0, 0.0)) -> Array:
    """Four fingers on a bar: two from each side, none above another."""
    points = np.array([[-1.0, -0.1], [1.0, -0.1], [-0.5, 0.1], [0.5, 0.1]])
    push = np.radians([80.0, 100.0, -100.0, -80.0]) + turn
    cos, sin = np.cos(turn), np.sin(turn)
    return rows(points @ [[cos, sin], [-sin, cos]] + np.array(at), push)


def test_a_symmetric_grip_carries_the_whole_preload() -> None:
    """Equal forces of the four balance each other, so nothing is lost."""
    assert attainable_share(pinwheel(), np.ones(4)) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("lost", range(4))
def test_three_contacts_carry_nothing(lost: int) -> None:
    presence = np.ones(4)
    presence[lost] = 0.0
    assert attainable_share(pinwheel(), presence) == 0.0


def test_four_contacts_from_one_side_carry_nothing() -> None:
    points = np.array([[-1.0, 0.0], [-0.5, 0.0], [0.5, 0.0], [1.0, 0.0]])
    assert attainable_share(rows(points, np.full(4, np.pi / 2)), np.ones(4)) < 1e-3


def test_a_contact_that_leaves_takes_the_preload_along_gradually() -> None:
    """Of four no force can be missed: none carries more than what balances the weakest."""
    shares = [
        attainable_share(pinwheel(), np.array([fading, 1.0, 1.0, 1.0]))
        for fading in (1.0, 0.3, 0.1, 0.01, 1e-4)
    ]
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < 1e-3


@given(
    turn=st.floats(-3.0, 3.0),
    x=st.floats(-3.0, 3.0),
    y=st.floats(-3.0, 3.0),
    presence=st.lists(st.floats(0.05, 1.0), min_size=4, max_size=4),
    order=st.permutations(range(4)),
)
def test_it_depends_neither_on_the_frame_nor_on_the_order(
    turn: float, x: float, y: float, presence: list[float], order: list[int]
) -> None:
    weights = np.array(presence)
    here = attainable_share(pinwheel(), weights)
    there = attainable_share(pinwheel(turn, (x, y))[order], weights[order])
    assert there == pytest.approx(here, abs=2e-3)
    assert 0.0 <= here <= 1.0 + 1e-3


@given(
    seed=st.integers(0, 10_000),
    presence=st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=7, max_size=7),
)
def test_where_no_force_is_at_a_bound_it_is_that_of_the_solver(
    seed: int, presence: list[float]
) -> None:
    """Also where the contacts of a straight chain leave it free to slide, but for rounding."""
    rng = np.random.default_rng(seed)
    directions = rng.choice([-0.5, 0.5], 7) * np.pi + (seed % 3) * rng.normal(scale=0.2, size=7)
    gap, weights = rows(rng.uniform(-1.0, 1.0, size=(7, 2)), directions), np.array(presence)
    if np.count_nonzero(weights) < 4:
        assert attainable_share(gap, weights) == 0.0
    else:
        found = attainable_share(gap, weights)
        assert found == pytest.approx(_bounded_share(gap, weights), abs=2e-3)
