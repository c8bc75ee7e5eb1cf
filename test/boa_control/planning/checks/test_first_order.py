# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""First-order form closure against cases that are known by construction and against the linear
program.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.planning.checks.first_order import is_closed, wrench_ball, wrenches
from test.boa_control.planning.closure_program import margin


def square(offset: float) -> tuple[np.ndarray, np.ndarray]:
    """Four contacts on the sides of a square, each shifted along its side by `offset` (a
    pinwheel).
    """
    normals = np.array([[0.0, 1], [-1, 0], [0, -1], [1, 0]])
    along = np.column_stack([normals[:, 1], -normals[:, 0]])
    return -normals + offset * along, normals


def test_pinwheel_turns_and_centred_square_turns() -> None:
    # opposite contacts share a line: turning is free to first order
    assert not is_closed(*square(0.0))
    assert not is_closed(*square(0.3))  # all moments have the same sign
    assert margin(*square(0.3)) == -1.0


def test_square_with_opposed_moments_is_closed() -> None:
    points, normals = square(0.0)
    along = np.column_stack([normals[:, 1], -normals[:, 0]])
    points = points + np.array([0.3, -0.3, 0.3, -0.3])[:, None] * along
    assert is_closed(points, normals)
    assert margin(points, normals) == pytest.approx(1.0)  # equal forces balance


def test_two_opposed_pairs_hold_a_bar_but_not_along_its_axis() -> None:
    points = np.array([[-1.0, 0.1], [-1.0, -0.1], [1.0, 0.1], [1.0, -0.1]])
    normals = np.array([[0.0, -1], [0, 1], [0, -1], [0, 1]])
    assert not is_closed(points, normals)
    # a pair across a second, inclined bar stops the sliding
    points = np.vstack([points, [[2.0, 0.5], [2.1, 0.4]]])
    normals = np.vstack([normals, np.array([[-1.0, -1], [1, 1]]) / np.sqrt(2)])
    assert is_closed(points, normals)


def test_contacts_that_do_not_touch_do_not_count() -> None:
    points, normals = square(0.0)
    along = np.column_stack([normals[:, 1], -normals[:, 0]])
    points = points + np.array([0.3, -0.3, 0.3, -0.3])[:, None] * along
    touching = np.array([[True, True, True, True], [True, True, True, False]])
    both = is_closed(np.stack([points, points]), np.stack([normals, normals]), touching)
    assert both.tolist() == [True, False]


@settings(max_examples=60)
@given(seed=st.integers(0, 10_000), count=st.integers(3, 8))
def test_cross_products_and_linear_program_agree(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, count)
    points, normals = rng.normal(size=(count, 2)), np.column_stack([np.cos(angle), np.sin(angle)])
    found = margin(points, normals)
    if abs(found) > 1e-4 or found == -1.0:
        assert bool(is_closed(points, normals)) == (found > 0)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10_000),
    turn=st.floats(-3, 3),
    scale=st.floats(0.01, 100),
    flip=st.booleans(),
)
def test_invariant_under_motion_scale_and_mirror(
    seed: int, turn: float, scale: float, flip: bool
) -> None:
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, 6)
    points, normals = rng.normal(size=(6, 2)), np.column_stack([np.cos(angle), np.sin(angle)])
    change = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    if flip:
        change = change @ np.diag([1.0, -1.0])
    moved = scale * points @ change.T + np.array([3.0, -2.0])
    assert margin(moved, normals @ change.T) == pytest.approx(margin(points, normals), abs=1e-6)
    assert is_closed(moved, normals @ change.T) == is_closed(points, normals)


@pytest.mark.parametrize("seed", range(5))
def test_the_wrench_ball_is_what_contacts_resist_in_the_worst_direction(seed: int) -> None:
    """Against its definition: in direction d the best contact gives max w.d per newton. Where the
    origin lies inside, that is least across a face, so all planes through three wrenches are tried.
    """
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * np.arange(6) / 6 + rng.uniform(-0.3, 0.3, 6)
    normals = -np.column_stack([np.cos(angle), np.sin(angle)])
    points = -normals + rng.uniform(-0.5, 0.5, (6, 1)) * np.column_stack(
        [-normals[:, 1], normals[:, 0]]
    )
    unit = wrenches(points, normals)
    per_newton = unit / np.hypot(unit[:, 0], unit[:, 1])[:, None]
    i, j, k = np.array(list(combinations(range(6), 3))).T
    across = np.cross(per_newton[j] - per_newton[i], per_newton[k] - per_newton[i])
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    worst = min((sign * across @ per_newton.T).max(axis=1).min() for sign in (1, -1))
    closed = bool(is_closed(points, normals))
    assert (worst > 0) == closed
    assert wrench_ball(points, normals) == pytest.approx(worst if closed else 0.0)


def test_no_wrench_ball_without_closure() -> None:
    assert wrench_ball(*square(0.0)) == 0.0  # all wrenches lie in a plane
    assert wrench_ball(*square(0.3)) == 0.0
    assert wrench_ball(np.zeros((3, 2)), np.ones((3, 2))) == 0.0
