# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The force sensors of the whole robot: units, latches, warnings."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_hardware.block_file import save_block
from boa_hardware.sensors.force import ForceSensors, load_calibrations
from boa_hardware.sensors.k3d40 import Calibration, nominal_calibration
from boa_hardware.sensors.tare import Tare
from boa_hardware.sensors.wire import ForceFrontEnd, ForceWire

ROBOT = load_robot("boa13", links=3)  # two joints, sensors of 50 N
PERIOD = 10_000_000
WIRE = ForceWire()
NEWTON_PER_COUNT = 100.0 * WIRE.front_end.mv_per_v  # nominal sensor: 100 N/(mV/V)


def counts(*newtons: float) -> Array:
    """Counts of both joints, with the given force on x of joint 1 and so on (x1, y1, x2, y2)."""
    return np.round(np.array(newtons).reshape(2, 2) / NEWTON_PER_COUNT)


def test_one_count_of_the_front_end() -> None:
    # 24 bit at +-1.2 V, gain 100, 3.3 V supply: 1.2 V / 2^23 = 143.05 nV at the converter, 1.4305
    # nV at the bridge.
    assert ForceFrontEnd().mv_per_v == pytest.approx(143.0511e-9 / 100 / 3.3 * 1e3, rel=1e-5)


def test_counts_become_newtons() -> None:
    reading = ForceSensors(ROBOT, WIRE).read(counts(10, -20, 0, 30), 7)
    assert reading.sample.stamp_ns == 7
    np.testing.assert_allclose(reading.sample.force[:, :2], [[10, -20], [0, 30]], atol=1e-4)
    assert np.isnan(reading.sample.force[:, 2]).all()
    assert reading.faults == reading.warnings == ()


def test_boards_may_send_newtons() -> None:
    wire = ForceWire(content="force", newton_per_count=0.01)
    reading = ForceSensors(ROBOT, wire).read(np.array([[100, 200], [300, 400]]), 0)
    np.testing.assert_allclose(reading.sample.force[:, :2], [[1, 2], [3, 4]])
    assert np.isnan(reading.bridge).all()


def test_missing_values_stay_nan() -> None:
    values = counts(1, 2, 3, 4)
    values[0] = np.nan
    force = ForceSensors(ROBOT, WIRE).read(values, 0).sample.force
    assert np.isnan(force[0]).all()
    np.testing.assert_allclose(force[1, :2], [3, 4], atol=1e-4)


def test_tare_moves_the_zero_and_keeps_unmeasured_channels() -> None:
    sensors = ForceSensors(ROBOT, WIRE)
    first = sensors.read(counts(3, 0, 0, -4), 0)
    sensors.set_zero(Tare(first.bridge, 0, np.full(2, np.nan), np.zeros((2, 3))))
    np.testing.assert_allclose(
        sensors.read(counts(5, 0, 0, 0), 1).sample.force[:, :2], [[2, 0], [0, 4]], atol=1e-4
    )
    assert np.isfinite(sensors.zero).all()


def test_range_warns_at_ninety_percent_and_latches_at_hundred() -> None:
    sensors = ForceSensors(ROBOT, WIRE)
    assert sensors.read(counts(44.9, 0, 0, 0), 0).warnings == ()
    near = sensors.read(counts(0, -45.1, 0, 0), PERIOD)
    assert len(near.warnings) == 1 and "joint_01" in near.warnings[0] and near.faults == ()
    over = sensors.read(counts(0, 0, 50.1, 0), 2 * PERIOD)
    assert (
        len(over.faults) == 1
        and "joint_02" in over.faults[0]
        and "above its range" in over.faults[0]
    )
    after = sensors.read(counts(0, 0, 1, 0), 3 * PERIOD)
    assert after.faults == over.faults
    sensors.reset()
    assert sensors.read(counts(0, 0, 2, 0), 4 * PERIOD).faults == ()


def test_saturated_converter_is_a_fault_but_the_value_still_trips_the_gate() -> None:
    values = counts(0, 0, 0, 0)
    values[1, 0] = WIRE.front_end.full_scale
    reading = ForceSensors(ROBOT, WIRE).read(values, 0)
    assert any("joint_02" in text and "saturated" in text for text in reading.faults)
    assert reading.sample.force[1, 0] > 50.0


def test_stuck_channel_is_found_after_half_a_second_and_noise_is_not_stuck() -> None:
    sensors = ForceSensors(ROBOT, WIRE)
    generator = np.random.default_rng(0)
    for step in range(60):
        values = np.round(generator.normal(0, 20, (2, 2)))
        values[1, 1] = 1234  # one channel of joint 2 does not move
        reading = sensors.read(values, step * PERIOD)
        assert bool(reading.faults) == (step >= 50), step
    assert "joint_02" in reading.faults[0] and "same value" in reading.faults[0]
    values[1, 1] = 1235
    assert sensors.read(values, 60 * PERIOD).faults == ()


def test_silence_is_not_stuck() -> None:
    sensors = ForceSensors(ROBOT, WIRE)
    for step in range(100):
        assert sensors.read(np.full((2, 2), np.nan), step * PERIOD).faults == ()


def test_a_gap_in_the_samples_is_not_stuck() -> None:
    """Two equal samples that lie a second apart say nothing: noise is a few counts only."""
    sensors = ForceSensors(ROBOT, WIRE)
    for step in range(9):
        assert sensors.read(counts(1, 2, 3, 4), step * 100 * PERIOD).faults == ()
    assert len(sensors.read(counts(1, 2, 3, 4), 900 * PERIOD).faults) == 2


def test_calibrations_of_all_joints_are_read_from_a_folder(tmp_path: Path) -> None:
    for joint, serial in zip(ROBOT.joint_names, ("a", "b"), strict=True):
        save_block(_calibration(serial), tmp_path / f"{joint}.yaml")
    assert [c.serial for c in load_calibrations(tmp_path, ROBOT)] == ["a", "b"]
    save_block(_calibration("a"), tmp_path / "joint_02.yaml")
    with pytest.raises(BoaError, match="joint_01 and joint_02 both claim sensor a"):
        load_calibrations(tmp_path, ROBOT)


def test_number_of_calibrations_must_fit_the_robot() -> None:
    with pytest.raises(BoaError, match="1 force calibrations for 2 joints"):
        ForceSensors(ROBOT, WIRE, [_calibration("a")])


def _calibration(serial: str) -> Calibration:
    return nominal_calibration(50.0).model_copy(update={"serial": serial, "date": date(2025, 1, 1)})
