# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A tare is refused unless the robot is disarmed, still, unloaded and watched for long enough."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from boa_control.plant import PlantError
from boa_description.errors import BoaError
from boa_hardware.block_file import load_block, save_block
from boa_hardware.sensors.tare import Tare, TareFile, TareLimits, TareWindow, drift, take_tare

NAMES = ("joint_01", "joint_02")
GAIN = 100.0  # N/(mV/V)
Samples = NDArray[np.float64]


def samples(
    seconds: float = 1.2, load: float = 0.0, noise: float = 0.05
) -> tuple[Samples, Samples, Samples]:
    count = int(seconds * 100)
    force = np.random.default_rng(0).normal(0, noise, (count, 2, 3))
    force[:, 1, 0] += load
    force[..., 2] = np.nan  # boards do not send z
    return force / GAIN, force, np.arange(count) * 10_000_000.0


def tare(
    data: tuple[Samples, Samples, Samples], armed: bool = False, limits: TareLimits | None = None
) -> Tare:
    bridge, force, stamps = data
    return take_tare(
        bridge,
        force,
        stamps,
        armed=armed,
        temperature=np.array([30.0, np.nan]),
        names=NAMES,
        taken_ns=5,
        limits=limits or TareLimits(),
    )


def test_zero_is_the_mean_and_keeps_time_and_temperature() -> None:
    bridge, force, stamps = samples(load=1.0)
    result = tare((bridge, force, stamps))
    np.testing.assert_allclose(result.zero[:, :2], bridge.mean(axis=0)[:, :2])
    assert np.isnan(result.zero[:, 2]).all()
    assert result.stamp_ns == 5
    np.testing.assert_array_equal(result.temperature, [30.0, np.nan])
    np.testing.assert_allclose(result.noise[:, :2], 0.05, rtol=0.3)


def test_lost_samples_do_not_matter_until_half_is_lost() -> None:
    bridge, force, stamps = samples()
    bridge[::3, 0] = force[::3, 0] = np.nan
    assert np.isfinite(tare((bridge, force, stamps)).zero[:, :2]).all()
    bridge[1::3, 0] = force[1::3, 0] = np.nan
    with pytest.raises(PlantError, match="joint_01 answered only 33%"):
        tare((bridge, force, stamps))


@pytest.mark.parametrize(
    ("data", "armed", "says"),
    [
        (samples(), True, "armed"),
        (samples(seconds=0.5), False, r"0\.49 s of samples"),
        (samples(noise=0.8), False, "joint_01 is not still"),
        (samples(load=6.0), False, "joint_02 is loaded: 6.0 N"),
        (samples(seconds=0.0), False, "0.00 s of samples"),
    ],
)
def test_refusals_name_the_cause(
    data: tuple[Samples, Samples, Samples], armed: bool, says: str
) -> None:
    with pytest.raises(PlantError, match=says):
        tare(data, armed=armed)


def test_drift_is_given_in_newtons() -> None:
    new = tare(samples(load=2.0))
    change = drift(new, np.zeros((2, 3)), np.full((2, 3), GAIN))
    np.testing.assert_allclose(change[1, 0], 2.0, atol=0.05)


def test_file_round_trip_keeps_what_was_not_measured(tmp_path: Path) -> None:
    result = tare(samples())
    save_block(TareFile.of(result, NAMES), tmp_path / "tare.yaml")
    read = load_block(TareFile, tmp_path / "tare.yaml").tare(NAMES)
    np.testing.assert_array_equal(read.zero, result.zero)
    np.testing.assert_array_equal(read.temperature, result.temperature)
    np.testing.assert_array_equal(read.noise, result.noise)
    assert read.stamp_ns == result.stamp_ns
    with pytest.raises(BoaError, match="2 joints, the robot has 3"):
        load_block(TareFile, tmp_path / "tare.yaml").tare((*NAMES, "joint_03"))


def test_window_keeps_just_enough_and_ignores_repeated_samples() -> None:
    bridge, force, stamps = samples(seconds=5.0)
    force[:200] += 20.0  # a load that ended three seconds ago does not matter any more
    window = TareWindow(NAMES)
    temperature = np.full(2, np.nan)
    with pytest.raises(PlantError, match="no force samples"):
        window.take(armed=False, temperature=temperature, taken_ns=0)
    for stamp, u, f in zip(stamps, bridge, force, strict=True):
        window.add(int(stamp), u, f)
        window.add(int(stamp), u + 100.0, f)
    result = window.take(armed=False, temperature=temperature, taken_ns=9)
    np.testing.assert_allclose(result.zero[:, :2], bridge[-121:].mean(axis=0)[:, :2])
    with pytest.raises(PlantError, match="armed"):
        window.take(armed=True, temperature=temperature, taken_ns=9)
