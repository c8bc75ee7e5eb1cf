# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rotations against matrices written from the definition, and against each other."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boa_description.arrays import Array
from boa_description.quaternion import (
    from_x_axis,
    inverse,
    rotated,
    turned_about_vertical,
    yaw_of,
    yaw_quaternion,
)

ANGLE = st.floats(-10.0, 10.0)
VECTOR = arrays(np.float64, 3, elements=st.floats(-10.0, 10.0))


@st.composite
def quaternions(draw: st.DrawFn) -> Array:
    seed = draw(st.integers(0, 2**32))
    value: Array = np.random.default_rng(seed).normal(size=4)
    return value / np.linalg.norm(value)


def matrix(q: Array) -> Array:
    """Rotation matrix of a quaternion by the exponential of its axis: Rodrigues' formula."""
    size = float(np.linalg.norm(q[:3]))
    angle = 2.0 * np.arctan2(size, q[3])
    x, y, z = q[:3] / size
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


@given(quaternions(), VECTOR)
def test_vectors_turn_as_the_matrix_turns_them(q: Array, vector: Array) -> None:
    np.testing.assert_allclose(rotated(q, vector), matrix(q) @ vector, atol=1e-12)
    np.testing.assert_allclose(rotated(inverse(q), rotated(q, vector)), vector, atol=1e-12)


@given(quaternions(), ANGLE, VECTOR)
def test_a_turn_about_the_vertical_comes_after(q: Array, angle: float, vector: Array) -> None:
    turned = rotated(turned_about_vertical(q, angle), vector)
    np.testing.assert_allclose(
        turned, rotated(yaw_quaternion(angle), rotated(q, vector)), atol=1e-12
    )


@given(st.floats(0.0, 2 * np.pi), st.floats(-1.5, 1.5))
def test_the_x_axis_is_turned_into_the_direction(yaw: float, elevation: float) -> None:
    level = np.cos(elevation)
    direction = np.array([level * np.cos(yaw), level * np.sin(yaw), np.sin(elevation)])
    turn = from_x_axis(direction)
    np.testing.assert_allclose(rotated(turn, np.array([1.0, 0.0, 0.0])), direction, atol=1e-12)
    assert np.isclose(np.linalg.norm(turn), 1.0)


def test_many_at_once_are_as_one_by_one() -> None:
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(5, 4)), rng.normal(size=(5, 3))
    np.testing.assert_array_equal(rotated(q, v), [rotated(a, b) for a, b in zip(q, v, strict=True)])


@given(st.floats(-np.pi, np.pi, exclude_min=True), st.integers(-3, 3))
def test_yaw_survives_as_quaternion_up_to_whole_turns(yaw: float, turns: int) -> None:
    x, y, z, w = yaw_quaternion(yaw + 2 * np.pi * turns)
    assert x == y == 0 and np.isclose(z * z + w * w, 1.0)
    # rotating (1, 0) by the quaternion points along the heading
    np.testing.assert_allclose([w * w - z * z, 2 * w * z], [np.cos(yaw), np.sin(yaw)], atol=1e-12)
    back = yaw_of(np.array([x, y, z, w]))
    assert -np.pi <= back <= np.pi
    assert np.isclose(np.exp(1j * back), np.exp(1j * yaw))
