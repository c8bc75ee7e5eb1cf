# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the torques that joints pass on, against numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boa_control.compiled import transmission
from boa_control.estimation.gearbox_losses import GearboxLosses
from boa_description.arrays import Array

JOINTS = 6
PITCH = 0.13
RNG = np.random.default_rng(7)


def drawn(*shape: int) -> Array:
    return RNG.normal(size=shape)


def test_of_several_posts_at_a_link_the_one_on_it_counts() -> None:
    arm = np.empty(4)
    link, offset = np.array([0, 1, 2]), np.array([PITCH - 0.01, 0.05, 0.01])
    transmission.lever_arms(arm, link, offset, 0.02, PITCH)
    np.testing.assert_array_equal(arm, [PITCH - 0.01, 0.05, 0.01, PITCH / 2])


def test_a_post_turns_its_link_by_its_force_times_the_arm_from_the_middle() -> None:
    moments, across, moment, middle = np.empty(4), drawn(4), drawn(4), 0.07
    at = np.array([1, 3]), np.array([0.05, 0.09])
    transmission.turning_moments(moments, (across, moment), at, 0.02, PITCH, middle)
    arm = np.array([PITCH / 2, 0.05, PITCH / 2, 0.09])
    np.testing.assert_array_equal(moments, moment + (arm - middle) * across)


def test_where_a_gyroscope_is_silent_the_joints_tell_how_a_link_turns() -> None:
    momenta, velocity, measured = np.empty(JOINTS + 1), drawn(JOINTS), drawn(JOINTS + 1)
    measured[[2, 5]] = math.nan
    transmission.angular_momenta(momenta, velocity, measured, 0.3)
    by_joints = np.concatenate(([0.0], np.cumsum(velocity)))
    expected = 0.3 * np.where(np.isnan(measured), by_joints, measured)
    np.testing.assert_array_equal(momenta, expected)


def test_motors_give_what_their_gearboxes_need_within_their_limit() -> None:
    torque, direction, rate, rest = 4.0 * drawn(4, JOINTS)
    direction = np.clip(direction, -1.0, 1.0)
    losses = GearboxLosses(*np.abs(drawn(3, JOINTS)))
    motor, fed = np.empty((2, JOINTS))
    transmission.motor_torques(motor, fed, (torque, direction, rate, rest), losses, 0.2, 5.0)
    known = losses.motor_torque(torque, direction) - torque + 0.2 * rate
    np.testing.assert_array_equal(fed, known)
    np.testing.assert_array_equal(motor, np.clip(torque + known + rest, -5.0, 5.0))


def test_a_torque_that_is_no_number_stays_one_that_is_none() -> None:
    """The gate refuses it; a limit in its place it would pass."""
    motor, fed = np.empty((2, 1))
    wish = np.array([math.nan]), np.zeros(1), np.zeros(1), np.zeros(1)
    losses = GearboxLosses(np.ones(1), np.ones(1), np.zeros(1))
    transmission.motor_torques(motor, fed, wish, losses, 0.0, 5.0)
    assert math.isnan(motor[0])


def test_what_is_lost_is_followed_and_what_turns_the_links_faster_is_taken_off() -> None:
    lost, slow_spin, effort, fed, passed_on, velocity, turning = drawn(7, JOINTS)
    slow = transmission.Slow(lost.copy(), slow_spin.copy())
    rest, rate, share = np.empty(JOINTS), 20.0, 0.1
    given = effort, fed, passed_on, velocity, turning
    assert transmission.observe_losses(rest, slow, given, 0.3, rate, share, 5.0)
    spin = 0.3 * velocity - turning
    lost += share * (effort - passed_on - fed - lost)
    slow_spin += share * (spin - slow_spin)
    np.testing.assert_array_equal(slow, (lost, slow_spin))
    np.testing.assert_array_equal(rest, np.clip(lost - rate * (spin - slow_spin), -5.0, 5.0))


@pytest.mark.parametrize("silent", [math.nan, math.inf])
def test_a_silent_sensor_tells_nothing_of_any_joint(silent: float) -> None:
    before = drawn(2, JOINTS)
    slow = transmission.Slow(*before.copy())
    passed_on = np.where(np.arange(JOINTS) == JOINTS - 1, silent, 0.0)
    given = (*drawn(2, JOINTS), passed_on, *drawn(2, JOINTS))
    assert not transmission.observe_losses(np.empty(JOINTS), slow, given, 0.3, 20.0, 0.1, 5.0)
    np.testing.assert_array_equal(slow, before)


def test_one_joint_reaches_a_bound_on_either_side() -> None:
    assert transmission.reaches(np.array([0.1, -1.0]), 1.0)
    assert not transmission.reaches(np.array([0.1, -0.99]), 1.0)


def test_a_sample_is_one_equation_for_each_joint_that_moves() -> None:
    squares, products, prior = drawn(JOINTS, 3, 3), drawn(JOINTS, 3), drawn(JOINTS, 3)
    motor, load, rate = drawn(3, JOINTS)
    moving, keep, weight = np.arange(JOINTS) % 3 > 0, 0.9, 2.5
    load_along, motor_along = load * np.sign(rate), motor * np.sign(rate)
    parts = np.maximum(load_along, 0.0), np.minimum(load_along, 0.0), np.ones(JOINTS)
    rows = np.stack(parts, axis=1)
    off = motor_along - (rows * prior).sum(axis=1)
    of_each = np.where(moving, weight, 0.0)[:, None]
    kept = np.where(moving, keep, 1.0)[:, None]
    expected = products * kept + of_each * rows * off[:, None]
    expected_squares = squares * kept[:, None] + (of_each * rows)[:, :, None] * rows[:, None]
    transmission.add_sample(squares, products, prior, (motor, load, rate, moving), keep, weight)
    np.testing.assert_allclose(products, expected, rtol=1e-14)
    np.testing.assert_allclose(squares, expected_squares, rtol=1e-14)
