# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closure of windows against the linear program, push mass against least squares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.planning.search.windows import (
    contact_wrenches,
    margin,
    rubbing_wrenches,
    worst_margins,
)
from test.boa_control.planning.closure_program import margin as margin_by_program


def contacts(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, count)
    return rng.normal(size=(count, 2)), np.column_stack([np.cos(angle), np.sin(angle)])


@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_margin_equals_that_of_the_linear_program(seed, count):
    points, normals = contacts(seed, count)
    assert margin(contact_wrenches(points, normals)) == pytest.approx(
        margin_by_program(points, normals), abs=1e-6
    )


@given(st.integers(0, 2**32 - 1))
def test_margin_does_not_depend_on_place_heading_or_unit_of_length(seed):
    points, normals = contacts(seed, 6)
    c, s = np.cos(0.7), np.sin(0.7)
    turn = np.array([[c, -s], [s, c]])
    moved = contact_wrenches(3.0 * points @ turn.T + [5.0, -2.0], normals @ turn.T)
    assert margin(moved) == pytest.approx(margin(contact_wrenches(points, normals)), abs=1e-7)


def test_a_square_held_at_its_sides_by_a_pinwheel_is_closed_and_even():
    points = np.array([(0.3, 1.0), (1.0, -0.3), (-0.3, -1.0), (-1.0, 0.3)])
    normals = -np.array([(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)])
    assert margin(contact_wrenches(points, normals)) == -1.0  # all turn it the same way
    both = np.vstack([points, points * [-1, 1]])
    assert margin(contact_wrenches(both, np.vstack([normals, normals * [-1, 1]]))) == 1.0


def test_worst_margins_are_those_of_each_suffix():
    """Against the linear program, from every contact on."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        angle = rng.uniform(0, 2 * np.pi, 7)
        points = rng.uniform(-1, 1, (7, 2))
        normals = np.column_stack([np.cos(angle), np.sin(angle)])
        margins = worst_margins(contact_wrenches(points, normals)[:, None])
        assert margins.shape == (8,)
        for k in range(7):
            expected = margin_by_program(points[k:], normals[k:])
            assert margins[k] == pytest.approx(expected, abs=1e-6)


def test_friction_tilts_forces_and_the_worst_counts():
    """Against the linear program, with the forces of posts that rub turned by hand."""
    rng = np.random.default_rng(7)
    closed = 0
    for _ in range(30):
        angle = rng.uniform(0, 2 * np.pi, 6)
        points = rng.uniform(-1, 1, (6, 2))
        normals = np.column_stack([np.cos(angle), np.sin(angle)])
        along = np.column_stack([-normals[:, 1], normals[:, 0]])
        worst = worst_margins(rubbing_wrenches(points, normals, along, (0.0, 0.3)))[0]
        tilted = (normals - 0.3 * along) / np.hypot(1.0, 0.3)
        expected = [margin_by_program(points, forces) for forces in (normals, tilted)]
        assert worst == pytest.approx(min(expected), abs=1e-6)
        closed += worst > 0.0
    assert closed
