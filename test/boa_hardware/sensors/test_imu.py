# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Yaw: unwrapping, glitches, restarts."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_description.angles import wrapped
from boa_description.arrays import Array
from boa_hardware.sensors.imu import Imus, YawCheck, YawTracker
from boa_hardware.sensors.wire import ImuWire

DT = 0.01


def follow(tracker: YawTracker, yaw: Array, rate: Array) -> Array:
    """Relative yaw of one sensor over a whole series."""
    steps = zip(yaw, rate, strict=True)
    return np.array(
        [tracker.update(np.array([y]), np.array([r]), k * DT)[0] for k, (y, r) in enumerate(steps)]
    )


@given(st.floats(-6, 6), st.floats(0.2, 3), st.floats(-10, 10))
@settings(max_examples=30)
def test_wrapped_heading_is_unwrapped_to_the_true_motion(
    amplitude: float, frequency: float, start: float
) -> None:
    time = np.arange(300) * DT
    true = start + amplitude * np.sin(2 * np.pi * frequency * time)
    rate = amplitude * 2 * np.pi * frequency * np.cos(2 * np.pi * frequency * time)
    relative = follow(YawTracker(1), true % (2 * np.pi), rate)
    np.testing.assert_allclose(relative, true - start, atol=1e-9)


def test_single_glitches_are_rejected_and_leave_no_trace() -> None:
    time = np.arange(200) * DT
    true, rate = 0.5 * time, np.full(200, 0.5)
    measured = true.copy()
    # a flipped bit 7 of a word of 1/16 deg; a wrong word
    measured[[50, 120]] += [
        math.radians(128 / 16),
        -1.0,
    ]
    tracker = YawTracker(1)
    relative = follow(tracker, measured, rate)
    assert np.flatnonzero(np.isnan(relative)).tolist() == [50, 120]
    assert tracker.rejected[0] == 2
    good = np.isfinite(relative)
    np.testing.assert_allclose(relative[good], true[good], atol=1e-12)


def test_missing_samples_are_bridged() -> None:
    time = np.arange(100) * DT
    yaw, rate = 2.0 * time, np.full(100, 2.0)
    yaw[30:60] = np.nan
    relative = follow(YawTracker(1), yaw, rate)
    assert np.isnan(relative[30:60]).all()
    np.testing.assert_allclose(relative[60:], 2.0 * time[60:], atol=1e-12)


def test_restarted_sensor_is_believed_after_five_readings_without_a_step() -> None:
    time = np.arange(100) * DT
    true, rate = 0.3 * time, np.full(100, 0.3)
    measured = true.copy()
    measured[40:] -= 2.0  # the chip restarted: its heading begins anew
    tracker = YawTracker(1)
    relative = follow(tracker, measured, rate)
    assert np.flatnonzero(np.isnan(relative)).tolist() == [40, 41, 42, 43]
    assert tracker.jumps[0] == 1
    good = np.isfinite(relative)
    np.testing.assert_allclose(relative[good], true[good], atol=1e-9)


def test_the_same_glitch_between_good_readings_is_never_believed() -> None:
    yaw, rate = np.zeros(40), np.zeros(40)
    yaw[1::2] = 1.5
    tracker = YawTracker(1)
    relative = follow(tracker, yaw, rate)
    assert np.isnan(relative[1::2]).all() and (relative[::2] == 0.0).all()
    assert tracker.jumps[0] == 0 and tracker.rejected[0] == 20


def test_sensors_do_not_influence_each_other() -> None:
    tracker = YawTracker(2, YawCheck())
    for k in range(20):
        now = k * DT
        first = 3.0 if k == 10 else 0.2 * now
        relative = tracker.update(np.array([first, -0.4 * now]), np.array([0.2, -0.4]), now)
        assert np.isnan(relative[0]) == (k == 10)
        np.testing.assert_allclose(relative[1], -0.4 * now, atol=1e-12)


def test_values_out_of_range_are_missing_and_counted() -> None:
    imus = Imus(2, ImuWire())
    imus.read(np.zeros(2), np.zeros(2), np.zeros((2, 2)), 0)
    reading = imus.read(
        np.radians([-1872.125, 0.0]),
        np.array([0.0, 35.6]),
        np.array([[0.0, 0.0], [0.0, 45.0]]),
        10_000_000,
    )
    assert np.isnan(reading.sample.yaw[0]) and np.isfinite(reading.sample.yaw[1])
    assert np.isnan(reading.sample.yaw_rate[1]) and np.isfinite(reading.sample.yaw_rate[0])
    assert np.isnan(reading.sample.acceleration[1, 1]) and reading.sample.acceleration[0, 0] == 0.0
    assert reading.rejected.tolist() == [1, 2]


def test_wrap_keeps_the_direction() -> None:
    angle = np.linspace(-20, 20, 401)
    np.testing.assert_allclose(np.exp(1j * wrapped(angle)), np.exp(1j * angle), atol=1e-12)
    assert (np.abs(wrapped(angle)) <= np.pi + 1e-12).all()
