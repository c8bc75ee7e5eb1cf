# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gearboxes from synthetic motion, whose coefficients are known."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from boa_description.gearbox import load_gearbox
from boa_description.gearbox_friction import GearboxFriction
from boa_tools.identification.estimate import supported
from boa_tools.identification.gears import MODELS, fit, unexplained
from boa_tools.identification.record import Record, integral
from boa_tools.identification.windows import parted, windows_of

ZONE = load_gearbox("mx106_m5").friction
DAMPING, ARMATURE, SECONDS, PERIOD = 0.08, 0.02, 60.0, 0.005
GAIN = np.array([1.2, 1.5])
MOTOR, AT_REST = np.array([0.15, 0.1]), np.array([0.08, 0.05])  # lm, lms
BASE, STRIBECK = np.array([0.05, 0.02]), np.array([0.03, 0.06])


def record(latency: float = 0.0, losses: bool = True) -> Record:
    """Two joints that swing under torques with other periods; force samples are stamped `latency`
    later than they are taken.
    """
    time = np.arange(0.0, SECONDS, PERIOD)
    turn = 2 * np.pi * np.array([0.31, 0.23])
    position = 0.4 * np.sin(turn * time[:, None]) + 0.1 * np.sin(3.7 * turn * time[:, None])
    rate = 0.4 * turn * np.cos(turn * time[:, None])
    rate += 0.37 * turn * np.cos(3.7 * turn * time[:, None])
    effort = 2.0 * np.sin(2 * np.pi * np.array([0.171, 0.127]) * time[:, None] + [0.3, 1.0])
    zone = ZONE.zone(rate)
    lost = BASE + zone * STRIBECK
    if losses:
        lost = lost + GAIN * np.abs(effort) * (MOTOR + zone * AT_REST)
    torque = GAIN * effort - np.sign(rate) * lost - DAMPING * rate
    passed_on = integral(time, torque) - ARMATURE * rate
    return Record(0.0, time + latency, passed_on, 0 * passed_on, time, position, rate, effort)


def found(one: Record, model: str, late: bool = True):
    return fit(partial(windows_of, one), MODELS[model], ZONE, late=late)


def test_every_coefficient_comes_out_of_motion_without_noise():
    """Means over windows of 0.1 s of a curved zone, and joints taken for alike, leave 1 %."""
    gears = found(record(), "load_stribeck").gears
    assert gears.own[:, 0] == pytest.approx(GAIN, rel=0.01)
    told = gears.passed_on(0.6, ZONE)
    lost = GAIN * (MOTOR + ZONE.zone(np.array(0.6)) * AT_REST)
    dry = BASE + ZONE.zone(np.array(0.6)) * STRIBECK + 0.6 * DAMPING
    assert told[:, 0] == pytest.approx(GAIN - lost, rel=0.01)
    assert told[:, 1] == pytest.approx(GAIN + lost, rel=0.01)
    assert told[:, 2] == pytest.approx(dry, abs=0.006)
    assert gears.common[1] == pytest.approx(ARMATURE, rel=0.02)


@pytest.mark.parametrize("latency", [-0.006, 0.0, 0.011])
def test_late_force_samples_are_found_out(latency):
    gears = found(record(latency), "load_stribeck").gears
    assert gears.common[-1] == pytest.approx(latency, abs=0.0005)


def test_samples_of_one_message_have_no_latency():
    assert found(record(0.01), "load", late=False).gears.common[-1] == 0.0


@pytest.mark.parametrize(("losses", "expected"), [(True, "load_stribeck"), (False, "stribeck")])
def test_the_model_that_the_data_support_is_the_simplest_that_predicts_them(losses, expected):
    noisy = record(losses=losses)
    noise = 0.005 * np.random.default_rng(0).standard_normal(noisy.passed_on.shape)
    noisy = noisy._replace(passed_on=noisy.passed_on + np.cumsum(noise, axis=0) * PERIOD)
    known, new = parted([windows_of(noisy)], 0.7)
    judged = {}
    for name, model in MODELS.items():
        gears = fit(lambda _: known, model, ZONE, late=False).gears
        judged[name] = unexplained(gears, new, ZONE)
    assert supported(judged) == expected


def test_a_simpler_model_is_kept_unless_it_is_surely_worse():
    best = np.array([1.0, 1.1, 0.9, 1.0])
    for off, expected in (
        ([0.2, -0.2, 0.4, 0.2], "simple"),  # worse by chance
        ([0.2, 0.22, 0.2, 0.21], "rich"),
        ([0.05, 0.06, 0.05, 0.06], "simple"),  # surely, but by what does not count
    ):
        assert supported({"simple": best + np.array(off), "rich": best}) == expected


def test_only_joints_that_surely_move_with_one_sign_of_torque_count():
    one = record()
    windows = windows_of(one)
    edges = np.round(windows.time / PERIOD).astype(int)
    for window in np.flatnonzero(windows.moving[:, 0])[::7]:
        rows = slice(edges[window], edges[window] + 20)
        assert (np.abs(one.velocity[rows, 0]) > 0.05).all()
        assert np.ptp(np.sign(one.effort[rows, 0])) == 0
    assert not windows.moving.all()
    assert windows.rate[windows.moving] == pytest.approx(
        np.stack([np.interp(windows.time + 0.05, one.tick_time, v) for v in one.velocity.T], 1)[
            windows.moving
        ],
        abs=0.05,
    )


def test_joints_that_are_taken_for_the_average_say_so():
    one = record()
    still = one._replace(velocity=one.velocity * [1.0, 0.0])
    fitted = found(still, "load_stribeck", late=False)
    assert (fitted.alike[1] > 100 * fitted.alike[0]).all()
    assert isinstance(fitted.zone, GearboxFriction)
