# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Projectors against their defining equations, for random constraints and tasks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boa_control.controllers.projection import (
    attainable_forces,
    eliminate_base,
    essential_projector,
    force_projector,
    motion_projector,
    projection_filter,
    pseudo_inverse,
    regularised_projector,
    shortened,
    static_forces,
)
from boa_description.errors import BoaError

JOINTS = 6


def matrices(rows: st.SearchStrategy[int], columns: int) -> st.SearchStrategy[np.ndarray]:
    """Matrices of whole numbers: ranks are then clear-cut, and rank deficient ones are common."""
    return rows.flatmap(
        lambda n: arrays(float, (n, columns), elements=st.integers(-4, 4).map(float))
    )


constraints = matrices(st.integers(1, 5), JOINTS)


def directions(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(JOINTS, count))


@given(constraints)
def test_motion_and_force_projectors_are_complementary(jacobian: np.ndarray) -> None:
    motion, force = motion_projector(jacobian), force_projector(jacobian)
    for projector in (motion, force):
        np.testing.assert_allclose(projector @ projector, projector, atol=1e-9)
        np.testing.assert_allclose(projector, projector.T, atol=1e-9)
    np.testing.assert_allclose(motion @ force, 0.0, atol=1e-9)
    np.testing.assert_allclose(jacobian @ motion, 0.0, atol=1e-8)  # eq. 3.47
    assert round(np.trace(motion)) == JOINTS - np.linalg.matrix_rank(jacobian)


@given(constraints, st.integers(0, 10**6), st.floats(1e-3, 10.0))
def test_a_shortened_motion_keeps_its_direction_and_the_contacts(
    jacobian: np.ndarray, seed: int, largest: float
) -> None:
    motion = motion_projector(jacobian) @ directions(1, seed)[:, 0]
    short = shortened(motion, largest)
    np.testing.assert_allclose(jacobian @ short, 0.0, atol=1e-8)
    assert short @ motion == pytest.approx(
        np.linalg.norm(short) * np.linalg.norm(motion), abs=1e-12
    )
    assert np.abs(short).max() == pytest.approx(min(np.abs(motion).max(), largest), abs=1e-12)


@given(constraints, st.integers(1, 3), st.integers(0, 10**6))
@settings(max_examples=200)
def test_filter_meets_both_conditions_or_says_that_it_cannot(
    jacobian: np.ndarray, count: int, seed: int
) -> None:
    essential = directions(count, seed)
    allowed, desired = motion_projector(jacobian), essential_projector(essential)
    result = projection_filter(jacobian, essential)
    np.testing.assert_allclose(allowed @ result.matrix, result.matrix, atol=1e-6)  # 3.53
    if result.attainable:
        np.testing.assert_allclose(desired @ result.matrix, desired, atol=1e-5)  # 3.54
    # directions in general position: reachable exactly when allowed motions are at least as many
    free = JOINTS - np.linalg.matrix_rank(jacobian)
    assert result.attainable == (free >= count)


def printed_filter(contact_jacobian: np.ndarray, essential: np.ndarray) -> np.ndarray:
    """Eq. 3.58 as the thesis prints it. It keeps the task (3.54) but leaves the allowed motions
    (3.53) whenever an essential direction is not itself allowed.
    """
    allowed, blocked = motion_projector(contact_jacobian), force_projector(contact_jacobian)
    desired = essential_projector(essential)
    matrix: np.ndarray = allowed + blocked @ pseudo_inverse(desired @ blocked) @ (
        desired - desired @ allowed
    )
    return matrix


@given(constraints, st.integers(1, 3), st.integers(0, 10**6))
def test_printed_filter_keeps_the_task_but_leaves_the_constraint(
    jacobian: np.ndarray, count: int, seed: int
) -> None:
    essential = directions(count, seed)
    desired, blocked = essential_projector(essential), force_projector(jacobian)
    printed = printed_filter(jacobian, essential)
    # otherwise 3.57 has no exact solution either
    if np.linalg.matrix_rank(desired @ blocked) == count:
        np.testing.assert_allclose(desired @ printed, desired, atol=1e-5)
        assert np.linalg.norm(blocked @ printed) > 1e-6  # 3.53 broken: contacts are driven into


def test_allowed_essential_motion_passes_unchanged() -> None:
    """One contact on joint 1 only: joint 2 is free, so a task on joint 2 is attainable and F simply
    drops joint 1.
    """
    result = projection_filter(np.array([[1.0, 0.0]]), np.array([[0.0], [1.0]]))
    assert result.attainable
    np.testing.assert_allclose(result.matrix, np.diag([0.0, 1.0]), atol=1e-12)


def test_oblique_task_is_met_by_the_other_joint() -> None:
    """Contact couples the joints (phi_1 = -phi_2 allowed), task: joint 1. By hand: F = [[1, 0],
    [-1, 0]].
    """
    result = projection_filter(np.array([[1.0, 1.0]]), np.array([[1.0], [0.0]]))
    assert result.attainable
    np.testing.assert_allclose(result.matrix, [[1.0, 0.0], [-1.0, 0.0]], atol=1e-12)


def test_blocked_task_is_reported() -> None:
    result = projection_filter(np.array([[1.0, 0.0]]), np.array([[1.0], [0.0]]))
    assert not result.attainable
    assert result.task_error == pytest.approx(1.0)
    np.testing.assert_allclose(result.matrix, np.diag([0.0, 1.0]), atol=1e-12)


def test_dependent_essential_directions_are_refused() -> None:
    with pytest.raises(BoaError, match="linearly dependent"):
        essential_projector(np.array([[1.0, 2.0], [1.0, 2.0]]))


@given(matrices(st.integers(1, 5), 3 + JOINTS))
def test_eliminating_the_base_keeps_exactly_the_joint_motions_that_a_base_motion_can_accompany(
    jacobian: np.ndarray,
) -> None:
    reduced = eliminate_base(jacobian)
    base, joints = jacobian[:, :3], jacobian[:, 3:]
    rank = np.linalg.matrix_rank(base)
    assert reduced.shape == (len(jacobian) - rank, JOINTS)
    for joint_motion in motion_projector(reduced).T if len(reduced) else np.eye(JOINTS):
        base_motion = -np.linalg.pinv(base, rcond=1e-9) @ (joints @ joint_motion)
        np.testing.assert_allclose(base @ base_motion + joints @ joint_motion, 0.0, atol=1e-7)


@given(constraints)
def test_regularised_projector_tends_to_the_exact_one(jacobian: np.ndarray) -> None:
    np.testing.assert_allclose(
        regularised_projector(jacobian, 1e-7), motion_projector(jacobian), atol=1e-4
    )


def test_regularised_projector_damps_by_the_stated_factor() -> None:
    """Singular value s = 0.2 m, r = 1: only s^2 / (s^2 + 1) = 3.8 % of a torque against the contact
    is removed.
    """
    projector = regularised_projector(np.array([[0.2, 0.0]]), 1.0)
    np.testing.assert_allclose(projector, np.diag([1 - 0.04 / 1.04, 1.0]), atol=1e-12)


def test_no_contact_leaves_every_torque() -> None:
    np.testing.assert_array_equal(regularised_projector(np.zeros((0, 2)), 1.0), np.eye(2))


def arch_jacobian() -> np.ndarray:
    """Three links of 0.2 m at +45, 0, -45 degrees; contacts mid end links outside, and at +-40 mm
    under the middle.

    Worked out by hand for thin links: columns x, y, theta_1, phi_1, phi_2.
    """
    h = np.sqrt(0.5)
    axes = np.array([[0.0, 0.0], [0.2 * h, 0.2 * h], [0.2 + 0.2 * h, 0.2 * h]])
    points = [
        (axes[0] + 0.1 * np.array([h, h]), np.array([h, -h]), 0),
        (axes[1] + np.array([0.06, 0.0]), np.array([0.0, 1.0]), 1),
        (axes[1] + np.array([0.14, 0.0]), np.array([0.0, 1.0]), 1),
        (axes[2] + 0.1 * np.array([h, -h]), np.array([-h, -h]), 2),
    ]
    rows = []
    for point, normal, link in points:
        arms = point - axes
        turning = arms[:, 0] * normal[1] - arms[:, 1] * normal[0]
        rows.append([*normal, *np.where(np.arange(3) <= link, turning, 0.0)])
    return np.array(rows)


def test_static_forces_of_the_arch_by_hand() -> None:
    """Torque tau on both joints, end contacts at d = 0.1 m: N = tau / d there, sqrt(2) N on the
    middle pair.
    """
    forces = static_forces(arch_jacobian(), np.array([4.0, 4.0]))
    np.testing.assert_allclose(
        forces, [40.0, 40.0 * np.sqrt(0.5), 40.0 * np.sqrt(0.5), 40.0], rtol=1e-9
    )


def test_attainable_forces_balance_on_the_base_and_are_the_nearest() -> None:
    jacobian, desired = arch_jacobian(), np.full(4, 10.0)
    result = attainable_forces(jacobian, desired)
    np.testing.assert_allclose(jacobian[:, :3].T @ result, 0.0, atol=1e-12)
    # one internal direction, (1, h, h, 1) / sqrt(3): projection of (10, 10, 10, 10) by hand
    direction = np.array([1.0, np.sqrt(0.5), np.sqrt(0.5), 1.0]) / np.sqrt(3.0)
    np.testing.assert_allclose(result, direction * (direction @ desired), rtol=1e-9)


def test_three_contacts_balance_nothing() -> None:
    np.testing.assert_allclose(
        attainable_forces(arch_jacobian()[:3], np.full(3, 10.0)), 0.0, atol=1e-9
    )
