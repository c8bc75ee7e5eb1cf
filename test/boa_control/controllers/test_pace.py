# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A clock that slows down under load."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.gaits import Wave, joint_reference
from boa_control.controllers.pace import FALL, SLOWEST, Pace, at_pace
from boa_control.plant import ForceSample, SensorFrame

PERIOD = 0.005


def frame(force: float | None = None) -> SensorFrame:
    still = np.zeros(3)
    sample = None
    if force is not None:
        forces = np.zeros((3, 3))
        forces[1, 0], forces[2, 1] = -force, np.nan
        sample = ForceSample(1, forces)
    return SensorFrame(1, still, still, still, sample, None, still, still)


def after(pace: Pace, ticks: int, torque: float, force: float | None = None) -> Pace:
    for _ in range(ticks):
        pace.update(frame(force))
        pace.record_command(np.array([0.1, -torque, 0.0]))
    return pace


def test_without_load_it_is_the_clock_of_the_world() -> None:
    pace = after(Pace(6.4, 40.0, PERIOD), 1001, 3.5, 20.0)
    assert pace.rate == 1.0 and pace.change == 0.0
    assert pace.time == pytest.approx(5.0, abs=1e-9)


@pytest.mark.parametrize(("torque", "force"), [(6.4, 0.0), (20.0, 0.0), (0.0, 40.0), (0.0, 400.0)])
def test_at_a_limit_it_is_slow_at_once(torque: float, force: float) -> None:
    """Torque or force; a silent sensor (NaN) beside a loaded one changes nothing."""
    pace = after(Pace(6.4, 40.0, PERIOD), 2 + round(5 * FALL / PERIOD), torque, force)
    assert pace.rate == pytest.approx(SLOWEST, abs=0.02)


def test_half_way_to_the_limit_it_is_half_way_slow_and_recovers() -> None:
    pace = after(Pace(10.0, None, PERIOD), 2000, 8.0, 1e3)
    assert pace.rate == pytest.approx((1 + SLOWEST) / 2, abs=1e-3)
    assert after(pace, 1600, 1.0).rate == pytest.approx(1.0, abs=0.01)


def test_rates_of_a_slowed_gait_are_those_of_its_angles() -> None:
    """The reference's velocity is the difference of its angles while the pace falls."""
    pace, wave = Pace(6.4, None, 1e-4), Wave(amplitude=0.5, frequency=2.0)
    angles, velocities = [], []
    for k in range(4000):
        pace.update(frame())
        reference = at_pace(joint_reference(wave, pace.time, np.zeros(3)), pace)
        pace.record_command(np.full(3, 2.0 if k < 100 else 6.0))
        angles.append(reference.position)
        velocities.append(reference.velocity)
    assert pace.rate < 0.7
    rates = (np.array(angles)[2:] - np.array(angles)[:-2]) / 2e-4
    assert np.array(velocities)[1:-1] == pytest.approx(rates, abs=2e-3)
