# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gaits against eq. 4.1 by hand and against finite differences; activation profiles at their
corners.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from boa_control.controllers.gaits import (
    ConstantActivation,
    Hold,
    JointReference,
    RisingActivation,
    Rocking,
    SteppedActivation,
    Wave,
    activation_level,
    joint_reference,
    ramped,
)

START = np.array([0.1, -0.2])


def test_rocking_of_the_thesis_by_hand() -> None:
    """Section 5.2: centre -45, amplitude 30 degrees, 1 rad/s, antiphase; at t = pi/2 the joints are
    at -15 and -75.
    """
    reference = joint_reference(Rocking(), math.pi / 2, START)
    np.testing.assert_allclose(np.degrees(reference.position), [-15.0, -75.0], atol=1e-9)
    np.testing.assert_allclose(reference.velocity, 0.0, atol=1e-12)
    np.testing.assert_allclose(
        joint_reference(Rocking(), 0.0, START).position, -math.pi / 4, atol=1e-12
    )


@given(
    st.floats(0, 20),
    st.sampled_from(
        [
            Rocking(),
            Rocking(frequency=2.5, phase_shift=0.4),
            Wave(),
            Wave(offset=0.3, phase_shift=-1.0),
        ]
    ),
)
def test_rates_are_derivatives(time: float, gait: Rocking | Wave) -> None:
    step = 1e-5
    start = np.zeros(5)
    before, now, after = (
        joint_reference(gait, time + shift, start) for shift in (-step, 0.0, step)
    )
    np.testing.assert_allclose(
        now.velocity, (after.position - before.position) / (2 * step), atol=1e-7
    )
    np.testing.assert_allclose(
        now.acceleration, (after.velocity - before.velocity) / (2 * step), atol=1e-7
    )


def test_wave_travels_tailwards() -> None:
    """Joint i - 1 follows joint i by phase_shift / frequency: the crest runs to the tail."""
    wave = Wave(frequency=2.0, phase_shift=0.7)
    now = joint_reference(wave, 1.0, np.zeros(6)).position
    later = joint_reference(wave, 1.0 + 0.7 / 2.0, np.zeros(6)).position
    np.testing.assert_allclose(later[:-1], now[1:], atol=1e-12)


def test_hold() -> None:
    np.testing.assert_array_equal(joint_reference(Hold(), 3.0, START).position, START)
    np.testing.assert_array_equal(
        joint_reference(Hold(target=0.5), 3.0, START).position, [0.5, 0.5]
    )
    np.testing.assert_array_equal(
        joint_reference(Hold(target=(-1.0, -0.5)), 3.0, START).position, [-1.0, -0.5]
    )


@pytest.mark.parametrize(
    ("time", "level"), [(0.0, 0.5), (1.999, 0.5), (2.0, 1.0), (7.0, 2.0), (9.0, 2.5), (60.0, 2.5)]
)
def test_stepped_activation_of_section_5_2_1(time: float, level: float) -> None:
    assert activation_level(SteppedActivation(), time) == level


@pytest.mark.parametrize(
    ("time", "level"), [(-1.0, 0.5), (0.0, 0.5), (15.0, 50.25), (30.0, 100.0), (99.0, 100.0)]
)
def test_rising_activation_of_section_5_2_2(time: float, level: float) -> None:
    assert activation_level(RisingActivation(over=30.0), time) == pytest.approx(level)


def test_constant_activation() -> None:
    assert activation_level(ConstantActivation(level=0.7), 12.0) == 0.7


def test_negative_levels_are_refused() -> None:
    with pytest.raises(ValidationError, match="levels must not be negative, got -1"):
        SteppedActivation(levels=(1.0, -1.0))


@given(time=st.floats(0.01, 1.99), start=st.floats(-1, 1))
def test_a_ramp_has_the_rates_of_its_angles(time: float, start: float) -> None:
    gait, at, h = Wave(), np.full(3, start), 1e-5

    def angles(t: float) -> JointReference:
        return ramped(joint_reference(gait, t, at), at, t, 2.0)

    before, here, after = angles(time - h), angles(time), angles(time + h)
    rate = (after.position - before.position) / (2 * h)
    np.testing.assert_allclose(here.velocity, rate, atol=1e-6)
    bend = (after.velocity - before.velocity) / (2 * h)
    np.testing.assert_allclose(here.acceleration, bend, atol=1e-6)


def test_a_ramp_begins_at_rest_and_ends_in_the_gait() -> None:
    start = np.array([0.3, -0.2])
    first = ramped(joint_reference(Wave(), 0.0, start), start, 0.0, 1.0)
    np.testing.assert_array_equal(first.position, start)
    np.testing.assert_array_equal(first.velocity, 0.0)
    wave = joint_reference(Wave(), 1.0, start)
    assert ramped(wave, start, 1.0, 1.0) is wave
    assert ramped(wave, start, 0.0, 0.0) is wave
